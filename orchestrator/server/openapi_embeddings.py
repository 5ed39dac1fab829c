"""The embedding endpoints, as part of the document of `openapi.py`."""

from __future__ import annotations

from orchestrator.server.embeddings import DIMENSION, NAMES
from orchestrator.server.openapi_parts import (
    COSINE,
    COUNT,
    CUT,
    MANY,
    MS,
    READ,
    SAMPLED,
    SHARE,
    TEXT,
    Schema,
    post,
    record,
)

ENCODER: dict[str, Schema] = dict(
    model={"enum": [*NAMES], "description": "all name the one encoder that there is"},
    dimension={"enum": [0, DIMENSION], "description": "0: the encoder's own"},
    target_layer={"enum": [0], "description": "no layer is left out"},
    quality_priority=SHARE | {"description": "no effect: there is one encoder"},
    latency_priority=SHARE | {"description": "no effect: there is one encoder"},
)
ENCODED: dict[str, Schema] = dict(model_used=TEXT, processing_time_ms=MS)
EMBEDDINGS = (
    "The embedding of each text",
    f"L2-normalised, {DIMENSION} numbers. {SAMPLED} Images are not available in this version.",
)
SIMILARITY = ("How close two texts are in meaning", f"The cosine of their embeddings. {SAMPLED}")
CLOSEST = ("The candidates closest to a query", f"By the cosine of the embeddings. {SAMPLED}")


def paths(security: list[Schema]) -> dict[str, Schema]:
    """`security` is that of the management plane."""
    rows = (
        ("embeddings", "EmbeddingsRequest", "EmbeddingsAnswer", EMBEDDINGS),
        ("similarity", "SimilarityRequest", "SimilarityAnswer", SIMILARITY),
        ("similarity/batch", "ClosestRequest", "ClosestAnswer", CLOSEST),
    )
    return {
        f"/api/v1/{path}": post(text, question, answer, security)
        for path, question, answer, text in rows
    }


def schemas() -> dict[str, Schema]:
    """By name, for components.schemas."""
    vector = record(
        text=TEXT,
        embedding={"type": "array", "items": COSINE},
        dimension=COUNT,
        truncated=CUT,
        **ENCODED,
    )
    match = record("index", "similarity", index=COUNT, text=TEXT, similarity=COSINE)
    closest = COUNT | {"minimum": 0, "description": "0: all of them"}
    return {
        "EmbeddingsRequest": record("texts", texts=MANY, **ENCODER),
        "EmbeddingsAnswer": record(
            "embeddings",
            embeddings={"type": "array", "items": vector},
            total_count=COUNT,
            total_processing_time_ms=MS,
            avg_processing_time_ms=MS,
        ),
        "SimilarityRequest": record("text1", "text2", text1=READ, text2=READ, **ENCODER),
        "SimilarityAnswer": record("similarity", similarity=COSINE, **ENCODED),
        "ClosestRequest": record(
            "query", "candidates", query=READ, candidates=MANY, top_k=closest, **ENCODER
        ),
        "ClosestAnswer": record(
            "matches",
            matches={"type": "array", "items": match, "description": "the closest first"},
            total_candidates=COUNT,
            **ENCODED,
        ),
    }
