"""Says, as JSON, what the TensorRT that can be imported here has. Run apart for each version."""

import json
import sys

import tensorrt_bindings as trt


def signature(thing):
    """The first line of what the binding says of itself."""
    return (getattr(thing, "__doc__", None) or "").split("\n")[0]


def looked_at(names):
    found = {}
    for name in names:
        kind = getattr(trt, name)
        found[name] = {one: signature(getattr(kind, one)) for one in dir(kind) if one[0] != "_"}
    return found


enums = [name for name in dir(trt) if hasattr(getattr(trt, name), "__members__")]
print(
    json.dumps(
        {
            "version": trt.__version__,
            "classes": looked_at(sys.argv[1:]),
            "enums": {name: sorted(getattr(trt, name).__members__) for name in enums},
            "severities": [one for one in dir(trt.Logger) if one.isupper()],
            "flags": {
                name: int(one)
                for name, one in trt.NetworkDefinitionCreationFlag.__members__.items()
            },
        }
    )
)
