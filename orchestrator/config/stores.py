"""`global.stores` (spec/config.md 1.6). The blocks of database clients stay opaque."""

from __future__ import annotations

from typing import Annotated, Literal

from orchestrator.config.fields import NOT_RUN_IF_ON, Count, Name, Opaque, Strict, Unit


class ResponseCache(Strict):
    enabled: bool = True
    """Answers again what was answered before."""
    backend_type: Name = "memory"
    """Where."""
    max_entries: Count = 1000
    """How many."""
    ttl_seconds: Count = 3600
    """For how long."""
    eviction_policy: Literal["fifo", "lru", "lfu"] = "fifo"
    """Which one goes first."""
    similarity_threshold: Unit | None = None
    """From which on two requests are the same."""
    embedding_model: Name | None = None
    """That compares them."""
    redis: Opaque = {}
    """Its server."""
    valkey: Opaque = {}
    """Its server."""
    milvus: Opaque = {}
    """Its server."""
    qdrant: Opaque = {}
    """Its server."""


class QualityScoring(Strict):
    initial_strength_days: Count | None = None
    """How long a memory lasts at first."""
    prune_threshold: Unit | None = None
    """Below which it goes."""
    max_memories_per_user: Count | None = None
    """How many."""


class Reflection(Strict):
    enabled: bool = False
    """Sums up what is recalled."""
    algorithm: Name | None = None
    """How."""
    max_inject_tokens: Count | None = None
    """Of it."""
    recency_decay_days: Count | None = None
    """After which a memory counts half."""
    dedup_threshold: Unit | None = None
    """From which on two are the same."""
    block_patterns: tuple[str, ...] = ()
    """What is never recalled."""


class Memory(Strict):
    enabled: bool = False
    """Remembers what users say."""
    backend: Literal["milvus", "valkey", "qdrant"] = "milvus"
    """Where."""
    auto_store: bool = False
    """Stores without being asked."""
    disabled_routes: tuple[str, ...] = ()
    """Decisions that do without."""
    disabled_models: tuple[str, ...] = ()
    """Models that do without."""
    embedding_model: Name | None = None
    """That compares memories."""
    default_retrieval_limit: Count = 5
    """How many are recalled."""
    default_similarity_threshold: Unit = 0.7
    """From which on one is recalled."""
    extraction_batch_size: Count = 10
    """Turns read at a time."""
    hybrid_search: bool = False
    """By words as well."""
    hybrid_mode: Literal["weighted", "rrf", "rerank"] | None = None
    """How both are joined."""
    adaptive_threshold: bool = False
    """Follows the scores."""
    quality_scoring: QualityScoring = QualityScoring()
    """How memories fade."""
    reflection: Reflection = Reflection()
    """What is made of those recalled."""
    redis_cache: Opaque = {}
    """In front of the store."""
    valkey: Opaque = {}
    """Its server."""
    milvus: Opaque = {}
    """Its server."""
    qdrant: Opaque = {}
    """Its server."""


class VectorStore(Strict):
    enabled: bool = False
    """Keeps files to search in."""
    backend_type: Literal["memory", "milvus", "llama_stack", "valkey", "qdrant"] = "memory"
    """Where."""
    file_storage_dir: Name = "/var/lib/vsr/data"
    """Of the files themselves."""
    max_file_size_mb: Count = 50
    """Of one file."""
    embedding_model: Name = "bert"
    """That compares passages."""
    embedding_dimension: Count | None = None
    """Not given: 384 for bert and multimodal, else 768."""
    ingestion_workers: Count = 2
    """Files read at a time."""
    ingestion_drain_timeout_seconds: Count | None = None
    """At a stop."""
    supported_formats: tuple[str, ...] = (".txt", ".md", ".json", ".csv", ".html")
    """Of files."""
    metadata_store: Literal["memory", "postgres"] = "memory"
    """Where the list of files is kept."""
    metadata_postgres: Opaque = {}
    """Its server."""
    memory: Opaque = {}
    """In the process."""
    milvus: Opaque = {}
    """Its server."""
    llama_stack: Opaque = {}
    """Its server."""
    valkey: Opaque = {}
    """Its server."""
    qdrant: Opaque = {}
    """Its server."""


class Stores(Strict):
    response_cache: Annotated[ResponseCache, NOT_RUN_IF_ON] = ResponseCache()
    """Answers."""
    memory: Annotated[Memory, NOT_RUN_IF_ON] = Memory()
    """What users said."""
    vector_store: Annotated[VectorStore, NOT_RUN_IF_ON] = VectorStore()
    """Files."""
