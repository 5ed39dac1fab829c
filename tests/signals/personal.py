"""A model that finds the pieces of text that it is told, and rules of personal data that ask it."""

from orchestrator.inference import Entity
from orchestrator.inference.fake import FakeInference
from orchestrator.signals import Surroundings
from orchestrator.signals.pii import Pii, PiiRule

NAME = "Ana Ruiz"
MAIL = "ana@example.org"
CARD = "4111 1111 1111 1111"
SCORE = 0.93


class Reader(FakeInference):
    """Finds the pieces of text that it is given, wherever they are."""

    def __init__(self, *known, score=SCORE, failure=None):
        super().__init__(failure=failure)
        self.known = dict(known)  # text -> type
        self.score = score

    async def classify(self, model, texts, tasks):
        self.classified |= {text: {"pii": self._entities(text)} for text in texts}
        return await super().classify(model, texts, tasks)

    def _entities(self, text):
        found = []
        for known, label in self.known.items():
            start = text.find(known)
            while start >= 0:
                found.append(Entity(start, start + len(known), label, self.score))
                start = text.find(known, start + 1)
        return sorted(found, key=lambda one: one.start)


def pii(inference, *rows, **settings):
    rules = [PiiRule.model_validate({"name": "any"} | row) for row in rows or [{}]]
    return Pii(rules, Surroundings(inference, {"pii": settings}))
