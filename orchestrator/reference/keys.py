"""A walk through the models of a policy: every key with its default, and what may stand there.

A key is commented out where its default would change something or be told of by `tsr check`: rows
of a list, keys without a default, and what is marked as not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from orchestrator.config.fields import NOT_RUN_IF_ON, NotRun
from orchestrator.config.unused import NOT_USED
from orchestrator.reference.kinds import Kind, kind_of
from orchestrator.reference.meanings import Meanings
from orchestrator.reference.writing import Line, flow

Special = Callable[["Walk", Line], Iterator[Line]]
Field = tuple[type[BaseModel], str]


class Walk:
    """`specials` write the keys that belong to extensions; `elsewhere` says of a model where it is
    written out, unless one of `homes` has it.
    """

    def __init__(
        self,
        specials: Mapping[Field, Special],
        elsewhere: Mapping[type[BaseModel], str],
        homes: frozenset[Field],
    ) -> None:
        self._specials = specials
        self._elsewhere = elsewhere
        self._homes = homes
        self._meanings = Meanings()

    def model(
        self, kind: type[BaseModel], depth: int, live: bool, given: BaseModel | None = None
    ) -> Iterator[Line]:
        """The keys of `kind`; `given` has the defaults where they are not the model's own."""
        for name, info in kind.model_fields.items():
            default = (
                info.get_default(call_default_factory=True) if given is None else _of(given, name)
            )
            head = self._head(kind, name, info, default, depth, live)
            special = self._specials.get((kind, name))
            yield from special(self, head) if special else self._field((kind, name), head, default)

    def row(self, kind: type[BaseModel], depth: int) -> Iterator[Line]:
        """The keys of a row of a list, whose head stands at `depth`."""
        for at, line in enumerate(self.model(kind, depth + 2, live=False)):
            yield replace(line, first=True) if at == 0 else line

    def _head(
        self,
        kind: type[BaseModel],
        name: str,
        info: FieldInfo,
        default: object,
        depth: int,
        live: bool,
    ) -> Line:
        mark = next((one for one in info.metadata if isinstance(one, NotRun)), None)
        loud = mark is not None and (mark.always or _tells(mark, default))
        words = kind_of(info.annotation, info.metadata).words()
        if words and info.is_required():
            words += ", required"
        said = self._meanings.of(kind, name)
        if mark is not None:
            said += f" ({_when(mark, loud)}{NOT_USED})"
        return Line(depth, info.alias or name, None, words, said, live and not loud)

    def _field(self, at: Field, head: Line, default: object) -> Iterator[Line]:
        info = at[0].model_fields[at[1]]
        kind = kind_of(info.annotation, info.metadata)
        inner = kind.arguments[-1].model if kind.is_list or kind.is_map else None
        if kind.model is not None:
            yield from self._block(at, kind.model, head, default, info.is_required())
        elif inner is not None and inner in self._elsewhere and at not in self._homes:
            yield self._pointer(head, inner, "[]")
        elif inner is not None:
            yield replace(head, live=False, note=head.note + _names(default))
            if kind.is_list:
                yield from self.row(inner, head.depth)
            else:
                yield Line(head.depth + 1, "any_name", live=False)
                yield from self.model(inner, head.depth + 2, live=False)
        else:
            value = kind.example() if info.is_required() else _plain(kind, default)
            yield replace(head, value=flow(value))

    def _block(
        self, at: Field, kind: type[BaseModel], head: Line, default: object, required: bool
    ) -> Iterator[Line]:
        if kind in self._elsewhere and at not in self._homes:
            yield self._pointer(head, kind, "{}")
            return
        given = default if isinstance(default, BaseModel) else None
        live = head.live and given is not None
        yield replace(head, live=live, note=head.note + (" Required." if required else ""))
        yield from self.model(kind, head.depth + 1, live, given)

    def _pointer(self, head: Line, kind: type[BaseModel], value: str) -> Line:
        note = f"{head.note} Written as {self._elsewhere[kind]}."
        return replace(head, live=False, value=value, note=note)


def _of(given: BaseModel, name: str) -> object:
    value: object = getattr(given, name)
    return value


def _names(default: object) -> str:
    """What a list holds that is not given."""
    rows = default if isinstance(default, tuple) else ()
    names = [str(_of(row, "name")) for row in rows if isinstance(row, BaseModel)]
    return f" Default: {', '.join(names)}." if names else ""


def _plain(kind: Kind, value: object) -> object:
    if kind.is_duration and isinstance(value, float):
        return f"{value:g}s"
    if isinstance(value, tuple):
        return list(value)
    return value


def _tells(mark: NotRun, default: object) -> bool:
    """Whether `tsr check` warns of the default, where it is written out; see `config.unused`."""
    return default is not None and not mark.unless(default)


def _when(mark: NotRun, loud: bool) -> str:
    if loud:
        return ""
    return "if enabled: " if mark == NOT_RUN_IF_ON else "some other values: "
