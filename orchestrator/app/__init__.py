"""Composition root: the only package that knows every layer.

`policies` turns a loaded config into compiled policies, `names` into what a client may ask for.
`model_plane` runs an embedded Triton or connects to remote ones, `secrets` settles what to do
without a backend's key, `running` joins all of it, and `serving` puts it behind two HTTP ports.
"""
