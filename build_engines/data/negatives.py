"""Questions and small talk of others in which nobody attacks anything."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import yaml

from build_engines.data import Example, Split, domain, fact_check, modality
from build_engines.data.packages import Wheels

# Contributors of OpenAI evals wrote these, or they are court texts and a public question pool; sets
# that a contributor took from elsewhere (logiqa, medmcqa, jee-math, exams ...) are left out.
EVALS = (
    "adultery-state-laws/samples",
    "cissp-study-questions/samples",
    "fcc_amateur_extra/samples",
    "illinois-law/samples",
    "math-derivatives/questions",
    "security_guide/samples",
    "taxes/samples",
    "test_comp_sci/questions",
    "us_tort_law/samples",
)
MMLU = "lm_eval/tasks/mmlu/flan_cot_fewshot/_cot_prompts.json"
CHATTER = {
    "chinese": "zh",
    "english": "en",
    "french": "fr",
    "german": "de",
    "italian": "it",
    "japanese": "ja",
    "korean": "ko",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "turkish": "tr",
}
# Of the texts of these tasks, one in how many.
OTHERS = ((domain, 2), (fact_check, 3), (modality, 3))
SHORTEST = 12  # characters (4 in zh, ja, ko): below, a greeting, of which there are enough


def evals(wheels: Wheels) -> Iterator[Example]:
    """Questions about law, taxes, security, radio and computing. One question is one group."""
    for name in EVALS:
        lines = wheels.read("evals", f"evals/registry/data/{name}.jsonl").decode().splitlines()
        seen: set[str] = set()
        for line in filter(None, lines):
            text = _prompt(json.loads(line)["input"])
            if text not in seen:
                seen.add(text)
                yield _row(text, "evals", name.partition("/")[0])


def other_tasks(_: Wheels) -> Iterator[Example]:
    """What was written for other tasks: questions on every subject, none an attack."""
    for task, one_in in OTHERS:
        own = (row for row in task.examples() if row.source == "written")
        for row in islice(own, 0, None, one_in):
            yield replace(row, label="benign", source="other tasks", kind="other_tasks")


def mmlu(wheels: Wheels) -> Iterator[Example]:
    """The five solved example questions of each MMLU subject. For testing only."""
    for subject, prompt in sorted(json.loads(wheels.read("lm-eval", MMLU)).items()):
        for solved in prompt.split("\n\nQ: ")[1:]:
            question = solved.partition("\nA: Let's think")[0].strip()
            yield _row(question, "mmlu", subject, split="test")


def chatter(wheels: Wheels) -> Iterator[Example]:
    """What people say to a chat bot: the first turns of the ChatterBot corpus."""
    for folder, language in CHATTER.items():
        seen: set[str] = set()
        for member in wheels.members("chatterbot-corpus", f"chatterbot_corpus/data/{folder}/*.yml"):
            document = yaml.safe_load(wheels.read("chatterbot-corpus", member))
            for turns in document["conversations"]:
                text = str(turns[0]).strip()
                shortest = SHORTEST // 3 if language in {"zh", "ja", "ko"} else SHORTEST
                if len(text) >= shortest and text not in seen:
                    seen.add(text)
                    yield _row(text, "chatter", folder, language)


def _prompt(messages: Sequence[dict[str, str]]) -> str:
    """The user's text; where that is a word or two, the message before it belongs to it."""
    last = messages[-1]["content"].strip()
    before = messages[-2]["content"].strip() if len(messages) > 1 else ""
    return last if len(last) >= SHORTEST else f"{before}\n{last}"


def _row(
    text: str, source: str, part: str, language: str = "en", split: Split | None = None
) -> Example:
    return Example(text, "benign", source, f"{source}/{part}:{text}", language, source, split=split)
