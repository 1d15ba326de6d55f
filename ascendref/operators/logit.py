"""aclnnLogit: the logarithm of x / (1 - x)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.dtypes import BFLOAT16, FLOAT16
from ..declaration.accuracy import relative
from ..declaration.operator import A2_A3, OnDevice, Operator, TensorParam, TorchOperator, declare
from ..declaration.scalars import RealNumber, ScalarParam
from ..declaration.shapes import equal_shapes
from ..functional import ArrayT, DTypeLike, array_call
from ..kernels.arithmetic import Formula, Number, log, log1p, select, single


def out(self: Number, eps: Number) -> Number:
    """The documented logarithm of a quotient."""
    z = clamped(self, eps)
    return log(z / (1.0 - z))


def out_without_cancellation(self: Number, eps: Number) -> Number:
    """The same where the quotient is near 1, with one rounding less; 1 / z may overflow at 0."""
    z = clamped(self, eps)
    upper = z >= 0.5
    size = log1p(abs(2.0 * z - 1.0) / select(upper, 1.0 - z, z))
    return select(z < 2.0**-64, log(z / (1.0 - z)), select(upper, size, -size))


def clamped(self: Number, eps: Number) -> Number:
    """The input in [eps, 1 - eps], unless eps is negative or NaN; the lower bound goes first."""
    high = single(1.0 - eps)
    bounded = select(self < eps, eps, select(self > high, high, self))
    return select(eps >= 0.0, bounded, self)


def variant(compute: str, rounded: str, eps: float) -> Callable[..., Any] | None:
    """Half-precision arithmetic rounds the documented operations."""
    return None if compute in (FLOAT16.name, BFLOAT16.name) else out_without_cancellation


OPERATOR = Operator(
    name="logit",
    api="aclnnLogit",
    tensors=(TensorParam("self", vendor="input"),),
    scalars=(ScalarParam("eps", c_type="double"),),
    outputs=("out",),
    latex=r"""
        \text{out} = \ln \dfrac{z}{1 - z}, \qquad z = \begin{cases}
            \text{self} & \text{if } \text{eps} < 0 \\
            \text{eps} & \text{if } \text{self} < \text{eps} \\
            1 - \text{eps} & \text{if } \text{self} > 1 - \text{eps} \\
            \text{self} & \text{otherwise}
        \end{cases}
    """,
    formula=Formula.of(out, scalars=1, variant=variant, compute_bound=True),
    shapes=equal_shapes,
    device=OnDevice(A2_A3, ("Logit",), scratch=16 * 2**20),
    same_type=True,
    # one rounding of the denominator, one of the quotient and one of the logarithm
    accuracy=relative(1.75),
    torch=TorchOperator("logit", lambda self, eps: (self, None if eps < 0 else eps), out="out"),
    settings=({}, {"eps": 0.0}, {"eps": 1e-3}),
    interval=(0.01, 0.99),
)
declare(OPERATOR)


def logit(
    self: ArrayT,
    eps: RealNumber | None = -1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``log(z / (1 - z))``, where z is ``self``, clamped unless ``eps`` is negative.

    Parameters
    ----------
    self : array
        Input; rank 0 to 8, F16, BF16, F32 or F64.
    eps : real number or None, optional
        The input is clamped to [eps, 1 - eps]. Narrowed to float32; None means -1. If negative or
        NaN, nothing is clamped: the result is -inf at 0, inf at 1 and NaN outside [0, 1].
    out : array, optional
        Array for the result, with the shape and dtype of ``self``. It may be the input, but must
        not overlap it in part.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated; None means F64 for F64 data, else F32.

    Returns
    -------
    array
        The same shape and type, as the caller's kind of array; ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If ``self`` is not an array or has an unsupported dtype, or ``out`` has another one.
    ArgumentValueError
        If the rank exceeds 8, or ``out`` does not fit.

    Notes
    -----
    The formula is the vendor's (aclnnLogit, where ``self`` is ``input``). ``1 - eps`` is evaluated
    in float32. The lower bound is compared first, so with eps = 1 the result is inf below 1 and
    -inf from 1 on; with a larger eps it is NaN.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.75 ulp of the exact value,
    an F16 or BF16 result within 0.5 + 1/256 ulp. In F64 arithmetic these are correctly rounded, and
    F64 results within 0.75 ulp; with "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([0, 0.25, 0.5, 2], np.float32)
    >>> ar.logit(x)
    array([      -inf, -1.0986123,  0.       ,        nan], dtype=float32)
    >>> ar.logit(x, 0.25)
    array([-1.0986123, -1.0986123,  0.       ,  1.0986123], dtype=float32)
    """
    return array_call(OPERATOR, (self,), (-1.0 if eps is None else eps,), out, compute_dtype)
