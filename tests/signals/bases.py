"""A knowledge base and rules about it."""

import json

from orchestrator.signals.kb import KbRule

BASE = {
    "name": "ours",
    "source": {"path": "ours/"},
    "threshold": 0.9,
    "groups": {"inside": ["code", "plans"], "outside": ["news"]},
    "metrics": [
        {
            "name": "margin",
            "type": "group_margin",
            "positive_group": "inside",
            "negative_group": "outside",
        }
    ],
    "prototype_scoring": {"best_weight": 1.0, "cluster_similarity_threshold": 0.99},
}
LABELS = {"code": ["def"], "plans": ["roadmap", "launch"], "news": ["election"]}


def install(folder, labels):
    folder.mkdir()
    manifest = {"labels": {name: {"exemplars": texts} for name, texts in labels.items()}}
    (folder / "labels.json").write_text(json.dumps(manifest))


def row(name, value, kind="label", match="", kb="ours"):
    target = {"kind": kind, "value": value}
    return KbRule.model_validate({"name": name, "kb": kb, "target": target, "match": match})
