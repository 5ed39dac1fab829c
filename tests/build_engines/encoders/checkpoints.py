"""Tiny random encoders of the real classes, as their checkpoints lie on the hub.

Each has the tokenizer of its kind, learnt from a few sentences: ids of special tokens are what they
happen to be.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from build_engines.job import sha256
from build_engines.spec import Spec

CORPUS = """the river rises by two metres every spring and floods the lower town
why does the engine start but the car not move, and what can I do about it?
write a function that sorts a list of names, then explain how fast it is
der Fluss steigt jedes Frühjahr um zwei Meter und überschwemmt die Stadt
la rivière monte de deux mètres au printemps; 春天河水上涨两米 ، يرتفع النهر
SELECT name, price FROM items WHERE price > 10 ORDER BY name;""".split("\n")
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


def byte_level(head: str, tail: str, *, pad: str) -> Tokenizer:
    """BPE over bytes: it has no unknown token."""
    made = Tokenizer(models.BPE())
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = list(dict.fromkeys(one for one in (pad, head, tail) if one))
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet),
    )
    return framed(made, head, tail)


def gemma_like() -> Tokenizer:
    """BPE over characters, spaces written as a letter, what is unknown spelled in bytes."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    made.normalizer = normalizers.Replace(" ", "▁")
    # Only while it learns: no piece of a vocabulary has a space within.
    made.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    made.train_from_iterator(CORPUS[:3], trainers.BpeTrainer(vocab_size=500, special_tokens=pieces))
    # Bytes are pieces of the vocabulary, not special tokens.
    stated = json.loads(made.to_str())
    stated["added_tokens"] = stated["added_tokens"][:4]
    stated["pre_tokenizer"] = {
        "type": "Split",
        "pattern": {"String": " "},
        "behavior": "MergedWithPrevious",
        "invert": False,
    }
    return framed(Tokenizer.from_str(json.dumps(stated)), "<bos>", "<eos>")


def unigram() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.NFKC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    made.train_from_iterator(
        CORPUS[:3],
        trainers.UnigramTrainer(
            vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
        ),
    )
    return framed(made, "<s>", "</s>")


def framed(tokenizer: Tokenizer, head: str, tail: str) -> Tokenizer:
    marks = [one for one in (head, tail) if one]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=" ".join([head, "$A", tail]).strip(),
        special_tokens=[(one, tokenizer.token_to_id(one)) for one in marks],
    )
    tokenizer.enable_truncation(7)  # as published checkpoints have it
    return tokenizer


WINDOW = 80
SIZES = {"hidden_size": 48, "num_attention_heads": 4, "max_position_embeddings": 4096}


def _modernbert(vocabulary: int, **more: object) -> transformers.PretrainedConfig:
    return transformers.ModernBertConfig(
        vocab_size=vocabulary,
        **SIZES,
        num_hidden_layers=4,
        intermediate_size=64,
        local_attention=8,
        global_attn_every_n_layers=3,
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
        num_hidden_layers=3,
        num_key_value_heads=1,
        head_dim=16,
        intermediate_size=64,
        query_pre_attn_scalar=16,
        sliding_window=8,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
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
