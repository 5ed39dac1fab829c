"""How sure a span of a token task may be: its words' mean probability into a share of right ones.

Right is a span that touches one of its label: a name without its second half is still a name, and
whoever acts upon a score asks whether there is one.
"""

from __future__ import annotations

from types import ModuleType

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

from build_engines import tasks
from build_engines.signals import served
from build_engines.spec import Text
from build_engines.train.rows import Rows

Floats = npt.NDArray[np.float32]
EDGE = 1e-6


def fitted(
    module: ModuleType, tokenizer: Tokenizer, text: Text, name: str, rows: Rows, tokens: Floats
) -> dict[str, float]:
    """`spans` of labels.json: slope and bias by which the scores fit these texts best (Platt 1999).

    `tokens`: probabilities of every token of `rows`. `module`: `served.code`. Where the texts have
    spans of one kind only, all right or all wrong, nothing can be fitted: the identity.
    """
    labels = tasks.labels(name)
    stops = np.cumsum(rows.lengths)
    windows: list[list[Floats]] = [[] for _ in rows.examples]
    for owner, start, stop in zip(rows.owner, stops - rows.lengths, stops, strict=True):
        windows[owner].append(tokens[start:stop])
    scores, right = [], []
    for example, parts in zip(rows.examples, windows, strict=True):
        found, _ = served.entities(module, tokenizer, example.text, parts, text)
        for start, stop, label, score in found:
            true = [one for one in example.spans if one.label == labels[label]]
            scores.append(score)
            right.append(any(one.start < stop and start < one.stop for one in true))
    if len(set(right)) < 2:
        return {"slope": 1.0, "bias": 0.0}
    return curve(np.array(scores), np.array(right))


def curve(scores: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> dict[str, float]:
    """The logistic curve over the scores' logits with the least loss; there are both kinds."""
    within = torch.from_numpy(np.clip(scores, EDGE, 1 - EDGE))
    logits, wanted = torch.logit(within), torch.from_numpy(right).to(within)
    line = torch.tensor([1.0, 0.0], dtype=within.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([line], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        said = line[0] * logits + line[1]
        value = torch.nn.functional.binary_cross_entropy_with_logits(said, wanted)
        value.backward()
        return value

    optimizer.step(closure)
    slope, bias = line.detach().tolist()
    return {"slope": round(slope, 4), "bias": round(bias, 4)}
