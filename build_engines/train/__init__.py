"""Trains the adapters of models/text_signals.toml: python -m build_engines.train

The layers below an adapter never change, so their output for every text is computed once and kept
(`hidden.py`); what is trained runs on that (`network.py`).
"""
