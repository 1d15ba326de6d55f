"""What an operator declares: its parameters, shapes, accuracy and place on the device.

The package itself has what an operator's file needs.
"""

from __future__ import annotations

from ..core import fork_safety  # noqa: F401 - imports NumPy, which no interrupt may break
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
from .fields import (
    A2_A3,
    ALL_BUT_200I,
    INFERENCE_A2_A3,
    TRAINING_A2_A3,
    Forward,
    Gradient,
    OnDevice,
    Reduction,
    TensorParam,
    TorchOperator,
    Types,
)
from .losses import (
    BATCH_REDUCTION,
    NORM,
    REDUCTION,
    cancelled,
    count,
    declare_gradient,
    declare_loss,
    loss_accuracy,
    norm,
    weighted,
)
from .operator import Operator, Shape, declare
from .scalars import RealNumber, ScalarParam, single
from .shapes import broadcast_shapes, equal_shapes, half_shape, shape_of, shape_of_halves
from .views import HALVES, PER_CHANNEL

__all__ = [
    "A2_A3",
    "ALL_BUT_200I",
    "BATCH_REDUCTION",
    "HALF_ULP",
    "HALVES",
    "INFERENCE_A2_A3",
    "NORM",
    "PER_CHANNEL",
    "REDUCTION",
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
    "cancelled",
    "count",
    "declare",
    "declare_gradient",
    "declare_loss",
    "equal_shapes",
    "half_shape",
    "loss_accuracy",
    "near_zero",
    "norm",
    "relative",
    "rounded_once",
    "shape_of",
    "shape_of_halves",
    "single",
    "weighted",
    "where_normal",
]
