"""What an operator declares: its parameters, shapes, accuracy and place on the device.

The package itself has what an operator's file needs.
"""

from __future__ import annotations

from .accuracy import (
    HALF_ULP,
    Accuracy,
    Bound,
    by_choice,
    near_zero,
    relative,
    rounded_once,
    where_normal,
)
from .losses import REDUCTION, REDUCTIONS, count, mode, norm
from .operator import (
    A2_A3,
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    Gradient,
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
from .shapes import (
    broadcast_shapes,
    equal_shapes,
    half_shape,
    shape_of_halves,
    shape_of_self,
)
from .views import HALVES, PER_CHANNEL

__all__ = [
    "A2_A3",
    "ALL_BUT_200I",
    "HALF_ULP",
    "HALVES",
    "PER_CHANNEL",
    "REDUCTION",
    "REDUCTIONS",
    "TRAINING_A2_A3",
    "Accuracy",
    "Bound",
    "Forward",
    "Gradient",
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
    "half_shape",
    "mode",
    "near_zero",
    "norm",
    "relative",
    "rounded_once",
    "shape_of_halves",
    "shape_of_self",
    "single",
    "where_normal",
]
