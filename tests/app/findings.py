"""What is said of a policy: the problems that refuse it, and the warnings."""

import pytest

from orchestrator.errors import ConfigError
from tests.app.planes import compiled


def problems(text):
    with pytest.raises(ConfigError) as caught:
        compiled(text)
    return caught.value.problems


def warnings(text):
    return [(one.path, one.message) for one in compiled(text).warnings]
