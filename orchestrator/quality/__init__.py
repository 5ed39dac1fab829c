"""How good answers are: figures of arrays of answers and truths. It knows no model and no file.

`classes` counts labels, `calibration` holds probabilities against what came true, `ranking` weighs
a score that should be high for positives, `spans` compares pieces of texts.
"""

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
