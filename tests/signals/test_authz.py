import pytest
from pydantic import ValidationError

from orchestrator.errors import Forbidden
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.authz import Authz, AuthzRule
from orchestrator.types import Identity, Request

ROWS = [
    {"name": "team", "role": "admin", "subjects": [{"kind": "Group", "name": "platform"}]},
    {
        "name": "owners",
        "role": "admin",
        "subjects": [{"kind": "User", "name": "ada"}, {"kind": "User", "name": "bob"}],
    },
    {"name": "premium", "role": "premium", "subjects": [{"kind": "Group", "name": "paid"}]},
]


def matches(identity, rows=ROWS, **settings):
    rules = [AuthzRule.model_validate(row) for row in rows]
    signal = Authz(rules, Surroundings(FakeInference(), {"authz": settings} if settings else {}))
    return dict(signal.evaluate(Request("auto", "", identity=identity)).matches)


@pytest.mark.parametrize(
    "identity",
    [
        pytest.param(Identity(), id="nobody"),
        pytest.param(Identity(""), id="empty"),
        pytest.param(Identity(None, ("platform",)), id="groups alone name nobody"),
    ],
)
def test_a_request_without_user_is_refused(identity):
    with pytest.raises(Forbidden, match="names no user"):
        matches(identity)


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        pytest.param(Identity("eve"), [], id="no role"),
        pytest.param(Identity("platform"), [], id="a user is not a group"),
        pytest.param(Identity("eve", ("ada",)), [], id="a group is not a user"),
        pytest.param(Identity("Ada"), [], id="case"),
        pytest.param(Identity("ada"), ["admin", "owners"], id="user"),
        pytest.param(Identity("eve", ("x", "platform")), ["admin", "team"], id="group"),
        pytest.param(
            Identity("bob", ("platform", "paid")),
            ["admin", "owners", "premium", "team"],
            id="several",
        ),
    ],
)
def test_roles_and_bindings(identity, expected):
    result = matches(identity)

    assert sorted(result) == expected
    assert set(result.values()) <= {None}


def test_fail_open_gives_no_roles_to_nobody():
    assert matches(Identity(), fail_open=True) == {}
    assert matches(Identity(None, ("paid",)), fail_open=True) == {"premium": None}


def test_a_role_goes_before_a_binding_of_the_same_name():
    rows = [
        {"name": "admin", "role": "guest", "subjects": [{"kind": "User", "name": "eve"}]},
        {"name": "real", "role": "admin", "subjects": [{"kind": "User", "name": "ada"}]},
    ]

    assert matches(Identity("eve"), rows) == {"guest": None}
    assert sorted(matches(Identity("ada"), rows)) == ["admin", "real"]
    # Whoever reads "admin" must not take it for the binding behind "guest".
    assert Authz.leaves([AuthzRule.model_validate(row) for row in rows]) == {
        "guest": "guest",
        "admin": "real",
        "real": "real",
    }


def test_decisions_may_name_roles_and_bindings():
    rules = [AuthzRule.model_validate(row) for row in ROWS]

    assert Authz.leaves(rules) == {
        "admin": "team",
        "owners": "owners",
        "premium": "premium",
        "team": "team",
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param({"role": ""}, "role\n", id="empty role"),
        pytest.param({"subjects": []}, "subjects\n", id="no subjects"),
        pytest.param({"subjects": [{"kind": "Robot", "name": "x"}]}, "kind\n", id="kind"),
        pytest.param(
            {"subjects": [{"kind": "User", "name": " "}]}, "subjects.0.name\n", id="blank"
        ),
    ],
)
def test_rule_is_refused(row, message):
    with pytest.raises(ValidationError, match=message):
        AuthzRule.model_validate(ROWS[0] | row)
