"""Files and folders of a policy, and how all problems of one are told."""

import pytest

from orchestrator.config.load import (
    internal_listener,
    load,
)
from orchestrator.errors import ConfigError
from tests.config.documents import MINIMAL, loaded, places, problems


def test_all_problems_at_once_in_file_order():
    found = problems(
        """\
        listeners:
          - port: many
        providers:
          default_model: small
        routing:
          strategy: best
          decisions:
            - name: a
              rules:
                operator: AND
                conditions:
                  - {type: t}
                  - {type: t, name: n, predicate: {}}
              modelRefs: [{modell: m}]
        global:
          stores: {semantic_cache: {enabled: false}, response_cache: {enabled: false}}
          router: {auto_model_name: "${NAME}"}
        """
    )

    assert places(found) == [
        ("listeners[0].port", 2),
        ("providers.default_model", 4),
        ("routing.strategy", 6),
        ("routing.decisions[0].rules.conditions[0]", 12),
        ("routing.decisions[0].rules.conditions[1].predicate", 13),
        ("routing.decisions[0].modelRefs[0]", 14),
        ("routing.decisions[0].modelRefs[0].modell", 14),
        ("global.stores.semantic_cache", 16),
        ("global.router.auto_model_name", 17),
    ]


def test_message_of_the_error_lists_every_problem():
    with pytest.raises(ConfigError) as caught:
        loaded("routing: {decisions: [{priority: x}]}\n")

    assert str(caught.value).splitlines() == [
        "router.yaml cannot be used: 2 errors",
        "router.yaml:1: routing.decisions[0]: the key 'name' is missing",
        "router.yaml:1: routing.decisions[0].priority: expected an integer, found 'x'",
    ]


class TestFiles:
    def test_a_file(self, tmp_path):
        path = tmp_path / "router.yaml"
        path.write_bytes(b"\xef\xbb\xbf" + MINIMAL.encode())  # a byte order mark does not matter

        result = load(path, {})

        assert result.config.providers.defaults.default_model == "small"
        assert result.source.name == str(path)

    def test_no_file(self, tmp_path):
        with pytest.raises(ConfigError, match=r"cannot read .*gone\.yaml: No such file"):
            load(tmp_path / "gone.yaml", {})

    def test_a_folder(self, tmp_path):
        with pytest.raises(ConfigError, match="Is a directory"):
            load(tmp_path, {})

    def test_not_utf8(self, tmp_path):
        path = tmp_path / "router.yaml"
        path.write_bytes(b"routing:\n  a: \xff\n")

        with pytest.raises(ConfigError) as caught:
            load(path, {})

        assert places(caught.value.problems) == [("(document)", 2)]


@pytest.mark.parametrize(
    ("environ", "expected"),
    [({}, False), ({"VLLM_SR_MANAGEMENT_INTERNAL_LISTENER": "true"}, True)],
    ids=["unset", "set"],
)
def test_internal_listener(environ, expected):
    assert internal_listener(environ) is expected


@pytest.mark.parametrize(
    ("environ", "folders"),
    [
        pytest.param({}, ["{0}", "{0}/.vllm-sr", "/app/config"], id="the folder of the file"),
        pytest.param(
            {"VLLM_SR_CONFIG_BASE_DIR": "/base"},
            ["/base", "/base/.vllm-sr", "/app/config"],
            id="another base",
        ),
        pytest.param(
            {"VLLM_SR_CONFIG_ASSET_ROOT": "/assets"},
            ["{0}", "{0}/.vllm-sr", "/assets", "/app/config"],
            id="shared files",
        ),
    ],
)
def test_folders_of_what_a_policy_names(tmp_path, environ, folders):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "router.yaml").write_text(MINIMAL)
    (tmp_path / "link.yaml").symlink_to(tmp_path / "real" / "router.yaml")

    found = load(tmp_path / "link.yaml", environ).config.folders

    assert [str(folder) for folder in found] == [
        folder.format((tmp_path / "real").resolve()) for folder in folders
    ]


def test_a_text_that_is_no_file_has_no_folder():
    assert loaded(MINIMAL).config.folders == ()
