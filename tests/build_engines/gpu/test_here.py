import sys
from types import ModuleType

import pytest

from build_engines.errors import TargetError
from build_engines.gpu import bindings
from build_engines.gpu.here import here


def test_without_a_driver_nothing_of_tensorrt_is_touched(monkeypatch, tmp_path):
    class Untouchable(ModuleType):
        def __getattr__(self, name):
            raise AssertionError(f"TensorRT was asked for {name}")

    for name in bindings.MODULES:
        monkeypatch.setitem(sys.modules, name, Untouchable(name))

    with pytest.raises(TargetError, match="no NVIDIA driver here"):
        here("25.12", tmp_path / "TRITON_VERSION", library="libcuda-nowhere.so.1")


def test_the_bindings_alone_will_do(monkeypatch):
    module = ModuleType("tensorrt_bindings")
    monkeypatch.setitem(sys.modules, "tensorrt", None)
    monkeypatch.setitem(sys.modules, "tensorrt_bindings", module)

    assert bindings.load() is module


def test_where_there_are_none_it_is_said_why(monkeypatch):
    for name in bindings.MODULES:
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(TargetError, match="TensorRT cannot be imported: .*tensorrt_bindings"):
        bindings.load()


def test_a_library_that_is_not_there_has_no_version():
    assert bindings.library("10.13.3.9", "libnvinfer-nowhere.so.{major}") == ""
