"""Name -> class tables, and the one function that fills them."""

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Generic, TypeVar

from orchestrator.errors import ConfigError

T = TypeVar("T")


class Registry(Generic[T]):
    """A closed-after-startup table of the implementations of one extension point."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._classes: dict[str, type[T]] = {}

    def register(self, name: str) -> Callable[[type[T]], type[T]]:
        def add(cls: type[T]) -> type[T]:
            if name in self._classes:
                raise ConfigError(f"{self._kind} {name!r} is registered twice")
            self._classes[name] = cls
            return cls

        return add

    def __contains__(self, name: str) -> bool:
        return name in self._classes

    def __getitem__(self, name: str) -> type[T]:
        try:
            return self._classes[name]
        except KeyError:
            known = ", ".join(self.names())
            near = difflib.get_close_matches(name, self._classes, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"unknown {self._kind} {name!r}; known: {known}{hint}") from None

    def name_of(self, cls: type[T]) -> str:
        """Under which `cls` is registered."""
        return next(name for name, known in self._classes.items() if known is cls)

    def names(self) -> list[str]:
        return sorted(self._classes)


def discover(package: ModuleType) -> None:
    """Import every module of `package`, so that its classes register themselves."""
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
