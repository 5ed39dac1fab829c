import pytest

from orchestrator.config.environment import expand

ENVIRON = {"KEY": "value", "EMPTY": "", "lower": "set"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("no dollar", "no dollar", id="nothing to do"),
        pytest.param("a$", "a$", id="dollar at the end"),
        pytest.param("$5 and $-", "$5 and $-", id="a name starts with a letter"),
        pytest.param("${KEY", "${KEY", id="unterminated"),
        pytest.param("${}", "${}", id="no name"),
        pytest.param("${a.b}", "${a.b}", id="not a name"),
        pytest.param("<${KEY}>", "<value>", id="braced"),
        pytest.param("<$KEY>", "<value>", id="bare"),
        pytest.param("${KEY:-other}", "value", id="default not needed"),
        pytest.param("${NONE:-other}", "other", id="default for unset"),
        pytest.param("${EMPTY:-other}", "other", id=":- default for empty"),
        pytest.param("${EMPTY-other}", "", id="- keeps empty"),
        pytest.param("${NONE-other}", "other", id="- default for unset"),
        pytest.param("${NONE:-}", "", id="empty default"),
        pytest.param("$$KEY ${KEY}", "$KEY value", id="escaped"),
        pytest.param("$${KEY}", "${KEY}", id="escaped brace"),
        pytest.param("${lower}", "set", id="lower case name"),
    ],
)
def test_settings(text, expected):
    expansion = expand(text, ENVIRON)

    assert (expansion.text, expansion.unset) == (expected, ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(r"^cost\$KEY$", r"^cost\$KEY$", id="bare name in a pattern"),
        pytest.param("US$$ 5", "US$$ 5", id="two dollars"),
        pytest.param("${user_content}", "${user_content}", id="placeholder of a template"),
        pytest.param("${lower}", "${lower}", id="placeholder, though such a variable is set"),
        pytest.param("${KEY}", "value", id="braced"),
        pytest.param("${lower:-x}", "set", id="a default makes it a variable"),
        pytest.param("$${KEY}", "${KEY}", id="escaped"),
    ],
)
def test_routing_keeps_its_dollar_signs(text, expected):
    expansion = expand(text, ENVIRON, routing=True)

    assert (expansion.text, expansion.unset) == (expected, ())


@pytest.mark.parametrize(
    ("text", "routing", "unset"),
    [
        pytest.param("$ONE ${TWO} ${THREE:-x}", False, ("ONE", "TWO"), id="settings"),
        pytest.param("$ONE ${TWO} ${three}", True, ("TWO",), id="routing"),
    ],
)
def test_unset_variables_are_named(text, routing, unset):
    assert expand(text, ENVIRON, routing=routing).unset == unset
