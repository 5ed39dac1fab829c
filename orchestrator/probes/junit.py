"""The results as JUnit XML, which CI servers read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

from orchestrator.probes.runner import Result

# XML 1.0 has no place for these, not even escaped.
_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(name: str, results: Sequence[Result]) -> bytes:
    """One suite a decision, one case a variant. What waits for a signal is `skipped`."""
    root = ElementTree.Element("testsuites", {"name": _clean(name), **_totals(results)})
    for decision in dict.fromkeys(result.probe.decision.id for result in results):
        own = [result for result in results if result.probe.decision.id == decision]
        attributes = {"name": _clean(decision), **_totals(own)}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for result in own:
            suite.append(_case(result))
    ElementTree.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n%s\n' % ElementTree.tostring(root)


def _totals(results: Sequence[Result]) -> dict[str, str]:
    statuses = [result.status for result in results]
    return {
        "tests": str(len(results)),
        "failures": str(statuses.count("fail")),
        "skipped": str(statuses.count("needs learned signals")),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }


def _case(result: Result) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=_clean(result.probe.decision.id),
        name=_clean(result.probe.variant.id),
        time=f"{result.seconds:.3f}",
    )
    if result.status == "pass":
        return case
    findings = result.comparison.findings if result.comparison else ()
    lines = [f"{f.check}: expected {f.expected}, found {f.actual}" for f in findings]
    lines += [str(signal) for signal in result.signals] + list(result.scores)
    if result.status == "fail":
        failed = ", ".join(f.check for f in findings)
        failure = ElementTree.SubElement(case, "failure", message=_clean(failed or result.error))
        failure.text = _clean("\n".join(lines) or result.error)
    else:
        message = f"{result.status}: {', '.join(result.needs)}"
        skipped = ElementTree.SubElement(case, "skipped", message=_clean(message))
        skipped.text = _clean("\n".join(lines))
    return case


def _clean(text: str) -> str:
    return _UNPRINTABLE.sub("\ufffd", text)
