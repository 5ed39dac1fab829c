"""What may stand at a key, in a few words, and a value that stands for one that must be given."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MinLen
from pydantic import AfterValidator, BaseModel, BeforeValidator, SecretStr
from pydantic.fields import FieldInfo

from orchestrator.config.fields import OneOf, parse_duration, variable_name

SOME = "..."  # where a text has to be given
ANY = "any keys"
SINGLE: dict[type, str] = {
    str: "text",
    bool: "true | false",
    int: "integer",
    float: "number",
    SecretStr: "secret",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """An annotation without Annotated and Optional, and what stood beside it."""

    base: Any
    extras: tuple[object, ...] = field(default=())

    @property
    def arguments(self) -> tuple[Kind, ...]:
        return tuple(kind_of(one) for one in get_args(self.base) if one is not Ellipsis)

    @property
    def model(self) -> type[BaseModel] | None:
        base = self.base
        return base if isinstance(base, type) and issubclass(base, BaseModel) else None

    @property
    def is_list(self) -> bool:
        return get_origin(self.base) is tuple

    @property
    def is_map(self) -> bool:
        return get_origin(self.base) is dict

    @property
    def is_duration(self) -> bool:
        return parse_duration in self._checks()

    def bounds(self, kind: type[Any], name: str) -> Iterator[Any]:
        for extra in self.extras:
            if isinstance(extra, kind):
                yield getattr(extra, name)

    def choices(self) -> tuple[object, ...]:
        if get_origin(self.base) is Literal:
            return get_args(self.base)
        return tuple(
            word for check in self._checks() if isinstance(check, OneOf) for word in check.choices
        )

    def _checks(self) -> list[Callable[..., Any]]:
        marks = (AfterValidator, BeforeValidator)
        return [extra.func for extra in self.extras if isinstance(extra, marks)]

    def words(self) -> str:
        """Such as `integer, 1 to 65535` or `list of text, at least 1`; empty of a block of keys."""
        if choices := self.choices():
            return " | ".join(str(one) or '""' for one in choices)
        if self.is_duration:
            return "duration" + self._range("s")
        if variable_name in self._checks():
            return "name of an environment variable"
        if self.is_list:
            least = "".join(f", at least {n}" for n in self.bounds(MinLen, "min_length"))
            inner = self.arguments[0].words()
            return f"list{f' of {inner}' if inner else ''}{least}"
        if self.is_map:
            value = self.arguments[1]
            inner = value.words()
            return ANY if value.base is Any else f"any names{f', each: {inner}' if inner else ''}"
        return SINGLE[self.base] + self._range() if self.base in SINGLE else ""

    def _range(self, unit: str = "") -> str:
        least, above = list(self.bounds(Ge, "ge")), list(self.bounds(Gt, "gt"))
        most, below = list(self.bounds(Le, "le")), list(self.bounds(Lt, "lt"))
        if least and most:
            return f", {max(least):g} to {min(most)}{unit}"
        said = [f"{n:g} or more" for n in least[-1:]] + [f"above {n:g}" for n in above]
        said += [f"at most {n:g}{unit}" for n in most] + [f"below {n:g}" for n in below]
        return "".join(f", {one}" for one in said)

    def example(self) -> object:
        """What stands for a value that has no default."""
        if choices := self.choices():
            return next(one for one in choices if one != "")
        if self.is_list:
            return [self.arguments[0].example()] * max((1, *self.bounds(MinLen, "min_length")))
        if self.is_map:
            return {}
        if self.base in (int, float):
            return self.base(max((0, *self.bounds(Ge, "ge"))))
        return False if self.base is bool else SOME


def kind_of(annotation: Any, extras: Sequence[object] = ()) -> Kind:  # noqa: ANN401 - of any type
    found = list(extras)
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            found = [*_flat(more), *found]
        elif origin in (Union, types.UnionType):
            annotation = next(one for one in get_args(annotation) if one is not types.NoneType)
        else:
            return Kind(annotation, tuple(found))


def _flat(extras: Sequence[object]) -> Iterator[object]:
    for extra in extras:
        if isinstance(extra, FieldInfo):
            yield from extra.metadata
        else:
            yield extra
