"""TensorRT's Python as far as it is used, 10 or 11: records what it is told, and computes by ONNX
Runtime. Its plan is the graph. Members of enumerations are those of the real versions."""

import enum
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import TensorProto

from tests.build_engines.gpu import rectangles


def numbered(name, *members):
    return enum.IntEnum(name, {member: at for at, member in enumerate(members)})


class Layer:
    """Of 11 without precisions."""

    def __init__(self, name, dtypes, typed):
        self.name, self._dtypes = name, dtypes
        self.num_outputs = len(dtypes)
        self.told = {}
        self._typed = typed

    def get_output(self, index):
        return SimpleNamespace(name=f"{self.name}:{index}", dtype=self._dtypes[index])

    def __setattr__(self, name, value):
        if name == "precision" and self._typed:
            raise AttributeError("strongly typed networks have no precision of layers")
        super().__setattr__(name, value)

    def set_output_type(self, index, dtype):
        assert not self._typed
        self.told[index] = dtype


class Config:
    def __init__(self, trt):
        self._trt = trt
        self.hardware_compatibility_level = None
        self.flags, self.cleared, self.pools, self.profiles = set(), set(), {}, []
        self.cache = None

    def set_flag(self, flag):
        self.flags.add(flag)

    def clear_flag(self, flag):
        self.cleared.add(flag)

    def set_memory_pool_limit(self, pool, pool_size):
        self.pools[pool] = pool_size

    def add_optimization_profile(self, profile):
        if self._trt.refuses == "profile":
            return -1
        self.profiles.append(profile.shapes)
        return len(self.profiles) - 1

    def create_timing_cache(self, serialized_timing_cache):
        return SimpleNamespace(
            data=serialized_timing_cache, serialize=lambda: serialized_timing_cache + b"+"
        )

    def set_timing_cache(self, cache, ignore_mismatch):
        if cache.data and self._trt.refuses == "timings":
            return False
        self.cache = cache
        return True

    def get_timing_cache(self):
        return self.cache


class Profile:
    def __init__(self):
        self.shapes = {}

    def set_shape(self, input, min, opt, max):
        self.shapes[input] = (min, opt, max)


class Parser:
    def __init__(self, trt, network):
        self._trt, self._network = trt, network
        self.num_errors = 0

    def parse(self, model):
        if self._trt.refuses == "graph":
            self.num_errors = 2
            return False
        self._network.graph = model
        parsed = onnx.load_from_string(model)
        whole = {"Shape", "Reshape/shape"}
        float_, int_ = self._trt.DataType.FLOAT, self._trt.DataType.INT32
        for node in parsed.graph.node:
            dtype = int_ if node.op_type in whole else float_
            self._network.layers.append(Layer(node.name, [dtype], self._trt.major == 11))
            # As the real one: a node may become several layers.
            self._network.layers.append(Layer(f"{node.name}_7", [int_], self._trt.major == 11))
        return True

    def get_error(self, index):
        return f"node {index} is not known"


class Context:
    def __init__(self, trt, plan):
        self._trt = trt
        self._session = rectangles.session(plan)
        self._shapes, self._places, self._profile = {}, {}, None
        names = [one.name for one in self._session.get_outputs()]
        self._outputs = names

    def set_optimization_profile_async(self, profile_index, stream_handle):
        self._trt.entered.append(profile_index)
        return self._trt.refuses != "enter"

    def set_input_shape(self, name, shape):
        self._shapes[name] = tuple(shape)
        return True

    def _run(self):
        inputs = {}
        for one in self._session.get_inputs():
            kind = np.int32 if one.type == "tensor(int32)" else np.float32
            data = self._trt.memory.blocks[self._places[one.name]]
            shape = self._shapes[one.name]
            size = int(np.prod(shape)) * 4
            inputs[one.name] = np.frombuffer(data[:size], kind).reshape(shape)
        return dict(zip(self._outputs, self._session.run(self._outputs, inputs), strict=True))

    def get_tensor_shape(self, name):
        return self._run()[name].shape

    def set_tensor_address(self, name, memory):
        self._places[name] = memory
        return True

    def execute_async_v3(self, stream_handle):
        if self._trt.refuses == "run":
            return False
        for name, rows in self._run().items():
            self._trt.memory.blocks[self._places[name]] = self._trt.bent(rows).tobytes()
        return True


