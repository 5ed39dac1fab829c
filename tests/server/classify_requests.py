"""Requests to /api/v1/classify, and a letter with personal data."""

from orchestrator.inference import Entity

ONE = ("intent", "pii", "security", "fact-check", "user-feedback", "combined")
EVERY = (*ONE, "batch")
LETTER = "Ann: ann@corp.example, 12 Mill Road"

PRIVATE = {
    LETTER: {
        "pii": (
            Entity(0, 3, "PERSON", 0.99),
            Entity(5, 21, "EMAIL_ADDRESS", 0.91),
            Entity(23, 35, "STREET_ADDRESS", 0.6),
        )
    }
}


def body_of(name, text="Why is the sky blue?"):
    return {"texts": [text]} if name == "batch" else {"text": text}


async def ask(client, name, body, status=200):
    response = await client.post(f"/api/v1/classify/{name}", json=body)
    answer = await response.json()
    assert response.status == status, answer
    return answer
