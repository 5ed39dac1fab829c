"""Tokenizers of the kinds that encoders have, learnt from a few sentences: ids of special tokens
are what they happen to be.
"""

from __future__ import annotations

import json

from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

CORPUS = """the river rises by two metres every spring and floods the lower town
why does the engine start but the car not move, and what can I do about it?
write a function that sorts a list of names, then explain how fast it is
der Fluss steigt jedes Frühjahr um zwei Meter und überschwemmt die Stadt
la rivière monte de deux mètres au printemps; 春天河水上涨两米 ، يرتفع النهر
SELECT name, price FROM items WHERE price > 10 ORDER BY name;""".split("\n")


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
