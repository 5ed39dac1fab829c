"""Which rule of the operator applies. Knows facts and trees; nothing of requests or models."""
