"""Models for GPUs: the graph of `<M>_encoder` as TensorRT builds it, its precision, its shapes, the
plan and what is known of a plan.

What needs no GPU (graphs, precision, profiles, receipts) needs neither TensorRT nor torch.
"""
