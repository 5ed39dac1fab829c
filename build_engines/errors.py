"""Every deliberate failure of a build.

BuildError
├── SpecError      models/<model>.toml cannot be used
├── WeightsError   no source has the checkpoint, or it is not the one the spec describes
├── TargetError    what is to be built cannot be built here
├── StaleError     the step before is missing, or its files have changed since
├── ParityError    the network answers differently from the reference
└── DriftError     what is committed is not what the spec and the receipts say
"""


class BuildError(Exception):
    """One readable message: what is wrong, in which file, and what to run."""


class SpecError(BuildError): ...


class WeightsError(BuildError): ...


class TargetError(BuildError): ...


class StaleError(BuildError): ...


class ParityError(BuildError): ...


class DriftError(BuildError): ...
