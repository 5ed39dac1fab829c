"""Which GPUs an engine runs on, besides the one that it is built on."""

from __future__ import annotations

from enum import StrEnum


class Hardware(StrEnum):
    """The model of GPU it was built on, its generation, or Ampere and later; each less fast."""

    SAME = "same"
    CAPABILITY = "capability"
    AMPERE = "ampere"


# -> the member of HardwareCompatibilityLevel
LEVELS = {
    Hardware.SAME: "NONE",
    Hardware.CAPABILITY: "SAME_COMPUTE_CAPABILITY",  # 10.5 has none of it
    Hardware.AMPERE: "AMPERE_PLUS",
}
