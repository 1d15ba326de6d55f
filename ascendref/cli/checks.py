"""The checks of ``ascendref doctor``: calls with exactly known results."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ascendref

from ..core.dtypes import BFLOAT16, FLOAT16, FLOAT32
from ..core.threads import PARALLEL_FROM
from ..verify.references import REFERENCES


def check_truth(name: str) -> dict[str, bool]:
    """Tell, per element type, whether an operator's correctly rounded mode gives the exact bits."""
    example = REFERENCES[name].example
    found = {}
    for kind in (FLOAT16, BFLOAT16, FLOAT32):
        tensors = {key: np.array(value, kind.numpy) for key, value in example.tensors.items()}
        found[kind.name] = all(
            given.tobytes() == np.array(value, kind.numpy).tobytes()
            for given, value in zip(
                _call(name, tensors, example.scalars, "float64"), example.expected, strict=True
            )
        )
    return found


def check_threads(name: str) -> bool:
    """Tell whether an operator gives the same bits serially and in parallel."""
    example = REFERENCES[name].example
    shape = np.shape(example.expected[0])
    tensors = {}
    for key, value in example.tensors.items():
        array = np.array(value, np.float32)
        # a weight per channel stays as it is
        tensors[key] = (
            np.tile(array, (PARALLEL_FROM, *[1] * (array.ndim - 1)))
            if array.shape == shape
            else array
        )
    parallel = _call(name, tensors, example.scalars, None)
    with ascendref.num_threads(1):
        serial = _call(name, tensors, example.scalars, None)
    return all(a.tobytes() == b.tobytes() for a, b in zip(parallel, serial, strict=True))


def _call(
    name: str, tensors: dict[str, NDArray[Any]], scalars: dict[str, Any], compute: str | None
) -> tuple[NDArray[Any], ...]:
    value = getattr(ascendref, name)(**tensors, **scalars, compute_dtype=compute)
    return value if isinstance(value, tuple) else (value,)
