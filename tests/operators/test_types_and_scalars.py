"""Types that meet, integers and truths as data, and scalars that have names or limits."""

from math import nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.operands import each_type, gives, row
from ..support.rounding import FORMATS, assert_bits


@pytest.mark.parametrize(
    ("grad", "x", "promoted"),
    [
        ("float16", "bfloat16", "float32"),
        ("bfloat16", "float16", "float32"),
        ("float16", "float32", "float32"),
        ("float32", "bfloat16", "float32"),
        ("float64", "float16", "float64"),
        ("bfloat16", "float64", "float64"),
    ],
)
def test_mixed_types_meet_in_the_promoted_one(grad: str, x: str, promoted: str) -> None:
    gives(ar.hardshrink_backward(row(grad, 3, 3), row(x, 0.25, 0.75)), promoted, 0, 3)
    gives(ar.softplus_backward(row(grad, 2), row(x, 0)), promoted, 1)


def test_mixed_results_round_to_the_promoted_type_before_the_cast() -> None:
    grad = np.array([1 + 2.0**-8 + 2.0**-20], np.float32)
    other = np.ones(1, np.float16)
    out = np.empty(1, FORMATS["bfloat16"].dtype)
    ar.hardshrink_backward(grad, other, 0.5, out=out)
    gives(out, "bfloat16", 1 + 2.0**-7)
    # float64 arithmetic with a float32 result: 2**-40 is lost before the tie is looked at
    wide = np.array([1 + 2.0**-8 + 2.0**-40])
    ar.hardshrink_backward(wide, other, 0.5, out=out)
    gives(out, "bfloat16", 1 + 2.0**-7)
    ar.hardshrink_backward(wide, other, 0.5, out=out, compute_dtype="float32")
    gives(out, "bfloat16", 1)


@pytest.mark.full
@pytest.mark.parametrize("integer", ["int8", "int16", "int32", "int64", "uint8", "bool"])
@each_type
def test_integers_as_self(kind: str, integer: str) -> None:
    got = ar.softplus_backward(row(kind, 2, 2), np.array([0, 1], integer), 1.0, 0.5)
    gives(got, kind, 1, 2)
    if integer != "bool":
        info = np.iinfo(integer)
        x = np.array([info.min, info.max], integer)
        got = ar.softplus_backward(row("float32", 2, 2), x, 1.0, 0.5)
        # exp(128) is beyond float32 already
        gives(got, "float32", 1 if info.min == 0 else 0, 2)


@pytest.mark.parametrize(
    ("kind", "compute"),
    [
        ("float32", None), ("float16", None), ("float32", "float16"), ("bfloat16", "bfloat16"),
        ("float32", "float64"), ("float64", None), ("float64", "float32"),
    ],
)  # fmt: skip
def test_any_byte_but_0_is_true(kind: str, compute: str | None) -> None:
    """NumPy and torch make such bytes of C memory, and they call them true."""
    truths = np.arange(256, dtype=np.uint8)
    grad = row(kind, *np.linspace(-2, 2, 256))
    want = ar.softplus_backward(grad, truths != 0, 3.0, compute_dtype=compute)
    for part in (slice(None), slice(None, None, -1), slice(None, None, 2)):
        got = ar.softplus_backward(grad[part], truths.view("?")[part], 3.0, compute_dtype=compute)
        assert_bits(got, want[part])
    large = np.tile(grad, 300), np.tile(truths, 300).view("?")
    assert_bits(ar.softplus_backward(*large, 3.0, compute_dtype=compute), np.tile(want, 300))


@pytest.mark.parametrize(
    "reduction", [None, True, False, np.True_, b"mean", [1], -1, 3, 0.5, nan, "average", "", "MEAN"]
)
def test_other_reductions_are_refused(reduction: Any) -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(
        ar.ArgumentError,
        match=r"^reduction is .*; allowed are 0 \('none'\), 1 \('mean'\), 2 \('sum'\)$",
    ):
        ar.smooth_l1_loss_backward(x, x, x, reduction)
