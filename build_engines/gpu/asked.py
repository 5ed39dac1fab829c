"""What a command line asks of an engine. Loads no ONNX: checking works where that is absent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from build_engines.gpu.hardware import Hardware
from build_engines.gpu.job import EngineJob, job_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Of a build, beyond the spec."""

    hardware: Hardware = Hardware.SAME
    versions: bool = False  # the plan runs with later versions of TensorRT too
    typed: bool = False  # TensorRT 10: precision by the graph's types, as 11 has it

    def options(self) -> list[str]:
        """The command line's, to say them again."""
        found = [] if self.hardware is Hardware.SAME else [f"--hardware {self.hardware}"]
        found += ["--version-compatible"] if self.versions else []
        return found + (["--strongly-typed"] if self.typed else [])


@dataclass(frozen=True, slots=True)
class Asked:
    """A command. `container`: the tag of the image whose Triton will load the engine."""

    model: str
    build: Path | None = None
    repository: Path | None = None
    container: str = ""
    wanted: Wanted = Wanted()

    def job(self) -> EngineJob:
        return job_of(self.model, self.build, self.repository)
