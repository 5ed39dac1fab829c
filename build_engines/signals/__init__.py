"""Many classifiers as branches of one network: adapters over the layers of a trunk.

`trunk.py` finds the layers in an exported encoder, `adapter.py` reads what PEFT saved,
`branches.py` writes what is to be added. The added part is a protobuf message of its own: joined to
the bytes of the trunk it is one ONNX model (messages whose bytes are joined are merged, lists
appended), so that the trunk's weights exist once on disk and once in memory.
"""
