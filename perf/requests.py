"""The requests of a mix: texts of exact lengths, pictures, tools."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from perf.embedding_load import prose_of_length
from perf.picture_files import photograph, screenshot
from perf.scenario import Request


@dataclass(frozen=True, slots=True)
class Item:
    """One request, for whoever answers it."""

    text: str = ""
    picture: bytes | None = None
    form: str = ""  # of the picture: jpeg, png, webp
    tools: int = 0
    stream: bool = False

    def chat(self) -> dict[str, Any]:
        """As an OpenAI client would send it."""
        content: str | list[dict[str, Any]] = self.text
        if self.picture is not None:
            url = f"data:image/{self.form};base64,{b64encode(self.picture).decode()}"
            content = [{"type": "image_url", "image_url": {"url": url}}]
            if self.text:
                content.insert(0, {"type": "text", "text": self.text})
        body: dict[str, Any] = {
            "model": "auto",
            "stream": self.stream,
            "messages": [{"role": "user", "content": content}],
        }
        if self.tools:
            body["tools"] = [_tool(number) for number in range(self.tools)]
        return body


def items(mix: Sequence[Request], count: int, seed: int) -> list[Item]:
    """`count` requests by their shares, shuffled. No two texts are the same, and no two pictures to
    who compares their bytes, as the router does with what is on its way.
    """
    total = sum(kind.share for kind in mix)
    found = []
    for number, kind in enumerate(mix):
        some = max(1, round(count * kind.share / total))
        texts = prose_of_length(kind.tokens, some, seed * 100 + number) if kind.tokens else None
        picture = _picture(kind.picture) if kind.picture else None
        form = kind.picture.split()[0] if kind.picture else ""
        found += [
            Item(texts[at] if texts else "", _own(picture, at), form, kind.tools, kind.stream)
            for at in range(some)
        ]
    return [found[at] for at in np.random.default_rng(seed).permutation(len(found))]


def _own(picture: bytes | None, number: int) -> bytes | None:
    """Behind the end of a picture, where no decoder looks."""
    return None if picture is None else picture + number.to_bytes(8, "big")


def _picture(described: str) -> bytes:
    """A photograph, or as png a screenshot."""
    form, size = described.split()
    width, height = map(int, size.split("x"))
    if form == "png":
        return screenshot((width, height))
    return photograph((width, height), form.upper())


def _tool(number: int) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    return {
        "type": "function",
        "function": {
            "name": f"search_{number}",
            "description": "Finds passages in one of the team's collections.",
            "parameters": parameters,
        },
    }