class Memory:
    """Blocks by address. Fresh blocks hold what is no number."""

    stream = 7

    def __init__(self):
        self.blocks, self._names = {}, {}
        self.waits = 0

    def memory(self, name, size):
        address = self._names.setdefault(name, len(self._names) + 100)
        if len(self.blocks.get(address, b"")) < size:
            self.blocks[address] = b"\xff" * size
        return address

    def write(self, address, data):
        assert len(self.blocks[address]) >= len(data)
        self.blocks[address] = data

    def read(self, address, size):
        return self.blocks[address][:size]

    def wait(self):
        self.waits += 1


class TensorRT:
    def __init__(self, version="10.13.3.9", refuses="", bent=lambda rows: rows):
        self.__version__ = version
        self.major = int(version.split(".")[0])
        self.refuses, self.bent = refuses, bent
        self.memory = Memory()
        self.entered, self.made, self.config = [], [], None
        narrow = ("FP16", "BF16", "OBEY_PRECISION_CONSTRAINTS") if self.major == 10 else ()
        self.BuilderFlag = numbered("BuilderFlag", "TF32", "VERSION_COMPATIBLE", *narrow)
        self.DataType = numbered("DataType", "FLOAT", "HALF", "INT32")
        levels = ["NONE", "AMPERE_PLUS"]
        levels += ["SAME_COMPUTE_CAPABILITY"] if version != "10.5.0" else []
        self.HardwareCompatibilityLevel = numbered("HardwareCompatibilityLevel", *levels)
        self.MemoryPoolType = numbered("MemoryPoolType", "WORKSPACE")
        self.TensorIOMode = numbered("TensorIOMode", "NONE", "INPUT", "OUTPUT")
        modes = ("EXPLICIT_BATCH", "STRONGLY_TYPED") if self.major == 10 else ("STRONGLY_TYPED",)
        self.NetworkDefinitionCreationFlag = numbered("NetworkDefinitionCreationFlag", *modes)
        self.Logger = lambda severity: SimpleNamespace(severity=severity)
        self.Logger.WARNING = "warning"

    def Builder(self, logger):
        self.made.append("builder")
        return self

    def create_network(self, flags):
        self.flags = flags
        self.network = SimpleNamespace(layers=[])
        self.network.get_layer = lambda at: self.network.layers[at]
        return self.network

    def create_builder_config(self):
        self.network.num_layers = len(self.network.layers)
        self.config = Config(self)
        return self.config

    def create_optimization_profile(self):
        return Profile()

    def build_serialized_network(self, network, config):
        return None if self.refuses == "build" else memoryview(network.graph)

    def OnnxParser(self, network, logger):
        return Parser(self, network)

    def Runtime(self, logger):
        self.made.append("runtime")
        return SimpleNamespace(
            deserialize_cuda_engine=lambda plan: (
                None if self.refuses == "plan" else Engine(self, plan)
            )
        )


class Engine:
    def __init__(self, trt, plan):
        self._trt, self._plan = trt, plan
        graph = onnx.load_from_string(plan).graph
        self._inputs = [one.name for one in graph.input]
        self._names = [*self._inputs, *(one.name for one in graph.output)]
        assert all(one.type.tensor_type.elem_type == TensorProto.FLOAT for one in graph.output)
        self.num_io_tensors = len(self._names)

    def get_tensor_name(self, index):
        return self._names[index]

    def get_tensor_mode(self, name):
        mode = self._trt.TensorIOMode
        return mode.INPUT if name in self._inputs else mode.OUTPUT

    def create_execution_context(self):
        return None if self._trt.refuses == "context" else Context(self._trt, self._plan)
