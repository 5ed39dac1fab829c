"""Why a model repository will not serve: read as Triton reads it, with nothing started.

`inspect.py` goes through the folders; one module knows one kind of fault. No network is loaded, and
neither torch nor ONNX Runtime is needed.
"""
