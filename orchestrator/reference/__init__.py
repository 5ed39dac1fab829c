"""Every key of a policy, written out from the schema: `tsr reference`, configs/reference.yaml.

`meanings` reads what a key is for from the models' sources, `kinds` says what may stand there,
`keys` walks through the models, and `writing` makes YAML of it. Nothing is listed here: a key, its
default and its meaning stand in the model, whether it runs in its mark (`config.fields.NotRun`).
"""
