"""What an answer is worth of which quality and time are known (spec/algorithms.md 5.1)."""

QUALITY, SPEED = 0.9, 0.1  # shares
HALF_SPEED = 10.0  # seconds at which an answer counts half as quick
