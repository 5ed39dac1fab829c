from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, SecretStr

from orchestrator.config.fields import (
    Count,
    Duration,
    Name,
    OneOf,
    Opaque,
    Port,
    Secrets,
    Strict,
    Unit,
    Variable,
)
from orchestrator.reference.kinds import kind_of


class Block(Strict):
    name: Name


Pair = Annotated[tuple[str, ...], Field(min_length=2)]


def kind(annotation):
    class Model(BaseModel):
        field: annotation

    info = Model.model_fields["field"]
    return kind_of(info.annotation, info.metadata)


KINDS = [
    pytest.param(Block, "", "...", id="block"),
    pytest.param(bool, "true | false", False, id="boolean"),
    pytest.param(Name | None, "text", "...", id="text or nothing"),
    pytest.param(SecretStr, "secret", "...", id="secret"),
    pytest.param(Variable, "name of an environment variable", "...", id="variable"),
    pytest.param(Count, "integer, 0 or more", 0, id="count"),
    pytest.param(Port, "integer, 1 to 65535", 1, id="port"),
    pytest.param(Unit | None, "number, 0 to 1", 0.0, id="bounds within an optional"),
    pytest.param(Annotated[int | None, Field(ge=2)], "integer, 2 or more", 2, id="bounds around"),
    pytest.param(Annotated[float, Field(gt=0, le=2)], "number, above 0, at most 2", 0.0, id="open"),
    pytest.param(Duration, "duration", 0.0, id="time"),
    pytest.param(Annotated[Duration, Field(le=60)], "duration, at most 60s", 0.0, id="short time"),
    pytest.param(Literal["", "a", "b"], '"" | a | b', "a", id="words"),
    pytest.param(Annotated[str, AfterValidator(OneOf("a b"))], "a | b", "a", id="words by a check"),
    pytest.param(tuple[Name, ...], "list of text", ["..."], id="list"),
    pytest.param(Pair, "list of text, at least 2", ["...", "..."], id="list of some"),
    pytest.param(tuple[Block, ...], "list", ["..."], id="rows"),
    pytest.param(Opaque, "any keys", {}, id="opaque"),
    pytest.param(Secrets, "any names, each: secret", {}, id="secrets by name"),
    pytest.param(dict[str, Block], "any names", {}, id="blocks by name"),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "words", "example"), KINDS)
def test_words_and_example(annotation: Any, words: str, example: object):
    found = kind(annotation)

    assert (found.words(), found.example()) == (words, example)
