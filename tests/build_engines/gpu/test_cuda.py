"""The driver's library as a stand-in written in C: what ctypes passes is what it gets."""

import shutil
import subprocess

import pytest

from build_engines.errors import TargetError
from build_engines.gpu import cuda
from build_engines.gpu.cuda import Cuda, Device

SOURCE = r"""
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define CONTEXT ((void *)0x123456789a)
#define STREAM ((void *)0x7f00000000aa)
static int freed, waited;
int cuInit(unsigned flags) { return INIT; }
int cuGetErrorString(int code, const char **said) { *said = "no CUDA-capable device"; return 0; }
int cuDeviceGet(int *device, int which) { *device = 3 + which; return 0; }
int cuDevicePrimaryCtxRetain(void **made, int device) { *made = CONTEXT; return device - 3; }
int cuCtxSetCurrent(void *context) { return context == CONTEXT ? 0 : 1; }
int cuStreamCreate(void **made, unsigned flags) { *made = STREAM; return 0; }
int cuStreamSynchronize(void *stream) { waited++; return stream == STREAM ? 0 : 1; }
int cuDeviceGetName(char *text, int size, int device) {
  strncpy(text, device == 3 ? "NVIDIA Stand-in" : "?", size);
  return 0;
}
int cuDeviceGetAttribute(int *value, int which, int device) {
  *value = which == 75 ? 9 : 0;
  return 0;
}
int cuMemAlloc_v2(uint64_t *made, size_t size) { *made = (uint64_t)malloc(size); return 0; }
int cuMemFree_v2(uint64_t address) { free((void *)address); freed++; return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  memcpy((void *)to, from, size);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  memcpy(to, (void *)from, size);
  return 0;
}
int count_freed(void) { return freed; }
int count_waited(void) { return waited; }
int nvmlInit_v2(void) { return NVML; }
int nvmlSystemGetDriverVersion(char *text, unsigned size) {
  strncpy(text, "570.86.15", size);
  return 0;
}
"""


@pytest.fixture
def library(tmp_path):
    """Compiles one: `init` and `nvml` are what these calls return."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc here to make a stand-in for the NVIDIA driver")

    def compiled(init=0, nvml=0):
        source, library = tmp_path / "cuda.c", tmp_path / f"libcuda-{init}-{nvml}.so"
        source.write_text(SOURCE)
        flags = [f"-DINIT={init}", f"-DNVML={nvml}"]
        subprocess.run(
            ["gcc", "-shared", "-fPIC", *flags, str(source), "-o", str(library)], check=True
        )
        return str(library)

    return compiled


def test_without_a_driver_it_is_said_so():
    assert cuda.driver("libcuda-nowhere.so.1") is None

    with pytest.raises(TargetError, match="no NVIDIA driver here .libcuda-nowhere"):
        Cuda("libcuda-nowhere.so.1")


def test_a_driver_without_a_gpu_is_said_in_its_own_words(library):
    with pytest.raises(TargetError) as raised:
        Cuda(library(init=100))

    said = "the NVIDIA driver refuses cuInit: no CUDA-capable device (100)"
    assert str(raised.value) == said


def test_the_gpu_is_described(library):
    found = Cuda(library()).device()

    assert found == Device("NVIDIA Stand-in", "9.0", found.driver)


def test_what_is_written_is_read_after_the_stream_is_done(library):
    path = library()
    gpu = Cuda(path)
    address = gpu.memory("x", 5)

    gpu.write(address, b"abcde")

    assert gpu.read(address, 5) == b"abcde"
    assert cuda.driver(path).count_waited() == 1


def test_a_tensor_keeps_its_memory_until_it_needs_more(library):
    path = library()
    gpu = Cuda(path)

    first = gpu.memory("x", 1 << 20)

    assert gpu.memory("x", 16) == first
    assert gpu.memory("y", 16) != first
    gpu.memory("x", 1 << 21)
    assert cuda.driver(path).count_freed() == 1


@pytest.mark.parametrize(
    ("nvml", "told", "version"),
    [
        pytest.param(0, None, "570.86.15", id="by the management library"),
        pytest.param(
            9,
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 2024",
            "550.54.15",
            id="by the kernel module",
        ),
        pytest.param(9, None, "unknown", id="by neither"),
    ],
)
def test_the_driver_has_a_version(library, tmp_path, nvml, told, version):
    file = tmp_path / "version"
    if told:
        file.write_text(told)

    assert cuda.version(library(nvml=nvml), file) == version
