"""The embedding endpoints, as part of the document of `openapi.py`."""

from __future__ import annotations

from orchestrator.server.classify_bodies import MOST_IMAGES
from orchestrator.server.embeddings import DIMENSION, NAMES
from orchestrator.server.mixed_embeddings import NAMES as IMAGE_NAMES
from orchestrator.server.openapi_parts import (
    COSINE,
    COUNT,
    CUT,
    IGNORED,
    MANY,
    MS,
    READ,
    SAMPLED,
    SHARE,
    TEXT,
    Schema,
    closed,
    post,
    record,
)

ENCODER: dict[str, Schema] = dict(
    model={"enum": [*NAMES], "description": "all name the one encoder of texts"},
    dimension={"enum": [0, DIMENSION], "description": "0: the encoder's own"},
    target_layer={"enum": [0], "description": "no layer is left out"},
    quality_priority=SHARE | {"description": "no effect: there is one encoder"},
    latency_priority=SHARE | {"description": "no effect: there is one encoder"},
)
ENCODED: dict[str, Schema] = dict(model_used=TEXT, processing_time_ms=MS)
EMBEDDINGS = (
    "The embedding of each text and picture",
    f"L2-normalised; of texts alone {DIMENSION} numbers. {SAMPLED} With images, all are of the "
    "model that texts and pictures share, texts first. A picture that is not read is 400 "
    "INVALID_IMAGE. Where `familiar` is false, the embedding means nothing.",
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
        text=TEXT | {"description": "absent of a picture"},
        modality={"enum": ["text", "image"], "description": "absent where there are no images"},
        known=SHARE | {"description": "of a picture: how likely its kind is one the model knows"},
        familiar={"type": "boolean", "description": "of a picture: `known` is enough"},
        embedding={"type": "array", "items": COSINE},
        dimension=COUNT,
        truncated=CUT,
        **ENCODED,
    )
    match = record("index", "similarity", index=COUNT, text=TEXT, similarity=COSINE)
    closest = COUNT | {"minimum": 0, "description": "0: all of them"}
    return {
        "EmbeddingsRequest": closed(
            texts=MANY | {"minItems": 0, "description": "none only where there are images"},
            images={
                "type": "array",
                "items": TEXT | {"description": "data:image/png;base64,..., or jpeg, webp, gif"},
                "maxItems": MOST_IMAGES,
            },
            sequence_length=IGNORED,
            **(ENCODER | {"model": {"enum": sorted({*NAMES, *IMAGE_NAMES})}}),
        ),
        "EmbeddingsAnswer": record(
            "embeddings",
            embeddings={"type": "array", "items": vector},
            total_count=COUNT,
            total_processing_time_ms=MS,
            avg_processing_time_ms=MS,
        ),
        "SimilarityRequest": closed("text1", "text2", text1=READ, text2=READ, **ENCODER),
        "SimilarityAnswer": record("similarity", similarity=COSINE, **ENCODED),
        "ClosestRequest": closed(
            "query", "candidates", query=READ, candidates=MANY, top_k=closest, **ENCODER
        ),
        "ClosestAnswer": record(
            "matches",
            matches={"type": "array", "items": match, "description": "the closest first"},
            total_candidates=COUNT,
            **ENCODED,
        ),
    }
