#!/bin/sh
# ml_dtypes 0.6.0 with numpy 2.4.6: casts of float64 and int64 round twice, to float32 on their way.
# For whoever makes references: results of float64, cast to bfloat16 or float8, are not always the
# nearest numbers. NumPy's float16 rounds once; torch 2.13.0 and JAX 0.10.2 round twice as well.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install -q ml_dtypes==0.6.0 numpy==2.4.6
"$folder/bin/python" - <<'PROGRAM'
import sys

import ml_dtypes
import numpy as np

print("ml_dtypes", ml_dtypes.__version__, "numpy", np.__version__)
same = True
# each number is above the middle between 1 and the next number, and not by what float32 shows
for kind, bits in ((np.float16, 10), (ml_dtypes.bfloat16, 7), (ml_dtypes.float8_e4m3fn, 3)):
    above = np.float64([1 + 2.0 ** -(bits + 1) + 2.0**-40])
    found, upper = float(above.astype(kind)[0]), 1 + 2.0**-bits
    print(f"{float(above[0])!r} as {np.dtype(kind)}: expected {upper}, found {found}")
    same &= found == (upper if kind is np.float16 else 1)
above = np.int64([2**24 + 2**16 + 1])
found = float(above.astype(ml_dtypes.bfloat16)[0])
print(f"{above[0]} as bfloat16: expected {2**24 + 2**17}, found {found:.0f}")
sys.exit(not (same and found == 2**24))
PROGRAM
