"""
Training in F32 and in BF16
===========================

A small network learns handwritten digits in F32 and in BF16, with gradients from ascendref::

    python examples/01_train_digits.py [PICTURE]

It needs the extras ``cli`` and ``plot`` (``docs/install.md``).

The network and its training are in ``ascendref/cli/digits.py``, about a hundred lines of plain
NumPy; ``gradients`` there calls ascendref. The code is part of the package because the command
``ascendref demo`` runs it too.
"""

import sys

import ml_dtypes
import numpy as np
from matplotlib.figure import Figure

from ascendref.cli.digits import load, train

EPOCHS, SEED = 20, 0

digits = load(SEED)
print(f"{len(digits.labels)} images to learn from, {len(digits.held_out_labels)} held out")
print("epoch   F32 loss  held out   BF16 loss  held out")

in_f32 = list(train(digits, np.float32, EPOCHS, SEED))
in_bf16 = list(train(digits, ml_dtypes.bfloat16, EPOCHS, SEED))
for number, (f32, bf16) in enumerate(zip(in_f32, in_bf16, strict=True), start=1):
    print(
        f"{number:5}   {f32.loss:8.4f}  {f32.accuracy:8.1%}"
        f"   {bf16.loss:9.4f}  {bf16.accuracy:8.1%}"
    )

# %%
# Loss and accuracy
# -----------------
# Both trainings start with the same weights; those in BF16 round every weight and gradient.

if len(sys.argv) > 1:
    # Picture: loss of the training images, and the share of held-out images that is recognised,
    # after each epoch in F32 and in BF16.
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    losses, shares = figure.subplots(1, 2)
    for label, epochs in (("F32", in_f32), ("BF16", in_bf16)):
        losses.plot([epoch.loss for epoch in epochs], label=label)
        shares.plot([100 * epoch.accuracy for epoch in epochs], label=label)
    losses.set(xlabel="epoch", ylabel="loss", yscale="log")
    shares.set(xlabel="epoch", ylabel="% of held-out digits recognised")
    losses.legend()
    figure.savefig(sys.argv[1])
