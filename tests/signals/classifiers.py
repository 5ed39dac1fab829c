"""Rows of classifier rules."""

VALID = {"name": "risk", "type": "local", "model_path": "models/risk", "labels": ["SAFE", "RISKY"]}
PROMPTED = {
    "name": "risk",
    "type": "llm",
    "model": "judge",
    "labels": ["SAFE", "RISKY"],
    "instructions": "Choose RISKY for what cannot be undone.",
}
