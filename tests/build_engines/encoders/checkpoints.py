"""Tiny random encoders of the real classes, as their checkpoints lie on the hub."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer

from build_engines.job import sha256
from build_engines.spec import Spec
from tests.build_engines.encoders.vocabularies import byte_level, gemma_like, unigram

QUERY = "task: sentence similarity | query: "
INSTRUCTION = "Instruct: Given a web search query, retrieve relevant passages\nQuery:"


@dataclass(frozen=True)
class Kind:
    """One architecture. `modules` are those of sentence-transformers after the encoder."""

    config: Callable[[int], transformers.PretrainedConfig]  # of the size of the vocabulary
    tokenizer: Callable[[], Tokenizer]
    tokenizer_class: str
    pooling: str
    special: dict[str, str]
    dense: tuple[tuple[int, int], ...] = ()  # features in, out
    prompts: dict[str, str] = field(default_factory=dict)
    spec: dict = field(default_factory=dict)


WINDOW = 80
SIZES = {"hidden_size": 48, "num_attention_heads": 4, "max_position_embeddings": 4096}


def _modernbert(vocabulary: int, **more: object) -> transformers.PretrainedConfig:
    return transformers.ModernBertConfig(
        vocab_size=vocabulary,
        **SIZES,
        num_hidden_layers=2,
        intermediate_size=64,
        local_attention=8,
        global_attn_every_n_layers=2,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        cls_token_id=1,
        sep_token_id=2,
        **more,
    )


def _mmbert(vocabulary: int) -> transformers.PretrainedConfig:
    yarn = {
        "rope_type": "yarn",
        "factor": 4.0,
        "original_max_position_embeddings": 1024,
        "rope_theta": 160000.0,
    }
    rope = {"full_attention": yarn, "sliding_attention": {"rope_type": "default"}}
    return _modernbert(vocabulary, rope_parameters=rope)


def _gemma(vocabulary: int) -> transformers.PretrainedConfig:
    return transformers.Gemma3TextConfig(
        vocab_size=vocabulary,
        **SIZES,
        num_hidden_layers=2,
        num_key_value_heads=1,
        head_dim=16,
        intermediate_size=64,
        query_pre_attn_scalar=16,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention"],
        use_bidirectional_attention=True,
    )


def _qwen3(vocabulary: int) -> transformers.PretrainedConfig:
    return transformers.Qwen3Config(
        vocab_size=vocabulary,
        **SIZES,
        num_hidden_layers=2,
        num_key_value_heads=2,
        head_dim=16,
        intermediate_size=64,
        pad_token_id=0,
        eos_token_id=0,
        bos_token_id=None,
    )


def _xlm_roberta(vocabulary: int) -> transformers.PretrainedConfig:
    return transformers.XLMRobertaConfig(
        vocab_size=vocabulary,
        hidden_size=48,
        num_attention_heads=4,
        num_hidden_layers=2,
        intermediate_size=64,
        max_position_embeddings=WINDOW + 2,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )


KINDS = {
    "modernbert": Kind(
        config=_modernbert,
        tokenizer=lambda: byte_level("[CLS]", "[SEP]", pad="[PAD]"),
        tokenizer_class="PreTrainedTokenizerFast",
        pooling="cls",
        special={"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"},
    ),
    "mmbert": Kind(
        config=_mmbert,
        tokenizer=gemma_like,
        tokenizer_class="GemmaTokenizer",
        pooling="mean",
        special={"pad_token": "<pad>", "bos_token": "<bos>", "eos_token": "<eos>"},
        spec={"dimensions": (8, 16, 32)},
    ),
    "gemma": Kind(
        config=_gemma,
        tokenizer=gemma_like,
        tokenizer_class="GemmaTokenizer",
        pooling="mean",
        special={"pad_token": "<pad>", "bos_token": "<bos>", "eos_token": "<eos>"},
        dense=((48, 96), (96, 48)),
        prompts={"query": "task: search result | query: ", "STS": QUERY},
        spec={
            "prefix": QUERY,
            "prompt": "STS",
            "dense": ("2_Dense", "3_Dense"),
            "dimensions": (12, 24),
        },
    ),
    "qwen3": Kind(
        config=_qwen3,
        tokenizer=lambda: byte_level("", "<|endoftext|>", pad="<|endoftext|>"),
        tokenizer_class="Qwen2Tokenizer",
        pooling="lasttoken",
        special={"pad_token": "<|endoftext|>", "eos_token": "<|endoftext|>"},
        prompts={"query": INSTRUCTION, "document": ""},
        spec={"prefix": INSTRUCTION, "prompt": "query", "pooling": "last"},
    ),
    "xlm_roberta": Kind(
        config=_xlm_roberta,
        tokenizer=unigram,
        tokenizer_class="XLMRobertaTokenizer",
        pooling="mean",
        special={
            "pad_token": "<pad>",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
        },
    ),
}


def write(name: str, folder: Path, seed: int = 3) -> Path:
    """What `SentenceTransformer.save` leaves, one file after another."""
    kind = KINDS[name]
    torch.set_num_threads(1)  # so small a network only waits for more
    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = kind.tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    put(folder, "tokenizer_config.json", kind.special | {"tokenizer_class": kind.tokenizer_class})
    model = transformers.AutoModel.from_config(kind.config(tokenizer.get_vocab_size()))
    for parameter_name, parameter in model.named_parameters():
        # Gemma's norms are 1 + their weight. Fresh biases are all 0, and prove nothing.
        one = "norm" in parameter_name.lower() and parameter_name.endswith("weight")
        torch.nn.init.normal_(parameter, float(one and name != "gemma"), std=0.3)
    model.save_pretrained(folder)
    parts = ["Transformer", "Pooling", *("Dense" for _ in kind.dense), "Normalize"]
    paths = ["", *(f"{at}_{part}" for at, part in enumerate(parts) if at)]
    put(
        folder,
        "modules.json",
        [
            {
                "idx": at,
                "name": str(at),
                "path": path,
                "type": f"sentence_transformers.models.{part}",
            }
            for at, (part, path) in enumerate(zip(parts, paths, strict=True))
        ],
    )
    modes = {"mean": "mean_tokens", "cls": "cls_token", "lasttoken": "lasttoken"}
    flags = {f"pooling_mode_{one}": one == modes[kind.pooling] for one in modes.values()}
    put(folder / "1_Pooling", "config.json", {"word_embedding_dimension": 48} | flags)
    for path, (into, out) in zip(paths[2:], kind.dense, strict=False):
        stated = {"in_features": into, "out_features": out, "bias": False}
        stated["activation_function"] = "torch.nn.modules.linear.Identity"
        put(folder / path, "config.json", stated)
        save_file(
            {"linear.weight": torch.randn(out, into) * 0.2}, folder / path / "model.safetensors"
        )
    put(folder, "sentence_bert_config.json", {"max_seq_length": WINDOW, "do_lower_case": False})
    put(folder, "config_sentence_transformers.json", {"prompts": kind.prompts})
    return folder


def put(folder: Path, name: str, content: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def spec_of(name: str, folder: Path, **changes: object) -> Spec:
    """What models/tiny_<name>.toml would say."""
    files = ("config.json", "model.safetensors", "tokenizer.json", "modules.json")
    stated: dict[str, object] = {
        "name": f"tiny_{name}",
        "task": "embedding",
        "summary": f"A tiny random {name}",
        "licence": "none",
        "dimension": 48,
        "pooling": KINDS[name].pooling,
        "sources": [{"kind": "folder", "path": str(folder)}],
        "files": {file: sha256(folder / file) for file in files},
        "text": {
            "window": WINDOW,
            "overlap": 4,
            "max_windows": 3,
            "max_characters": 1000,
            "max_bytes": 40_000,
        },
        "onnx": {"opset": 20, "storage": "float32"},
        "tolerance": {"cosine": 0.9999, "export": 0.99999},
        "serving": {
            "max_batch_size": 8,
            "instances": 1,
            "threads": 1,
            "padding": 0.3,
            "max_tokens": 240,
        },
    }
    return Spec.model_validate(stated | KINDS[name].spec | changes)
