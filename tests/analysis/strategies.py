"""Random small policies, with random claims."""

from hypothesis import strategies as st

from orchestrator.analysis.policy import Family, Policy
from orchestrator.claims import AtMost, Implies, Interval, Number, Reads, Some
from orchestrator.config.decisions import Decision

NAMES = ("a", "b", "c", "d", "e")
LEAVES = st.sampled_from(NAMES).map(lambda name: {"type": "keyword", "name": name})
NUMBERS = {"n": Number("n", Interval(0.0, 4.0), whole=True)}
VALUES = {"n": (0, 1, 2, 3, 4)}


def _branch(children):
    several = st.lists(children, min_size=0, max_size=4)
    both = st.builds(
        lambda op, nodes: {"operator": op, "conditions": nodes},
        st.sampled_from(["AND", "OR"]),
        several,
    )
    return both | children.map(lambda node: {"operator": "NOT", "conditions": [node]})


TREES = st.recursive(LEAVES, _branch, max_leaves=8)


def _interval(ends, above, below):
    low, high = sorted(ends)
    return Interval(low, high, above and low < high, below and low < high)


INTERVALS = st.builds(
    _interval, st.tuples(st.integers(-1, 5), st.integers(-1, 5)), st.booleans(), st.booleans()
)
SOME_NAMES = st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)


def _groups(names, apart):
    return tuple((name,) for name in names) if apart else (tuple(names[:2]), tuple(names[2:]))


CLAIMS = st.one_of(
    st.builds(
        lambda names, apart, most: AtMost(_groups(names, apart), "at most", most),
        SOME_NAMES,
        st.booleans(),
        st.integers(1, 2),
    ),
    st.builds(lambda names: Some(tuple(names), "some"), SOME_NAMES),
    st.builds(lambda names: Implies(names[0], names[1], "implies"), SOME_NAMES),
    st.builds(
        lambda name, within, outside, exact: Reads(
            name, NUMBERS["n"], within, tuple(outside), exact
        ),
        st.sampled_from(NAMES),
        INTERVALS,
        st.lists(INTERVALS, max_size=1),
        st.booleans(),
    ),
)


@st.composite
def policies(draw):
    """The policy, and its claims."""
    claims = draw(st.lists(CLAIMS, max_size=4))
    trees = draw(st.lists(TREES, min_size=1, max_size=5))
    decisions = tuple(
        Decision.model_validate(
            {"name": f"d{at}", "priority": draw(st.integers(0, 3)), "rules": tree}
        )
        for at, tree in enumerate(trees)
    )
    family = Family({name: name for name in NAMES}, tuple(claims))
    policy = Policy("r", ("routing",), decisions, families={"keyword": family})
    return policy, claims
