"""What an operator declares: its parameters, shapes, accuracy and place on the device.

The package itself has what an operator's file needs.
"""

from __future__ import annotations

from ..core import fork_safety  # noqa: F401 - imports NumPy, which no interrupt may break
from .accuracy import HALF_ULP, Accuracy, Bound, by_choice, near_zero, relative, rounded_once
from .losses import REDUCTION, REDUCTIONS, count, mode, norm
from .operator import (
    A2_A3,
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    Operator,
    Reduction,
    Shape,
    TensorParam,
    TorchOperator,
    Types,
    declare,
)
from .scalars import RealNumber, ScalarParam, single
from .shapes import broadcast_shapes, equal_shapes, shape_of_self

__all__ = [
    "A2_A3",
    "ALL_BUT_200I",
    "HALF_ULP",
    "REDUCTION",
    "REDUCTIONS",
    "TRAINING_A2_A3",
    "Accuracy",
    "Bound",
    "Forward",
    "OnDevice",
    "Operator",
    "RealNumber",
    "Reduction",
    "ScalarParam",
    "Shape",
    "TensorParam",
    "TorchOperator",
    "Types",
    "broadcast_shapes",
    "by_choice",
    "count",
    "declare",
    "equal_shapes",
    "mode",
    "near_zero",
    "norm",
    "relative",
    "rounded_once",
    "shape_of_self",
    "single",
]
