from hypothesis import settings

# A busy machine is no defect: nothing is timed here.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


def pytest_addoption(parser):
    parser.addoption(
        "--vllm",
        metavar="URL",
        help="base URL of a running vLLM (http://127.0.0.1:8001) for tests/e2e/test_vllm.py",
    )
