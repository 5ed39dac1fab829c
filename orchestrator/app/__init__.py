"""Composition root: the only package that knows every layer.

- From a file to what runs: `policies` turns a loaded config into checked blueprints, with what
  `findings` says of them, `assembly` these into policies, `proofs` into reports. `names` is what a
  client may ask for, `expectations` what rules expect of their models, `secrets` what becomes of a
  backend without its key.
- The model plane: `model_plane` runs an embedded Triton or connects to remote ones; `servers` are
  the embedded ones, and `lending` shares what is dear between policies. `running` joins it all.
- The process: `options` are the command line's, `sockets` the ports, `serving` opens both planes
  on them. `life` is how far the process has come, `faces` what the ports show of a policy, and
  `exchange` makes and shows one.
- Another policy: `watching` looks at the file, `following` at it and at SIGHUP; `reloading` puts a
  text in force, `replacing` one policy in the place of another, once `readers` says that nobody
  uses the old one. `attempts` tells what became of it, `restarts` what only a new start changes,
  `collector` keeps Python's garbage out of the way.
- The router within Triton: `inside` routes what its threads hand over, `opening` makes one and
  tells Triton's log and metrics, `fleet` runs a Triton around it.
"""
