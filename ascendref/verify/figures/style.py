"""The colours and labels of all figures."""

from __future__ import annotations

from typing import Final

from ..accuracy.sweep import TORCH

#: colours that stay apart in print and for the colour-blind (Okabe and Ito)
COLOURS: Final = {
    "float16": "#009E73",
    "bfloat16": "#E69F00",
    "float32": "#0072B2",
    "float64": "#000000",
    TORCH: "#D55E00",
}
LABELS: Final = {"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64"}


def computed_label(name: str) -> str:
    return "PyTorch" if name == TORCH else f"computed in {LABELS[name]}"
