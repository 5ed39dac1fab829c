"""The Python of a model: whether it can be read, and whether what it imports lies beside it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

from orchestrator.inference.inspecting.problem import Problem, restored

# Triton's own, and libraries that its machine has where this one may not.
ELSEWHERE = frozenset({"triton_python_backend_utils", "numpy", "onnxruntime", "tokenizers", "PIL"})


def problems(repository: Path, model: str) -> Iterator[Problem]:
    for path in sorted((repository / model).glob("[0-9]*/*.py")):
        file = str(path.relative_to(repository))
        if not path.exists():  # a dead link is told of elsewhere
            continue
        try:
            tree = ast.parse(path.read_bytes())
        # The last two: nested deeper than the parser goes.
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = error.lineno if isinstance(error, SyntaxError) else None
            wrong, right = f"is no Python: {error}", "the code of the model"
            yield Problem(file, wrong, right, restored(repository, file), line)
            continue
        for name, line in _imported(tree):
            beside = path.parent / f"{name}.py"
            if not beside.exists() and not beside.is_symlink() and not _installed(name):
                missing = f"{path.parent.relative_to(repository)}/{name}.py"
                yield Problem(
                    file=file,
                    line=line,
                    wrong=f"imports {name}, which is neither beside it nor installed",
                    right=missing,
                    command=restored(repository, missing),
                )


def _imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The first parts of the names, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.name.partition(".")[0], node.lineno) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno


def _installed(name: str) -> bool:
    known = name in sys.stdlib_module_names or name in ELSEWHERE
    # By the path: what is merely loaded by now tells nothing.
    return known or PathFinder.find_spec(name) is not None
