"""From a checkpoint to a served model: export, parity, publish.

    models/<model>.toml ─ export ─► model.onnx, tokenizer.json
                        ─ parity ─► goldens.json (PyTorch's answers), worst difference
                        ─ publish ► model_repository/<model>/, config.pbtxt rendered

Each step reads files, writes files under build/engines/<model>/ and a receipt beside them, and
refuses a missing or stale predecessor. Serving needs none of this: the published files are
committed.
"""
