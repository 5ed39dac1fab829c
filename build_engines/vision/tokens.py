"""The tokenizer of a text tower as the served code needs it: cut and padded to one length.

What the checkpoint's own processor does in Python is written into `tokenizer.json`: lower case, and
of SigLIP 1 the punctuation that its training left out (`canonicalize_text` of its tokenizer).
"""

from __future__ import annotations

import string
from pathlib import Path

import transformers
from tokenizers import Regex, Tokenizer, normalizers

from build_engines.vision.spec import Text


def reference_ids(folder: Path, text: Text, texts: list[str]) -> list[list[int]]:
    """What the checkpoint's own tokenizer makes of each, by the class that its config names."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    found: list[list[int]] = []
    for one in texts:
        shown = one[: text.max_characters]
        ids = tokenizer(
            shown.lower() if text.lower else shown,
            padding="max_length",
            truncation=True,
            max_length=text.length,
        )["input_ids"]
        found.append(list(ids))
    return found


def served(folder: Path, text: Text) -> str:
    """`tokenizer.json` that gives `length` ids of any text."""
    reference = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    steps: list[normalizers.Normalizer] = []
    if text.lower:
        steps.append(normalizers.Lowercase())
    if not text.punctuation:
        steps.append(normalizers.Replace(Regex(f"[{_escaped(string.punctuation)}]"), ""))
        steps.append(normalizers.Replace(Regex(r"\s+"), " "))
        steps.append(normalizers.Strip())
    if steps:
        own = [tokenizer.normalizer] if tokenizer.normalizer is not None else []
        tokenizer.normalizer = normalizers.Sequence(steps + own)
    tokenizer.enable_truncation(text.length)
    tokenizer.enable_padding(
        length=text.length,
        direction=reference.padding_side,
        pad_id=reference.pad_token_id,
        pad_token=reference.pad_token,
    )
    return str(tokenizer.to_str()) + "\n"


def _escaped(characters: str) -> str:
    return "".join(f"\\{one}" for one in characters)
