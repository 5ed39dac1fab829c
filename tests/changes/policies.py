"""Small policies to compare, and a way to edit one."""

from orchestrator.app.policies import Compiled, compile_policies
from orchestrator.changes.structure import Structure, structure
from orchestrator.config.load import examine

POLICY = """\
version: v0.3
providers:
  defaults: {default_model: small}
  models:
    - name: small
      backend_refs: [{endpoint: "127.0.0.1:1"}]
      pricing: {prompt_per_1m: 1, completion_per_1m: 2}
    - name: big
      provider_model_id: org/big
      backend_refs: [{endpoint: "127.0.0.1:1", api_key: sk-first}]
      pricing: {prompt_per_1m: 10, completion_per_1m: 20}
routing:
  modelCards: [{name: small}, {name: big}]
  signals:
    keywords:
      - {name: code, operator: OR, keywords: [python, golang]}
      - {name: urgent, operator: OR, keywords: [now]}
    context:
      - {name: long, min_tokens: 1K}
    embeddings:
      - {name: support, threshold: 0.5, candidates: [I cannot log in]}
  projections:
    scores:
      - name: hurry
        method: weighted_sum
        inputs: [{type: keyword, name: urgent, weight: 1.0}]
    mappings:
      - name: bands
        source: hurry
        method: threshold_bands
        outputs: [{name: fast, gte: 0.5}]
  decisions:
    - name: programming
      priority: 200
      rules:
        operator: AND
        conditions:
          - {type: keyword, name: code}
          - {operator: NOT, conditions: [{type: context, name: long}]}
      modelRefs: [{model: big, use_reasoning: true, reasoning_effort: high}]
    - name: hasty
      priority: 100
      rules: {type: projection, name: fast}
      modelRefs: [{model: small}]
"""


def compiled(text: str = POLICY) -> Compiled:
    return compile_policies(examine(text))


def edited(*edits: tuple[str, str], text: str = POLICY) -> Compiled:
    """The policy with each text, which must be in it, replaced everywhere."""
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return compiled(text)


def between(*edits: tuple[str, str], text: str = POLICY) -> Structure:
    """What such edits of the policy change."""
    return structure(compiled(text), edited(*edits, text=text))


def told(found: Structure) -> list[str]:
    """Each change in one line."""
    return [
        " ".join(
            filter(
                None,
                (
                    change.kind,
                    change.what,
                    change.name,
                    f"(was {change.was})" if change.was else "",
                    "; ".join(map(str, change.fields)),
                    f"-> {', '.join(change.touches)}" if change.touches else "",
                    f"[{change.note}]" if change.note else "",
                ),
            )
        )
        for change in found.changes
    ]
