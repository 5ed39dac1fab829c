"""A trained selector over an artefact in a folder, asked about a vector."""

import numpy as np

from orchestrator.selection import Values
from tests.selection.artefacts import saved
from tests.selection.made import contender, selector


def ask(tmp_path, document, vector, names=("small", "large"), topic=""):
    saved(tmp_path, document)
    rows = [contender(name) for name in names]
    defaults = {"ml": {"models_path": str(tmp_path)}}
    chooser = selector(document["algorithm"], rows, defaults=defaults)
    return chooser.choose(Values(embedding=np.array(vector, np.float32), topic=topic))
