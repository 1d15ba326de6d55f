"""Train a small network on handwritten digits, in F32 and in BF16, with gradients from ascendref.

    pip install "ascendref[cli]"
    python examples/01_train_digits.py

The network and its training are in ``ascendref/cli/digits.py``, about a hundred lines of plain
NumPy; ``gradients`` there calls ascendref. The code is part of the package because the command
``ascendref demo`` runs it too.
"""

import ml_dtypes
import numpy as np

from ascendref.cli.digits import load, train

EPOCHS, SEED = 20, 0

digits = load(SEED)
print(f"{len(digits.labels)} images to learn from, {len(digits.held_out_labels)} held out")
print("epoch   F32 loss  held out   BF16 loss  held out")

in_f32 = train(digits, np.float32, EPOCHS, SEED)
in_bf16 = train(digits, ml_dtypes.bfloat16, EPOCHS, SEED)
for number, (f32, bf16) in enumerate(zip(in_f32, in_bf16, strict=True), start=1):
    print(
        f"{number:5}   {f32.loss:8.4f}  {f32.accuracy:8.1%}"
        f"   {bf16.loss:9.4f}  {bf16.accuracy:8.1%}"
    )
