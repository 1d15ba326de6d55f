"""Flags, scalars that come before tensors, and checks of scalars together."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.calls import call
from ..support.rounding import assert_bits
from ..support.two_phase import launch, phase_1, queue, refusal, refused

pytestmark = pytest.mark.tiny

INVALID = 161002
X = np.float32([-3, -1.5, -0.0, 0, 0.5, 3, nan])
GRAD = np.float32([1, -2, 3, -4, 5, 6, 7])

#: operator -> scalars that are allowed with a flag, and such that are without it alone
FLAGGED: dict[str, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {
    "leaky_relu_backward": (
        [(0.25,), (0.0,), (-0.0,), (inf,)],
        [(-0.25,), (-1e-300,), (-inf,), (nan,)],
    ),
    "elu_backward": (
        [(0.5, 2.0, 3.0), (0.0, -1.0, 1.0), (1.0, nan, -2.0), (inf, 1.0, 1.0)],
        [(-0.5, 1.0, 1.0), (-1e-300, 1.0, 1.0), (nan, 1.0, 1.0)],
    ),
}
each_flagged = pytest.mark.parametrize("operator", FLAGGED)


def on_device(operator: str, *scalars: Any) -> Any:
    """Return what the device computes."""
    dev = ar.Device("Atlas A2")
    out = dev.empty(X.shape, "float32")
    queue(dev, operator, dev.tensor(GRAD), dev.tensor(X), *scalars, out)
    dev.synchronize()
    return out.numpy()


@each_flagged
def test_a_flag_is_a_truth_value(operator: str) -> None:
    (scalars, *_), _ = FLAGGED[operator]
    want = {flag: call(operator, GRAD, X, *scalars, flag)[0] for flag in (False, True)}
    assert (want[False].tobytes() != want[True].tobytes()) == (operator == "elu_backward")
    for flag in (True, False, 1, 0, 1.0, 0.0, np.True_, np.False_, np.int8(1), np.float16(0)):
        for _ in range(2):  # a cached call, too
            assert_bits(call(operator, GRAD, X, *scalars, flag)[0], want[bool(flag)])
        assert_bits(on_device(operator, *scalars, flag), want[bool(flag)])
    for flag in (2, -1, 0.5, nan, inf, np.int8(3)):
        with pytest.raises(ar.ArgumentValueError, match=r"_result is .*allowed are True and False"):
            call(operator, GRAD, X, *scalars, flag)
        status, message = refusal(on_device, operator, *scalars, flag)
        assert status == INVALID
        assert "Result is" in message
    for flag in (None, "True", [True], np.array([True, False])):
        with pytest.raises(ar.ArgumentError, match="_result is "):
            call(operator, GRAD, X, *scalars, flag)


@each_flagged
def test_scalars_are_checked_together(operator: str) -> None:
    allowed, others = FLAGGED[operator]
    flag = "is_result"
    for _ in range(2):  # in full, then by cached calls
        for scalars in allowed:
            call(operator, GRAD, X, *scalars, True)
            on_device(operator, *scalars, True)
        for scalars in others:
            call(operator, GRAD, X, *scalars, False)
            on_device(operator, *scalars, False)
            with pytest.raises(ar.ArgumentValueError, match=f"must be at least 0 if .*{flag}"):
                call(operator, GRAD, X, *scalars, True)
            status, message = refusal(on_device, operator, *scalars, True)
            assert status == INVALID
            assert "must be at least 0 if" in message


def test_a_refused_call_writes_nothing() -> None:
    out = np.full_like(X, 77)
    for scalars in ((-0.5, True), (0.5, 2)):
        with pytest.raises(ar.ArgumentValueError):
            ar.leaky_relu_backward(GRAD, X, *scalars, out=out)
    with pytest.raises(ar.ArgumentValueError):
        ar.celu(X, 0.0, out=out)
    assert (out == 77).all()


@pytest.mark.parametrize("alpha", [0.0, -0.0, 0, nan, 1e-60, -1e-60])
def test_celu_refuses_an_alpha_that_it_cannot_divide_by(dev: Any, alpha: float) -> None:
    tensor = dev.tensor(X)
    assert refusal(queue, dev, "celu", tensor, 0.5, tensor)[0] == 0
    ar.celu(X, 0.5)
    for _ in range(2):
        with pytest.raises(ar.ArgumentValueError, match=r"^alpha is .*; it must not be 0 or NaN"):
            ar.celu(X, alpha)
    for call_refused in (
        refused("aclnnCelu", tensor, alpha, tensor),
        refused("aclnnInplaceCelu", tensor, alpha),
    ):
        assert (call_refused[0], "alpha is" in call_refused[1]) == (INVALID, True)


def test_scalars_may_be_named_whatever_their_place(dev: Any) -> None:
    out = dev.empty(X.shape, "float32")
    launch(
        dev,
        "aclnnEluBackward",
        dev.tensor(GRAD),
        gradInput=out,
        selfOrResult=dev.tensor(X),
        isResult=True,
        inputScale=ar.Scalar(3, "int32"),
        scale=2.0,
        alpha=0.5,
    )
    dev.synchronize()
    assert_bits(out.numpy(), ar.elu_backward(GRAD, X, 0.5, 2.0, 3.0, True))


def test_the_first_version_of_hardswishs_gradient_has_other_ends() -> None:
    x = np.float32([-4, -3, -2.9999998, -1.5, 0, 1.5, 3, 3.0000002, nan, -np.inf, inf])
    results = {}
    for api in ("aclnnHardswishBackward", "aclnnHardswishBackwardV2"):
        dev = ar.Device("Atlas A2")
        out = dev.empty(x.shape, "float32")
        launch(dev, api, dev.tensor(np.full_like(x, 2)), dev.tensor(x), out)
        dev.synchronize()
        results[api] = out.numpy()
    ours = ar.hardswish_backward(np.full_like(x, 2), x)
    assert_bits(results["aclnnHardswishBackwardV2"], ours)
    ours[[1, 6]] = -1, 3
    assert_bits(results["aclnnHardswishBackward"], ours)
    rank_0 = [dev.empty((), "float32") for _ in range(3)]  # which the second version refuses
    assert refused("aclnnHardswishBackward", *rank_0)[0] == 0


@pytest.mark.parametrize(
    ("operator", "kinds", "is_refused"),
    [
        # equal types, equal types of inputs, any types
        ("selu_backward", ("float16", "float16", "float32"), True),
        ("hardswish_backward", ("float16", "float32", "float32"), True),
        ("hardsigmoid", ("float16", "float32"), True),
        ("elu_backward", ("float16", "float32", "float32"), True),
        ("elu_backward", ("float16", "float16", "float32"), False),
        ("leaky_relu_backward", ("float16", "float32", "bfloat16"), False),
        ("hardsigmoid_backward", ("float16", "float32", "bfloat16"), False),
        ("elu", ("float16", "float32"), False),
        ("celu", ("bfloat16", "float16"), False),
        ("selu", ("float32", "float16"), False),
        ("hardswish", ("float32", "float16"), False),
        ("leaky_relu", ("float32", "float16"), False),
    ],
)
def test_types_that_tensors_may_have_together(
    dev: Any, operator: str, kinds: tuple[str, ...], is_refused: bool
) -> None:
    *inputs, result = (dev.empty((2, 3), kind) for kind in kinds)
    scalars = {"elu_backward": (1.0, 1.0, 1.0, False), "leaky_relu_backward": (0.5, False)}
    usual = [1.0] * len(ar.OPERATORS[operator].scalars)
    status, message = refusal(phase_1, operator, *inputs, *scalars.get(operator, usual), result)
    assert status == (INVALID if is_refused else 0), message
