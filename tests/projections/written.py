"""Rows of projections as they stand in YAML."""


def score(name, *inputs):
    return {"name": name, "method": "weighted_sum", "inputs": list(inputs)}


def keyword(name, **fields):
    return {"type": "keyword", "name": name, "weight": 1.0, **fields}


def from_score(name):
    return {"type": "projection", "name": name, "weight": 1.0, "value_source": "score"}


def from_output(name):
    return {"type": "projection", "name": name, "weight": 1.0, "value_source": "confidence"}


def mapping(name, source, *names):
    return {"name": name, "source": source, "outputs": [{"name": n, "gte": 0.5} for n in names]}


def partition(name="topic", members=("billing", "technical"), **fields):
    row = {"name": name, "semantics": "exclusive", "members": list(members), "default": members[0]}
    return {**row, **fields}
