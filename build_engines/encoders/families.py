"""The architectures that are exported: who sees whom, and how many places a network has.

A family is known by `model_type` of the checkpoint's config.json. One that is not listed is
refused: what a network makes of a mask cannot be guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from transformers import PretrainedConfig

from build_engines.errors import WeightsError

FULL, SLIDING = "full_attention", "sliding_attention"
# Whose rotations do not depend on how long a text is: tokens lie end to end, and have no length.
ROTATIONS = ("default", "linear", "llama3", "yarn")


@dataclass(frozen=True, slots=True)
class Sight:
    """Which keys a token sees: of its row, all or those at most `reach` places away, and none after
    itself where it is `causal`."""

    causal: bool = False
    reach: int | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """One encoder. `sights`: of each type of layer; without types there is one for all."""

    sights: Mapping[str, Sight]
    places: int  # tokens that the network can tell apart
    first_place: int = 0  # position of a row's first token
    token_types: bool = False  # has a table of them, and all texts are of the first
    typed: bool = True  # takes a mask for each type of layer


def family_of(config: PretrainedConfig) -> Family:
    """Raises WeightsError where the architecture is not one of those that are proved."""
    kind = str(config.model_type)
    known = {
        "bert": _bert,
        "xlm-roberta": _xlm_roberta,
        "modernbert": _modernbert,
        "gemma3_text": _gemma3,
        "qwen3": _qwen3,
    }
    if kind not in known:
        raise WeightsError(f"no exporter of {kind!r}; there are: {', '.join(known)}")
    _steady(config)
    return known[kind](config)


def _bert(config: PretrainedConfig) -> Family:
    if config.is_decoder:
        raise WeightsError("a BERT that is a decoder is no encoder")
    places = int(config.max_position_embeddings)
    return Family({FULL: Sight()}, places, token_types=True, typed=False)


def _xlm_roberta(config: PretrainedConfig) -> Family:
    """Positions begin after that of padding."""
    if config.is_decoder:
        raise WeightsError("an XLM-RoBERTa that is a decoder is no encoder")
    first = int(config.pad_token_id) + 1
    places = int(config.max_position_embeddings) - first
    return Family({FULL: Sight()}, places, first, token_types=True, typed=False)


def _modernbert(config: PretrainedConfig) -> Family:
    """Every third layer sees all; between them a token sees `local_attention` / 2 to each side."""
    local = Sight(reach=int(config.local_attention) // 2)
    return Family({FULL: Sight(), SLIDING: local}, int(config.max_position_embeddings))


def _gemma3(config: PretrainedConfig) -> Family:
    """EmbeddingGemma sees to both sides. Its window does not include its ends."""
    if config.attn_logit_softcapping is not None:
        raise WeightsError("attn_logit_softcapping is not exported")
    causal = not config.use_bidirectional_attention
    local = Sight(causal, int(config.sliding_window) - 1)
    return Family({FULL: Sight(causal), SLIDING: local}, int(config.max_position_embeddings))


def _qwen3(config: PretrainedConfig) -> Family:
    sights = {FULL: Sight(causal=True)}
    if SLIDING in config.layer_types:
        sights[SLIDING] = Sight(causal=True, reach=int(config.sliding_window) - 1)
    return Family(sights, int(config.max_position_embeddings))


def _steady(config: PretrainedConfig) -> None:
    """Raises WeightsError where the rotation of a token depends on the length of its text."""
    stated = getattr(config, "rope_parameters", None) or {}
    parts = [one for one in stated.values() if isinstance(one, dict)] or [stated]
    for part in parts:
        kind = part.get("rope_type", "default")
        if kind not in ROTATIONS:
            raise WeightsError(f"rotary positions of type {kind!r} depend on a text's length")
