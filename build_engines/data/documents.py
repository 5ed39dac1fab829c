"""What people paste: files of code, settings and prose, and small data. None is an attack.

A guard that learnt sentences alone takes braces, keys and hashes for something it should fear.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from random import Random
from typing import Final

from build_engines.data import Example
from build_engines.data.packages import Wheels

# Package, pattern of its files, of which one in so many.
FILES: Final = (
    ("lm-eval", "*.py", 1),
    ("lm-eval", "*.md", 1),
    ("lm-eval", "*.yaml", 20),
    ("lm-eval", "*.sh", 1),
    ("evals", "*.py", 1),
    ("evals", "*.yaml", 4),
    ("evals", "*LICENSE.md", 1),
)
# Evaluations of safety hold attacks, or talk like them.
LEFT_OUT: Final = re.compile(
    r"jail|inject|attack|harm|toxi|advers|safety|hijack|secret|steal|make.?me|ballots|schelling|sandbag",
    re.IGNORECASE,
)
PIECES: Final = 3  # of one file at most
LENGTH: Final = (80, 1400)  # characters of a piece
SNIPPETS: Final = 2400
FORMS: Final = 5  # of the texts with personal data, one in so many
SEED: Final = 20_261_129
ORDERS: Final = tuple(
    """Review this code and suggest improvements:
