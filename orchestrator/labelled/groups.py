"""What `tsr probe-labels` compares: groups of texts, and the right group of each picture.

    groups:
      receipt: [a receipt, a photo of a till receipt]
      chart: [a bar chart, a line graph]
    pictures:                    # optional: file -> its group, or `other` for none of them
      till.jpg: receipt

YAML or JSON. Without `pictures`, a folder is the group of what lies in it. Groups alone, without
the key, will do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from orchestrator.config.document import Document
from orchestrator.config.problems import Check, nearest, summary
from orchestrator.errors import ConfigError, Problem

OTHER = "other"  # a picture of none of the groups, unless a group is called so

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    groups: Annotated[dict[Text, Annotated[list[Text], Field(min_length=1)]], Field(min_length=1)]
    pictures: dict[str, str] = {}


@dataclass(frozen=True, slots=True)
class Labels:
    groups: Mapping[str, tuple[str, ...]]  # name -> its texts, in the order of the file
    pictures: Mapping[str, str]  # name of a file -> its group, or OTHER
    path: str

    @property
    def texts(self) -> tuple[str, ...]:
        """Those of all groups, each once."""
        return tuple(dict.fromkeys(text for some in self.groups.values() for text in some))

    def right(self, names: Collection[str]) -> dict[str, str]:
        """Name of a picture -> its group, or OTHER; of whatever nothing is said, nothing.

        Raises ConfigError that names every folder which is no group.
        """
        if self.pictures:
            return {name: self.pictures[name] for name in names if name in self.pictures}
        folders = {name: name.partition("/")[0] for name in names if "/" in name}
        known = {*self.groups, OTHER}
        wrong = [
            Problem(one, "is a folder of pictures and no group", hint=_known(one, self.groups))
            for one in dict.fromkeys(folders.values())
            if one not in known
        ]
        if wrong:
            raise ConfigError(f"{self.path}: unknown groups", tuple(wrong))
        return folders


def read(path: Path) -> Labels:
    """Raises ConfigError with every problem of the file."""
    document = _document(path)
    check = Check(document)
    file = check.validate(_File, document.data, ())
    if file is not None:
        for name, group in file.pictures.items():
            if group not in file.groups and group != OTHER:
                hint = _known(group, file.groups)
                check.error(("pictures", name), f"unknown group {group!r}", hint)
    check.finish()
    assert file is not None  # `finish` raised otherwise
    groups = {name: tuple(dict.fromkeys(texts)) for name, texts in file.groups.items()}
    return Labels(groups, file.pictures, str(path))


def refuse_absent(labels: Labels, names: Collection[str]) -> None:
    """Raises ConfigError that names every picture of the file that is not there."""
    absent = [
        Problem("pictures", f"there is no picture {name!r}", file=labels.path)
        for name in labels.pictures
        if name not in names
    ]
    if absent:
        raise ConfigError(summary(labels.path, len(absent)), tuple(absent))


def _document(path: Path) -> Document:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {path}: not UTF-8 text") from None
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        data: Any = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        said = next(_said(error), "it cannot be parsed")
        raise ConfigError(f"{path} is neither YAML nor JSON: {said}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} is no mapping of groups to texts")
    if "groups" not in data and "pictures" not in data:
        return Document(str(path), {"groups": data})
    return Document(str(path), data, root)


def _said(error: yaml.YAMLError) -> Iterator[str]:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        yield f"line {error.problem_mark.line + 1}: {error.problem}"


def _known(group: str, groups: Collection[str]) -> str:
    return nearest(group, groups) or f"the groups are: {', '.join(groups)}; or {OTHER}"
