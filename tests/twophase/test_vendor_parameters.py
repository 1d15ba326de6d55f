"""Vendor's functions whose parameters are not tensors, scalars and results in this order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.fields import TensorParam
from ascendref.declaration.operator import Operator
from ascendref.declaration.scalars import ScalarParam, check_array_scalar, check_scalar
from ascendref.twophase.functions import phase_1_function, phase_2_function

from ..support.rounding import assert_bits

X = np.linspace(-3, 3, 7, dtype=np.float32)
INVALID, NULL = 161002, 161001


def status_of(operator: Operator, *arguments: Any) -> int:
    """Return the status with which phase 1 refuses a call."""
    with pytest.raises(ar.AclError) as caught:
        phase_1_function(operator)(*arguments)
    return int(caught.value.status)


def run(operator: Operator, dev: ar.Device, *arguments: Any) -> None:
    """Call both functions and wait."""
    size, executor = phase_1_function(operator)(*arguments)
    phase_2_function(operator)(dev.malloc(size) if size else None, size, executor, None)
    dev.synchronize()


def test_a_result_that_replaces_a_tensor() -> None:
    operator = replace(ar.OPERATORS["silu"], api="aclnnInplaceSilu", in_place="self")
    assert operator.arguments == ("selfRef",)
    assert operator.header == "aclnn_silu.h"
    dev = ar.Device("Atlas A2")
    x = dev.tensor(X)
    run(operator, dev, x)
    assert_bits(x.numpy(), ar.silu(X))
    assert status_of(operator, None) == NULL


@pytest.mark.parametrize("nullable", [False, True])
def test_scalars_before_tensors_and_a_tensor_that_is_not_used(nullable: bool) -> None:
    operator = replace(
        ar.OPERATORS["softplus_backward"],
        api=f"aclnnSoftplusBackwardWithBuffer{nullable:d}",
        order=("grad_output", "beta", "threshold", "self", "buffer", "grad_input"),
        unused=(TensorParam("buffer", default=0.0 if nullable else None),),
    )
    dev = ar.Device("Atlas A2")
    g, x, out = dev.tensor(2 * X), dev.tensor(X), dev.empty(X.shape, "float32")
    buffer = dev.tensor(X)
    run(operator, dev, g, 0.5, 1.0, x, buffer, out)
    assert_bits(out.numpy(), ar.softplus_backward(2 * X, X, 0.5, 1.0))
    assert_bits(buffer.numpy(), X)
    if nullable:
        run(operator, dev, g, 0.25, 1.0, x, None, out)
        assert_bits(out.numpy(), ar.softplus_backward(2 * X, X, 0.25, 1.0))
    else:
        assert status_of(operator, g, 0.5, 1.0, x, None, out) == NULL
    assert status_of(operator, g, None, 1.0, x, buffer, out) == NULL


def test_a_scalar_that_may_be_omitted() -> None:
    param = ScalarParam("lambd", vendor="lambdOptional", default=0.5)
    operator = replace(ar.OPERATORS["hardshrink_backward"], api="aclnnOptional", scalars=(param,))
    assert "lambdOptional" in operator.arguments
    dev = ar.Device("Atlas A2")
    g, x, out = dev.tensor(2 * X), dev.tensor(X / 4), dev.empty(X.shape, "float32")
    run(operator, dev, g, x, None, out)
    assert_bits(out.numpy(), ar.hardshrink_backward(2 * X, X / 4, 0.5))


def test_flags() -> None:
    param = ScalarParam("is_result", c_type="bool")
    for given in (True, 1, np.True_):
        assert check_scalar(param, given) == check_array_scalar(param, given) == 1.0
    assert check_array_scalar(param, False) == 0.0
    for given in (2, 0.5, float("nan")):
        with pytest.raises(ar.ArgumentValueError, match=r"is_result.*True and False"):
            check_array_scalar(param, given)


def test_scalars_that_are_not_allowed_together_and_the_least_rank() -> None:
    def check(beta: float, threshold: float) -> None:
        if beta > threshold:
            raise ar.ArgumentValueError("beta", "is above the threshold")

    original = ar.OPERATORS["softplus_backward"]
    device = original.device._replace(least_rank=1)
    operator = replace(original, api="aclnnChecked", check_scalars=check, device=device)
    dev = ar.Device("Atlas A2")
    x, one = dev.tensor(X), dev.tensor(np.float32(1))
    assert status_of(operator, x, x, 2.0, 1.0, dev.empty(X.shape, "float32")) == INVALID
    assert status_of(operator, one, one, 1.0, 2.0, dev.empty((), "float32")) == INVALID