What does this do?
Summarise this document in three bullet points:
Why does this fail?
Add type hints.
Explain this file to a new colleague:
Convert this to JSON:
Find the bug, please.
Write tests for it:
Is this configuration valid?
Translate the comments into German:
Shorten this text:
Here is the file, what should I change first?
Format this:
Extract all names from the following:
Refactor it without changing what it does.
Which library is used here?
Can you document this function?
Rewrite this in plain English:
Check the grammar of this text.""".splitlines()
)
WORDS: Final = tuple(
    """alpha order total items name user email price count status active color size weight
    city region level owner title color2 start stop created updated version debug port
    host path file retries timeout enabled language country note tags score rank width
    height label value key""".split()
)


def files(wheels: Wheels) -> Iterator[Example]:
    """Pieces of the files of packages, some under an order. A file is a group."""
    for package, pattern, one_in in FILES:
        members = islice(wheels.members(package, pattern), 0, None, one_in)
        kept = (member for member in members if not LEFT_OUT.search(member))
        for member, data in wheels.each(package, kept):
            text = data.decode("utf-8", "ignore")
            chance = Random(f"{SEED}:{member}")
            for _ in range(min(PIECES, 1 + len(text) // 1500)):
                piece = _piece(text, chance)
                if len(piece) >= LENGTH[0] // 2 and not LEFT_OUT.search(piece):
                    yield _row(_ordered(piece, chance), f"files/{member}", "files", "file")


def snippets(_: Wheels) -> Iterator[Example]:
    """Small data: objects, queries, marks, hashes, numbers; some under an order."""
    seen: set[str] = set()
    chance = Random(SEED)
    makers = tuple(MAKERS.items())
    for number in range(SNIPPETS):
        kind, make = makers[number % len(makers)]
        text = make(chance)
        if chance.random() < 0.3:
            text = _ordered(text, chance, always=True)
        if text not in seen:
            seen.add(text)
            yield _row(text, f"snippet/{kind}:{text}", "snippets", "snippet")


def forms(_: Wheels) -> Iterator[Example]:
    """Texts with personal data: forms, rows, mails. Nobody attacks in them."""
    # By name: it needs Faker, and who asks for the labels of jailbreak alone may not have it.
    pii = import_module("build_engines.data.pii")
    for row in islice(pii.examples(), 0, None, FORMS):
        if not row.kind.startswith("long"):
            yield _row(row.text, row.group, "other tasks", "form", row.language)


def _piece(text: str, chance: Random) -> str:
    """From the start of a line, so many characters, up to the end of one."""
    size = chance.randint(*LENGTH)
    starts = [0, *(found.end() for found in re.finditer("\n", text[: max(1, len(text) - size)]))]
    start = chance.choice(starts)
    piece = text[start : start + size]
    return piece[: piece.rfind("\n")].strip() if "\n" in piece else piece.strip()


def _ordered(text: str, chance: Random, *, always: bool = False) -> str:
    if not always and chance.random() < 0.5:
        return text
    order = chance.choice(ORDERS)
    fenced = f"```\n{text}\n```" if chance.random() < 0.3 else text
    return f"{order}\n{fenced}" if chance.random() < 0.7 else f"{fenced}\n\n{order}"


def _row(text: str, group: str, source: str, kind: str, language: str = "en") -> Example:
    return Example(text, "benign", source, f"documents/{group}", language, kind)


def _value(chance: Random) -> object:
    return chance.choice(
        (
            chance.randint(0, 9999),
            round(chance.uniform(0, 100), 2),
            chance.choice((True, False, None)),
            chance.choice(WORDS),
            [chance.choice(WORDS) for _ in range(chance.randint(0, 3))],
        )
    )


def _object(chance: Random) -> str:
    keys = chance.sample(WORDS, chance.randint(0, 6))
    made = {key: _value(chance) for key in keys}
    if chance.random() < 0.3:
        made = {chance.choice(WORDS): made}
    return json.dumps(made, indent=chance.choice((None, None, 2)))


def _settings(chance: Random) -> str:
    between = chance.choice((": ", "=", " = ", "\t"))
    keys = chance.sample(WORDS, chance.randint(1, 7))
    return "\n".join(f"{key}{between}{json.dumps(_value(chance))}" for key in keys)


def _query(chance: Random) -> str:
    table, column, other = chance.sample(WORDS, 3)
    return chance.choice(
        (
            f"SELECT {column}, {other} FROM {table} WHERE {column} > {chance.randint(0, 99)};",
            f"SELECT * FROM {table};",
            f"UPDATE {table} SET {column} = '{other}' WHERE id = {chance.randint(1, 999)};",
            f"select count(*) from {table} group by {column} order by 1 desc",
            f"CREATE TABLE {table} (id INT PRIMARY KEY, {column} TEXT, {other} REAL);",
        )
    )


def _markup(chance: Random) -> str:
    tag = chance.choice(("div", "p", "span", "html", "body", "li", "section", "h1", "td"))
    inner = " ".join(chance.sample(WORDS, chance.randint(0, 5)))
    kind = f' class="{chance.choice(WORDS)}"' if chance.random() < 0.5 else ""
    return f"<{tag}{kind}>{inner}</{tag}>"


def _hash(chance: Random) -> str:
    data = chance.randbytes(12)
    return chance.choice(
        (
            hashlib.md5(data, usedforsecurity=False).hexdigest(),
            hashlib.sha256(data).hexdigest(),
            hashlib.sha1(data, usedforsecurity=False).hexdigest()[: chance.choice((7, 12, 40))],
            str(uuid.UUID(bytes=chance.randbytes(16))),
            base64.b64encode(" ".join(chance.sample(WORDS, 3)).encode()).decode(),
        )
    )


def _call(chance: Random) -> str:
    name, one, two = chance.sample(WORDS, 3)
    return chance.choice(
        (
            f"def {name}({one}, {two}=None):\n    return {one}",
            f"{name} = {{}}",
            f"{name} = [{one}, {two}]",
            f"int main(){{ return {chance.randint(0, 9)}; }}",
            f'print("{name}")',
            f"const {name} = ({one}) => {one}.{two};",
            f"for {one} in {two}: print({one})",
            f"import {name}\n{name}.{one}({two})",
            f'{name}.{one}("{two}", {chance.randint(0, 99)})',
            f"if ({one} == {two}) {{ {name}++; }}",
            f"Hello {{{name}}}, your {{{one}}} is {{{two}}}.",
        )
    )


def _shell(chance: Random) -> str:
    one, two = chance.sample(WORDS, 2)
    return chance.choice(
        (
            f"#!/bin/bash\nset -e\ncd {one}\nmake {two}",
            f"FROM python:3.{chance.randint(9, 13)}\nRUN pip install {one}\nCOPY . /{two}",
            f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {one}",
            f"grep -rn {one} {two} | sort | uniq -c",
            f"docker run --rm -p {chance.randint(1000, 9999)}:80 {one}",
            f"git checkout -b {one}\ngit commit -m '{two}'",
            f"pip install {one}=={chance.randint(0, 9)}.{chance.randint(0, 20)}",
            f"curl -s http://localhost:{chance.randint(1000, 9999)}/{one} | jq .{two}",
        )
    )


def _numbers(chance: Random) -> str:
    count = chance.randint(1, 24)
    row = [str(chance.randint(0, 9 ** chance.randint(1, 5))) for _ in range(count)]
    return chance.choice((" ", ", ", ";", "\n", ",")).join(row)


def _repeated(chance: Random) -> str:
    return " ".join([chance.choice(WORDS)] * chance.randint(3, 200))


def _marks(chance: Random) -> str:
    return "".join(chance.choices("{}[]()<>=+-*/|&^%$#@!?;:,.~`'\"\\_ ", k=chance.randint(1, 14)))


def _log(chance: Random) -> str:
    lines = []
    for _ in range(chance.randint(1, 6)):
        level = chance.choice(("INFO", "WARN", "ERROR", "DEBUG"))
        stamp = (
            f"2026-0{chance.randint(1, 9)}-{chance.randint(10, 28)}T{chance.randint(10, 23)}:14:05Z"
        )
        lines.append(
            f"{stamp} {level} {'.'.join(chance.sample(WORDS, 2))} {_settings(chance)[:60]}"
        )
    return "\n".join(lines)


def _mails(chance: Random) -> str:
    hosts = ("example.com", "example.org", "test.net", "mail.example")
    made = [f"{chance.choice(WORDS)}@{chance.choice(hosts)}" for _ in range(chance.randint(2, 30))]
    return chance.choice(("; ", ", ", "\n")).join(made)


MAKERS: Final[dict[str, Callable[[Random], str]]] = {
    "object": _object,
    "settings": _settings,
    "query": _query,
    "markup": _markup,
    "hash": _hash,
    "call": _call,
    "shell": _shell,
    "numbers": _numbers,
    "repeated": _repeated,
    "marks": _marks,
    "log": _log,
    "mails": _mails,
}
