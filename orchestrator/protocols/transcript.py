"""One pass over the messages of a chat: the texts, the counts and the sizes signals read.

Knows the message format of Chat Completions (spec/signals.md 2.0) and nothing of models,
headers or policy. Whatever is not text, image or tool traffic is only measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from orchestrator.errors import RequestError
from orchestrator.types import Shape

# spec/signals.md 2.9: what an envelope costs at least, in tokens.
TOKENS_PER_IMAGE = 8192
TOKENS_PER_MESSAGE = 4
TOKENS_PER_TOOL = 8  # a definition, a call or a result
BYTES_PER_TOKEN = 4  # prose; JSON counts one byte a token

# The types of parts that vLLM reads as text, whoever sends them, and the field that holds it
# (vllm/entrypoints/chat_utils.py): leaving one out would hide text from the signals.
TEXT_PARTS: Mapping[str | None, str] = MappingProxyType(
    dict.fromkeys((None, "", "text", "input_text", "output_text"), "text")
    | {"refusal": "refusal", "thinking": "thinking"}
)
IMAGE_PARTS = frozenset({"image_url", "input_image", "image_embeds", "image_pil"})
TOOL_RESULT = frozenset({"tool", "function"})

# Whatever is shown inline is kept, also what nobody reads: rules that see it as refused know more
# than rules that do not see it. URLs are kept too, and fetched only where the policy says so.
IMAGE_SCHEMES = ("data:", "http:", "https:")
# vLLM reads URLs by urllib.parse, which takes these away before it looks for a scheme.
BLANKS = "".join(map(chr, range(0x21)))
NO_BREAKS = str.maketrans("", "", "\t\r\n")


def json_bytes(value: object, param: str) -> int:
    """Size of `value` as compact JSON, in bytes. RequestError where it nests beyond 254 levels."""
    try:
        return len(orjson.dumps(value))
    except orjson.JSONEncodeError as error:
        raise RequestError(f"{param} cannot be encoded as JSON: {error}", param) from None


def utf8(text: str) -> int:
    """Length of `text` in UTF-8 bytes; lone surrogates count three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Transcript:
    """What has been read so far. `add` every message in order, then `shape`."""

    def __init__(self) -> None:
        self.roles: dict[str, int] = {}
        self.user_texts: list[str] = []
        self.non_user_texts: list[str] = []
        self.answered = False  # an assistant message has text
        self.images: list[str] = []  # of user turns
        self._user_images = self._images = 0
        self._calls = self._results = 0
        self._prose = self._structured = self._non_user = 0  # bytes
        self._last = self._before_last = ""  # roles

    def add(self, position: int, message: object) -> None:
        """Read messages[position]. RequestError names the field that is malformed."""
        if not isinstance(message, dict):
            raise RequestError("a message must be an object", f"messages[{position}]")
        role = message.get("role")
        if not isinstance(role, str) or not role:
            raise RequestError("a message needs a role", f"messages[{position}].role")
        self.roles[role] = self.roles.get(role, 0) + 1
        self._before_last, self._last = self._last, role
        content = message.get("content")
        text = content if isinstance(content, str) else self._content(content, role, position)
        if role in TOOL_RESULT:
            self._results += 1
            self._structured += utf8(text)
            return
        size = utf8(text)
        self._prose += size
        self._keep(role, text, size)
        if "tool_calls" in message or "function_call" in message:
            self._tool_calls(message, position)

    def _keep(self, role: str, text: str, size: int) -> None:
        if not text or text.isspace():
            return
        if role == "user":
            self.user_texts.append(text)
        else:  # also a role of one's own, such as "User": chat templates show the model any
            self.non_user_texts.append(text)
            self._non_user += size
            self.answered = self.answered or role == "assistant"

    def _content(self, content: object, role: str, position: int) -> str:
        where = f"messages[{position}].content"
        if role == "user" and content in (None, []):  # other turns may be a call, or nothing
            raise RequestError("a message of the user needs content: a text or parts", where)
        if content is None:
            return ""
        if not isinstance(content, list):
            raise RequestError("content must be a string, a list of parts or null", where)
        texts = (self._part(part, role, f"{where}[{n}]") for n, part in enumerate(content))
        return " ".join(text for text in texts if text)

    def _part(self, part: object, role: str, where: str) -> str | None:
        """The text of a part; an image is counted, anything else measured."""
        if isinstance(part, str):
            return part
        if not isinstance(part, dict):
            raise RequestError("a content part must be an object", where)
        kind = part.get("type")
        if kind is not None and not isinstance(kind, str):
            raise RequestError("the type of a content part must be a string", f"{where}.type")
        if kind in TEXT_PARTS and isinstance(text := part.get(TEXT_PARTS[kind]), str):
            return text
        if kind in IMAGE_PARTS or (not kind and "image_url" in part):
            self._picture(part, role)
        else:
            self._structured += json_bytes(part, where)
        return None

    def _picture(self, part: Mapping[str, Any], role: str) -> None:
        self._images += 1
        if role != "user":
            return
        self._user_images += 1
        source = part.get("image_url")
        url = source.get("url") if isinstance(source, dict) else source
        if not isinstance(url, str):
            return
        if not _has_scheme(url):
            url = url.lstrip(BLANKS).translate(NO_BREAKS)
        if _has_scheme(url):
            self.images.append(url)

    def _tool_calls(self, message: Mapping[str, Any], position: int) -> None:
        if message["role"] != "assistant":
            return
        where = f"messages[{position}].tool_calls"
        calls = message.get("tool_calls") or []
        if not isinstance(calls, list):
            raise RequestError("tool_calls must be a list", where)
        functions = [_function(call, f"{where}[{n}]") for n, call in enumerate(calls)]
        if message.get("function_call") is not None:
            functions.append(message["function_call"])
        self._calls += len(functions)
        for function in functions:
            arguments = function.get("arguments") if isinstance(function, dict) else function
            self._structured += (
                utf8(arguments) if isinstance(arguments, str) else json_bytes(arguments, where)
            )

    def shape(self, definitions: int, structured: int, reserved: int) -> Shape:
        """The counts. `structured` bytes are schemas outside the messages, `reserved` tokens
        the output asked for."""
        current = self.user_texts[-1] if self.user_texts else ""
        envelope = TOKENS_PER_MESSAGE * sum(self.roles.values()) + TOKENS_PER_TOOL * (
            self._calls + self._results + definitions
        )
        return Shape(
            roles=self.roles,
            tool_definitions=definitions,
            assistant_tool_calls=self._calls,
            tool_results=self._results,
            active_tool_loop=self._in_tool_loop(),
            images=self._user_images,
            pictures=self._images,
            context_bytes=self._non_user + utf8(current),
            floor_tokens=-(-self._prose // BYTES_PER_TOKEN)
            + self._structured
            + structured
            + TOKENS_PER_IMAGE * self._images
            + envelope
            + reserved,
        )

    def _in_tool_loop(self) -> bool:
        return (
            self._last in TOOL_RESULT
            or (self._last == "user" and self._before_last in TOOL_RESULT)
            or self._calls > self._results
        )


def _has_scheme(url: str) -> bool:
    return url[:8].lower().startswith(IMAGE_SCHEMES)


def _function(call: object, where: str) -> object:
    if not isinstance(call, dict):
        raise RequestError("a tool call must be an object", where)
    return call.get("function")
