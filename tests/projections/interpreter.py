"""spec/projections.md 4.1 to 4.3 once more, as directly as they can be said, to compare with.

Only for facts in which nothing is unknown.
"""

import math

from orchestrator.types import Facts, Reading


def project(facts, partitions, scores, mappings):
    """Matches and values of `facts` by family, with those of the family `projection`."""
    matches = {family: dict(reading.matches) for family, reading in facts.readings.items()}
    values = {family: dict(reading.values) for family, reading in facts.readings.items()}
    for row in partitions:
        partition(row, matches)
    totals, outputs = {}, {}
    waiting = [("score", row) for row in scores] + [("mapping", row) for row in mappings]
    while waiting:  # in any order that dependencies allow
        kind, row = waiting.pop(0)
        if not ready(row, waiting):
            waiting.append((kind, row))
        elif kind == "score":
            parts = [summand(one, matches, values, totals, outputs) for one in row["inputs"]]
            totals[row["name"]] = sum(parts)
        else:
            outputs |= banded(row, totals[row["source"]])
    return matches, totals, outputs


def ready(row, waiting):
    """Has all that the row reads been computed?"""
    reads = {row.get("source"), *(one["name"] for one in row.get("inputs", ()))}
    later = {other["name"] for kind, other in waiting if kind == "score"}
    later |= {
        output["name"]
        for kind, other in waiting
        if kind == "mapping"
        for output in other["outputs"]
    }
    return not reads & later


def partition(row, matches):
    family = matches.get("embedding")
    if family is None or len(row["members"]) < 2:
        return
    contenders = [name for name in row["members"] if name in family]
    sizes = [1.0 if family[name] is None else family[name] for name in contenders]
    if not contenders:
        family[row["default"]] = None
    if len(contenders) < 2:
        return
    winner = contenders[sizes.index(max(sizes))]
    if row["semantics"] == "softmax_exclusive":
        powers = [math.exp(size / row["temperature"]) for size in sizes]
        family[winner] = powers[contenders.index(winner)] / sum(powers)
    for name in contenders:
        if name != winner:
            del family[name]


def summand(one, matches, values, totals, outputs):
    name, source = one["name"], one.get("value_source") or "binary"
    family = outputs if one["type"] == "projection" else matches.get(one["type"], {})
    if source == "score":
        value = totals[name]
    elif source == "raw":
        known = values.get(one["type"], {})
        value = known.get(name, known.get(name.partition(":")[0], 0.0))
    elif source == "confidence":
        value = (family[name] or 1.0) if name in family else 0.0
    else:
        value = (one.get("match") or 1.0) if name in family else one.get("miss", 0.0)
    return value * one["weight"]


def banded(row, score):
    held = [output for output in row["outputs"] if within(output, score)]
    chosen = held if row.get("method") == "multi_emit" else held[:1]
    slope = row.get("calibration", {}).get("slope") or 12.0
    return {output["name"]: confidence(output, score, slope) for output in chosen}


def within(output, score):
    return (
        score > output.get("gt", -math.inf)
        and score >= output.get("gte", -math.inf)
        and score < output.get("lt", math.inf)
        and score <= output.get("lte", math.inf)
    )


def confidence(output, score, slope):
    bounds = [output[key] for key in ("lt", "lte", "gt", "gte") if key in output]
    return 1 / (1 + math.exp(-slope * min(abs(score - bound) for bound in bounds)))


def world(facts, resolved):
    """The facts if each unknown rule had come out as `resolved` says: (matched, score, value)."""
    readings = {}
    for family, reading in facts.readings.items():
        matches, values = dict(reading.matches), dict(reading.values)
        for name in reading.unknown:
            matched, score, value = resolved[family, name]
            if matched:
                matches[name] = score
            values.setdefault(name, value)
        readings[family] = Reading(matches, values)
    return Facts(readings)
