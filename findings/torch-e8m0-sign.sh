#!/bin/sh
# torch 2.13.0, CPU: a negative scale of MX data becomes its positive counterpart.
# Its rounding is that of ml_dtypes 0.6.0, which makes NaN of numbers that float8_e8m0fnu lacks.
# For whoever ports MX quantization: a sign error shows in one library and is silent in the other.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install -q torch==2.13.0 ml_dtypes==0.6.0 numpy==2.4.6
"$folder/bin/python" - <<'PROGRAM'
import sys

import ml_dtypes
import numpy as np
import torch

scales = np.float32([1.4, 1.5, 3, -1, -1.5, -3e-20, 0])
theirs = torch.from_numpy(scales).to(torch.float8_e8m0fnu).float().numpy()
others = scales.astype(ml_dtypes.float8_e8m0fnu).astype(np.float32)
print("torch", torch.__version__, "ml_dtypes", ml_dtypes.__version__)
print("numbers:   ", *scales)
print("expected:   1 2 4, then NaN, for the type has no sign and no 0")
print("ml_dtypes: ", *others)
print("torch:     ", *theirs)
nan = np.nan
same = np.array_equal(others, [1, 2, 4, nan, nan, nan, nan], equal_nan=True)
same &= np.array_equal(theirs, np.float32([1, 2, 4, 1, 2, 2.0**-65, 2.0**-127]))
sys.exit(not same)
PROGRAM
