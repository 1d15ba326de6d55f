"""Small inputs with known results, by which ``ascendref doctor`` checks an installation."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ascendref

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32
from ..core.layout import PARALLEL_FROM


class Check(NamedTuple):
    """One call with a known result."""

    #: tensors by name; every number is exact in F16 and in BF16
    tensors: dict[str, Any]
    #: scalars by name
    scalars: dict[str, Any]
    #: exact results, rounded to F64; none is near the middle between two F16, BF16 or F32 numbers
    expected: tuple[Any, ...]


#: by operator
CHECKS: Final = {
    "hardshrink_backward": Check(
        {"grad_output": [1.5, -2.0, 3.0, 0.25], "self": [-1.0, 0.5, 0.25, 0.75]},
        {"lambd": 0.5},
        ([1.5, 0.0, 0.0, 0.25],),
    ),
    "softplus_backward": Check(
        {"grad_output": [1.0, 2.0, -3.0, 0.5], "self": [-1.0, 0.0, 1.0, 30.0]},
        {"beta": 1.0, "threshold": 20.0},
        ([0.2689414213699951, 1.0, -2.1931757358900146, 0.5],),
    ),
    "prelu_backward": Check(
        {
            "grad_output": [[1.0, 2.0], [3.0, 4.0]],
            "self": [[-1.0, 2.0], [3.0, -4.0]],
            "weight": [0.25, 0.5],
        },
        {},
        ([[0.25, 2.0], [3.0, 2.0]], [-1.0, -16.0]),
    ),
    "smooth_l1_loss_backward": Check(
        {
            "grad_out": [1.0, 1.0, 2.0, -1.0],
            "self": [0.5, 3.0, -4.0, 0.25],
            "target": [0.0, 0.0, 0.0, 1.0],
        },
        {"reduction": "mean", "beta": 3.0},
        ([1 / 24, 0.25, -0.5, 0.0625],),
    ),
    "logit_grad": Check(
        {"x": [0.25, 0.5, 0.75, 0.375], "dy": [1.0, -2.0, 3.0, 1.0]},
        {"eps": -1.0},
        ([16 / 3, -8.0, 16.0, 64 / 15],),
    ),
}


def check_truth(name: str) -> dict[str, bool]:
    """Tell, per element type, whether an operator's correctly rounded mode gives the exact bits."""
    check = CHECKS[name]
    found = {}
    for kind in (FLOAT16, BFLOAT16, FLOAT32):
        tensors = {key: np.array(value, kind.numpy) for key, value in check.tensors.items()}
        found[kind.name] = all(
            given.tobytes() == np.array(value, kind.numpy).tobytes()
            for given, value in zip(
                _call(name, tensors, check.scalars, "float64"), check.expected, strict=True
            )
        )
    return found


def check_threads(name: str) -> bool:
    """Tell whether an operator gives the same bits serially and in parallel."""
    check = CHECKS[name]
    shape = np.shape(check.expected[0])
    tensors = {}
    for key, value in check.tensors.items():
        array = np.array(value, np.float32)
        # a weight per channel stays as it is
        tensors[key] = (
            np.tile(array, (PARALLEL_FROM, *[1] * (array.ndim - 1)))
            if array.shape == shape
            else array
        )
    parallel = _call(name, tensors, check.scalars, None)
    with ascendref.num_threads(1):
        serial = _call(name, tensors, check.scalars, None)
    return all(a.tobytes() == b.tobytes() for a, b in zip(parallel, serial, strict=True))


def _call(
    name: str, tensors: dict[str, NDArray[Any]], scalars: dict[str, Any], compute: str | None
) -> tuple[NDArray[Any], ...]:
    value = getattr(ascendref, name)(**tensors, **scalars, compute_dtype=compute)
    return value if isinstance(value, tuple) else (value,)
