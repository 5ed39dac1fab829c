import pytest
import yaml

from perf.scenario import POLICIES, SCENARIOS, WrongScenario, read

SHIPPED = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))
TRITON = {"name": "a", "kind": "triton", "model": "text_embedding"}
ROUTER = {"name": "r", "kind": "http_router", "policy": "heuristic"}


def wrong(tmp_path, **changed):
    """What is said of a small scenario, changed."""
    right = {"about": "", "at_once": [1], "inputs": {"short": [{"tokens": 16}]}, "arms": [TRITON]}
    path = tmp_path / "one.yaml"
    path.write_text(yaml.safe_dump(right | changed), encoding="utf-8")
    with pytest.raises(WrongScenario) as refused:
        read(str(path))
    return str(refused.value).removeprefix(f"{path}:\n  ")


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_can_be_read(name):
    scenario = read(name)
    assert all(scenario.arms_of(one) for one in scenario.inputs)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"at_ones": [1]}, "at_ones: Extra inputs are not permitted", id="a field"),
        pytest.param({"at_once": []}, "the whole: at_once or rates says how hard", id="no load"),
        pytest.param({"at_once": [0]}, "at_once[0]: Input should be greater", id="none at once"),
        pytest.param({"rates": [0]}, "rates[0]: Input should be greater", id="no rate"),
        pytest.param({"rounds": 0}, "rounds: Input should be greater", id="no round"),
        pytest.param({"seconds": 0}, "seconds: Input should be greater", id="no time"),
        pytest.param(
            {"inputs": {"one": [{"tokens": 600}]}},
            "inputs.one[0].tokens: Input should be less than or equal to 512",
            id="too long",
        ),
        pytest.param(
            {"inputs": {"one": [{"tokens": 2}]}},
            "inputs.one[0]: a request has a text of 3 tokens or more",
            id="too short",
        ),
        pytest.param(
            {"inputs": {"one": [{"tokens": 2, "picture": "jpeg 8x8"}]}},
            "inputs.one[0]: a request has a text of 3 tokens or more",
            id="too short beside a picture",
        ),
        pytest.param(
            {"inputs": {"one": [{"tools": 3}]}}, "inputs.one[0]: a request has", id="nothing"
        ),
        pytest.param(
            {"inputs": {"one": [{"picture": "gif 8x8"}]}},
            "inputs.one[0].picture: String should match",
            id="a format of pictures",
        ),
        pytest.param(
            {"inputs": {"one": [{"tokens": 9, "share": 0}]}}, "inputs.one[0].share", id="a share"
        ),
        pytest.param(
            {"arms": [{"name": "a", "kind": "http"}]}, "arms[0]: Input tag 'http'", id="a kind"
        ),
        pytest.param(
            {"arms": [TRITON | {"model": "text_embeding"}]},
            "arms[0].triton.model: Input should be 'text_embedding'",
            id="a model",
        ),
        pytest.param(
            {"arms": [TRITON | {"copies": 0}]}, "arms[0].triton.copies", id="no copy of a model"
        ),
        pytest.param(
            {"arms": [ROUTER | {"policy": "none"}]},
            "arms[0].http_router: no policy is called none; there are: embedding, heuristic",
            id="a policy",
        ),
        pytest.param(
            {"arms": [TRITON | {"inputs": ["short", "long"]}]},
            "the whole: a: no input is called long",
            id="an input of an arm",
        ),
        pytest.param({"arms": [TRITON, TRITON]}, "the whole: two arms have one name", id="a name"),
        pytest.param(
            {"arms": [TRITON | {"floor": True}, ROUTER | {"floor": True}]},
            "the whole: short: two arms are its floor",
            id="two floors",
        ),
        pytest.param(
            {"arms": [TRITON | {"model": "image_signals"}]},
            "the whole: a cannot read all requests of short",
            id="a text for a model of pictures",
        ),
        pytest.param(
            {"inputs": {"mixed": [{"tokens": 16}, {"picture": "jpeg 8x8"}]}},
            "the whole: a cannot read all requests of mixed",
            id="a picture for a model of texts",
        ),
    ],
)
def test_a_wrong_one_is_refused_with_its_place(changed, said, tmp_path):
    assert wrong(tmp_path, **changed).startswith(said)


def test_all_that_is_wrong_is_said_at_once(tmp_path):
    said = wrong(tmp_path, rounds=0, seconds="long", arms=[TRITON | {"model": 3}])
    assert [line.split(":")[0].strip() for line in said.splitlines()] == [
        "rounds",
        "seconds",
        "arms[0].triton.model",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("about: [", "line 1", id="no YAML"),
        pytest.param("- a list", "holds no fields", id="a list"),
        pytest.param("", "holds no fields", id="empty"),
    ],
)
def test_what_is_no_scenario_is_refused(text, said, tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WrongScenario, match=said):
        read(str(path))


def test_a_name_that_nobody_has_is_answered_with_those_that_are():
    with pytest.raises(WrongScenario) as refused:
        read("txt")
    assert str(refused.value).startswith("no scenario is called txt; there are: ")
    assert all(name in str(refused.value) for name in SHIPPED)


def test_fields_can_be_changed_and_are_checked():
    assert read("smoke", rounds=7).rounds == 7
    with pytest.raises(WrongScenario, match="rounds: Input should be greater"):
        read("smoke", rounds=0)


def test_an_arm_that_forwards_takes_every_request():
    scenario = read("pictures")
    (router,) = (arm for arm in scenario.arms if arm.kind == "http_router")
    assert router.path == POLICIES / "pictures.yaml"
    assert router in scenario.arms_of("mixed sizes")
    assert scenario.floor_of("mixed sizes") == "in process"
