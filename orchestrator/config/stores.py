"""`global.stores` (spec/config.md 1.6). The blocks of database clients stay opaque."""

from __future__ import annotations

from typing import Annotated, Literal

from orchestrator.config.fields import NOT_RUN_IF_ON, Count, Name, Opaque, Strict, Unit


class ResponseCache(Strict):
    enabled: bool = True
    backend_type: Name = "memory"
    max_entries: Count = 1000
    ttl_seconds: Count = 3600
    eviction_policy: Literal["fifo", "lru", "lfu"] = "fifo"
    similarity_threshold: Unit | None = None
    embedding_model: Name | None = None
    redis: Opaque = {}
    valkey: Opaque = {}
    milvus: Opaque = {}
    qdrant: Opaque = {}


class QualityScoring(Strict):
    initial_strength_days: Count | None = None
    prune_threshold: Unit | None = None
    max_memories_per_user: Count | None = None


class Reflection(Strict):
    enabled: bool = False
    algorithm: Name | None = None
    max_inject_tokens: Count | None = None
    recency_decay_days: Count | None = None
    dedup_threshold: Unit | None = None
    block_patterns: tuple[str, ...] = ()


class Memory(Strict):
    enabled: bool = False
    backend: Literal["milvus", "valkey", "qdrant"] = "milvus"
    auto_store: bool = False
    disabled_routes: tuple[str, ...] = ()
    disabled_models: tuple[str, ...] = ()
    embedding_model: Name | None = None
    default_retrieval_limit: Count = 5
    default_similarity_threshold: Unit = 0.7
    extraction_batch_size: Count = 10
    hybrid_search: bool = False
    hybrid_mode: Literal["weighted", "rrf", "rerank"] | None = None
    adaptive_threshold: bool = False
    quality_scoring: QualityScoring = QualityScoring()
    reflection: Reflection = Reflection()
    redis_cache: Opaque = {}
    valkey: Opaque = {}
    milvus: Opaque = {}
    qdrant: Opaque = {}


class VectorStore(Strict):
    enabled: bool = False
    backend_type: Literal["memory", "milvus", "llama_stack", "valkey", "qdrant"] = "memory"
    file_storage_dir: Name = "/var/lib/vsr/data"
    max_file_size_mb: Count = 50
    embedding_model: Name = "bert"
    embedding_dimension: Count | None = None  # None: 384 for bert and multimodal, else 768
    ingestion_workers: Count = 2
    ingestion_drain_timeout_seconds: Count | None = None
    supported_formats: tuple[str, ...] = (".txt", ".md", ".json", ".csv", ".html")
    metadata_store: Literal["memory", "postgres"] = "memory"
    metadata_postgres: Opaque = {}
    memory: Opaque = {}
    milvus: Opaque = {}
    llama_stack: Opaque = {}
    valkey: Opaque = {}
    qdrant: Opaque = {}


class Stores(Strict):
    response_cache: Annotated[ResponseCache, NOT_RUN_IF_ON] = ResponseCache()
    memory: Annotated[Memory, NOT_RUN_IF_ON] = Memory()
    vector_store: Annotated[VectorStore, NOT_RUN_IF_ON] = VectorStore()
