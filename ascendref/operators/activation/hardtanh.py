"""hardtanh, the input in an interval, and its gradient aclnnHardtanhBackward."""

from __future__ import annotations

from typing import Final

from ...declaration.accuracy import rounded_once
from ...declaration.fields import A2_A3, Forward, OnDevice, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import RealNumber, ScalarParam
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, nan, select

BOUNDS: Final = (ScalarParam("min_val", vendor="min"), ScalarParam("max_val", vendor="max"))
#: what operators of this family are measured with
SETTINGS: Final[tuple[dict[str, float | str], ...]] = (
    {},
    {"min_val": 0.0, "max_val": 6.0},
    {"min_val": -0.1, "max_val": 0.3},
)


def out(self: Number, min_val: Number, max_val: Number) -> Number:
    """The lower bound is applied first; NaN stays, and a bound that is NaN leaves nothing else."""
    raised = select(self < min_val, min_val, self)
    bounded = select(raised > max_val, max_val, raised)
    return select((min_val <= inf) & (max_val <= inf), bounded, nan)


VALUE: Final = Operator(
    name="hardtanh",
    scalars=BOUNDS,
    latex=r"\text{out} = \min(\max(\text{self}, \text{min_val}), \text{max_val})",
    formula=Formula.of(out, scalars=2, selects=True),
    accuracy=rounded_once,
    torch=TorchOperator("hardtanh", out="out"),
    settings=SETTINGS,
).declare()


def grad_input(grad_output: Number, self: Number, min_val: Number, max_val: Number) -> Number:
    """Where masked, the result is +0 even for an infinite gradient."""
    return select((self > min_val) & (self < max_val), grad_output, 0.0)


GRADIENT: Final = Operator(
    name="hardtanh_backward",
    api="aclnnHardtanhBackward",
    scalars=BOUNDS,
    latex=r"""
        \text{grad_input} = \begin{cases}
            \text{grad_output} & \text{if } \text{min_val} < \text{self} < \text{max_val} \\
            0 & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(grad_input, scalars=2, selects=True),
    device=OnDevice(
        ("Atlas training", "Atlas inference", *A2_A3, "Atlas 200I/500 A2"),
        ("HardtanhGrad",),
        types="inputs",
    ),
    accuracy=rounded_once,
    forward=Forward("hardtanh", out, "``x``, clipped to the bounds"),
    torch=TorchOperator("hardtanh_backward"),
    settings=SETTINGS,
).declare()


@documented(VALUE)
def hardtanh(
    self: ArrayT,
    min_val: RealNumber = -1.0,
    max_val: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``self``, clipped to the interval from ``min_val`` to ``max_val``.

    Parameters
    ----------
    min_val, max_val : real number, optional
        If the lower one is greater, every result is the upper one; if one is NaN, so is the result.

    Notes
    -----
    Formula: PyTorch's; the vendor documents only the gradient, so there are no two-phase functions.
    NaN stays NaN. relu6 has the bounds 0 and 6. Correctly rounded: the input or a bound.

    Examples
    --------
    >>> ar.hardtanh(np.array([-2, -0.5, 0.25, 3], np.float32))
    array([-1.  , -0.5 ,  0.25,  1.  ], dtype=float32)
    """
    return array_call(VALUE, (self,), (min_val, max_val), out, compute_dtype)


@documented(GRADIENT)
def hardtanh_backward(
    grad_output: ArrayT,
    self: ArrayT,
    min_val: RealNumber = -1.0,
    max_val: RealNumber = 1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of hardtanh: ``grad_output`` strictly between the bounds, else 0.

    Parameters
    ----------
    min_val, max_val : real number, optional; nothing is between them if one is NaN
        Ends of the interval.

    Notes
    -----
    Formula: the code of aclnnHardtanhBackward, where the bounds are ``min`` and ``max``: at a bound
    the result is 0, as in PyTorch. NaN in ``self`` gives 0; PyTorch passes the gradient in its
    scalar loop (short arrays) only. Exact: the gradient or 0.

    Examples
    --------
    >>> ar.hardtanh_backward(np.ones(4, np.float32), np.array([-1, -0.5, 0.25, 3], np.float32))
    array([0., 1., 1., 0.], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (min_val, max_val), out, compute_dtype)
