"""How a model is served on GPUs: its config files, those of the steps before and after its engine,
and what the engine is warmed with. All of it is rendered from the spec, and needs no GPU.

`config.pbtxt` is the form with TensorRT; `configs/<form>.pbtxt` are the others, which Triton takes
by `--model-config-name=<form>` where a model has one.
"""
