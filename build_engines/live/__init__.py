"""A live Triton against PyTorch (`tsr parity`).

`server` asks it, `pictures` and `texts` compare, `chart` draws, `subjects` knows which reference a
model has; it alone needs torch.
"""
