"""Composition root: the only package that knows every layer.

`policies` turns a loaded config into compiled policies, `names` into what a client may ask for,
`planes` runs the model plane (embedded or remote Triton) and `router` puts all of it behind two
HTTP ports.
"""
