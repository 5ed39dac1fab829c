"""Pictures and labels into one space: the networks behind `image_signals`.

    spec.py, job.py      models/<model>.toml with `task = "vision"`, and one build of it
    light.py, lite0.py   the default: EfficientNet-Lite0 and a projection trained here
    siglip.py            SigLIP and SigLIP 2: both towers
    families.py          which of the two a spec means
    export.py, parity.py, publish.py   the steps
    isolation.py         where a difference to the reference comes from, and which known fault it is
    naming.py            the same of a build that has failed

A build publishes three models together (`vision_encoder`, `image_signals`, `image_text_embedding`),
and sets the pixels that `image_preprocess` makes.
"""
