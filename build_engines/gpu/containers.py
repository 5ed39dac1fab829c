"""Which TensorRT a Triton container has, as far as its makers publish it.

From triton-inference-server/server, docs/introduction/compatibility.md at commit 0f963c9a: the
images `-trtllm-python-py3`. That of the plain `-py3` images is not in it and differs for some:
build inside the image that will serve, and nothing has to be looked up.
"""

from __future__ import annotations

from collections.abc import Mapping

from build_engines.errors import TargetError

TENSORRT: Mapping[str, str] = {
    "24.10": "10.4.0",
    "24.11": "10.6.0",
    "24.12": "10.7.0",
    "25.01": "10.8.0.43",
    "25.02": "10.8.0.43",
    "25.03": "10.9.0.34",
    "25.04": "10.9.0.34",
    "25.05": "10.9.0.34",
    "25.06": "10.10.0.31",
    "25.07": "10.10.0.31",
    "25.08": "10.11.0.33",
    "25.09": "10.11.0.33",
    "25.10": "10.11.0.33",
    "25.11": "10.13.3.9",
    "25.12": "10.13.3.9",
    "26.01": "10.13.3.9",
    "26.02": "10.13.3.9",
    "26.03": "10.14.1.48",
    "26.04": "10.14.1.48",
    "26.05": "10.14.1.48",
    "26.06": "10.14.1.48",
    "26.07": "10.14.1.48",
}


def check(version: str, container: str, inside: bool) -> None:
    """That an engine of TensorRT `version` will be read by Triton's `container`.

    Raises TargetError where the table says otherwise. `inside` it, it is so whatever the table
    says; of a container that the table does not have nothing is known.
    """
    stated = TENSORRT.get(container)
    if inside or stated is None or _release(stated) == _release(version):
        return
    raise TargetError(
        f"TensorRT here is {version}, Triton {container} has {stated}: it would not read the plan; "
        "build inside the container (docs/gpu.md)"
    )


def _release(version: str) -> list[str]:
    return version.split(".")[:3]
