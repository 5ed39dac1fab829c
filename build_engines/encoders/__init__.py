"""Families of text encoders: what differs between their architectures when tokens lie end to end.

`families` knows masks and positions, `attention` computes within rows, `modules` reads what stands
around the encoder in a checkpoint of sentence-transformers.
"""
