"""aclnnLogitGrad: the gradient of log(x / (1 - x))."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.arrays import ArrayT
from ..core.dtypes import ELEMENT_TYPES, FLOAT32, FLOAT64, DTypeLike, ElementType
from ..declaration.accuracy import HALF_ULP, Bound
from ..declaration.operator import OnDevice, Operator, TensorParam, declare
from ..declaration.scalars import RealNumber, ScalarParam
from ..declaration.scalars import single as single_value
from ..declaration.shapes import equal_shapes
from ..functional.call import array_call
from ..kernels.arithmetic.formula import Formula
from ..kernels.arithmetic.functions import Number, as_element, inf, nan, select, single

if TYPE_CHECKING:  # at run time this would import Numba
    from ..kernels.arithmetic.plain import Plain


def out(x: Number, dy: Number, eps: Number) -> Number:
    """The result for any eps."""
    return by_eps(as_element(eps), dy, usual(x, dy, eps))


def by_eps(eps: Number, dy: Number, value: Number) -> Number:
    """The value for an eps below 1; for a larger one, or NaN, the result does not depend on x."""
    other = select(eps == 1.0, dy / 0.0, select(eps == inf, 0.0, nan))
    return select(eps < 1.0, value, other)


def usual(x: Number, dy: Number, eps: Number) -> Number:
    """The result for an eps below 1. 1 - eps is evaluated in float32, as on the device."""
    return within(x, eps, single(1.0 - eps), dy / abs(x * (1.0 - x)))


def usual_float32(x: Plain, dy: Plain, eps: Plain) -> Number:
    """The denominator x - x² is rounded once; for x = -0 it is +0 as for x = 0."""
    return within(x, eps, single(1.0 - eps), dy / abs(x.fma(-x, x)))


def within(x: Number, low: Number, high: Number, quotient: Number) -> Number:
    """The quotient from low to high, else 0; from 0 to 1, else NaN, if low is negative.

    Processors with masks combine two comparisons by "and" in one instruction, not by "or".
    """
    everywhere = low < 0.0
    least, most = select(everywhere, 0.0, low), select(everywhere, 1.0, high)
    inside = ~(x < least) & ~(x > most)  # or NaN
    return select(inside, quotient, select(everywhere, nan, 0.0))


def accuracy(kind: ElementType, scalars: Mapping[str, Any], size: int) -> Bound:
    """One rounding of the denominator and one of the quotient; F64 corrects the first."""
    return Bound({FLOAT32: 1.5, FLOAT64: 1.0}.get(kind, HALF_ULP))


USUAL = Formula("logit_grad_out_usual", usual, tensors=2, scalars=1)
USUAL_FLOAT32 = Formula("logit_grad_out_float32", usual_float32, tensors=2, scalars=1)


def variant(compute: str, kind: str, eps: float) -> Formula | None:
    """In float32, one rounding less makes 1.5 of 2 ulp and saves an instruction."""
    near = ELEMENT_TYPES.get(compute, FLOAT32).numpy.type(max(min(single_value(eps), 2.0), -2.0))
    if not near < 1.0:
        return None
    return USUAL_FLOAT32 if compute == FLOAT32.name else USUAL


OPERATOR = declare(
    Operator(
        name="logit_grad",
        api="aclnnLogitGrad",
        tensors=(TensorParam("x"), TensorParam("dy")),
        scalars=(ScalarParam("eps", c_type="double"),),
        outputs=("out",),
        latex=r"""
            \text{out} = \begin{cases}
                \text{NaN} & \text{if } \text{eps} < 0 \text{ and } (x < 0 \text{ or } x > 1) \\
                0 & \text{if } \text{eps} \ge 0 \text{ and } (x < \text{eps} \text{ or }
                    x > 1 - \text{eps}) \\
                \dfrac{\text{dy}}{x \cdot (1 - x)} & \text{otherwise}
            \end{cases}
            \qquad \text{for } \text{eps} < 1
        """,
        formula=Formula(
            "logit_grad_out",
            out,
            tensors=2,
            scalars=1,
            variant=variant,
        ),
        shapes=equal_shapes,
        device=OnDevice(
            products=("Atlas A2", "Atlas A3"), kernels=("LogitGrad",), scratch=16 * 2**20
        ),
        same_type=True,
        accuracy=accuracy,
    )
)


def logit_grad(
    x: ArrayT,
    dy: ArrayT,
    eps: RealNumber | None = -1.0,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of logit: ``dy / (x * (1 - x))``.

    Parameters
    ----------
    x, dy : array
        Input of the forward operator and gradient of its result, in the vendor's order (the other
        operators take the gradient first). Both have the same shape of rank 0 to 8 (no
        broadcasting) and the same type: F16, BF16, F32 or F64.
    eps : real number or None, optional
        Narrowed to float32; None means -1. If negative, the result is NaN outside [0, 1]; from 0 to
        below 1, it is 0 outside [eps, 1 - eps]. If eps is exactly 1 the result is ``dy`` times
        infinity; if finite and above 1, or NaN, it is NaN; if infinite, 0.
    out : array, optional
        Output array with the same shape and dtype. It must not overlap an input unless it is the
        same view.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formula is evaluated, in any form that `cast` accepts. None means F64 for
        F64 data and F32 for all other data.

    Returns
    -------
    array
        The caller's kind of array, with the same shape and type, in the memory layout that NumPy's
        functions choose (``order="K"``); ``out`` if given.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array, has an unsupported dtype, or the dtypes differ.
    ArgumentValueError
        If shapes differ, a rank exceeds 8, or ``out`` has the wrong shape, overlaps an input, is
        read-only or does not share its memory with NumPy.

    Notes
    -----
    The formula is the vendor's (aclnnLogitGrad). ``1 - eps`` is evaluated in float32. At 0 and 1
    the result is ``dy`` times infinity.

    Rounding: the result is rounded to the type of the inputs, which is also the type of ``out``,
    for every ``compute_dtype``.

    Accuracy: in F32 arithmetic, the default, an F32 result is within 1.5 ulp of the exact value, an
    F16 or BF16 result within 0.5 + 1/256 ulp. In F64 arithmetic F16, BF16 and F32 results are
    correctly rounded and F64 results within 0.75 ulp, or 1 ulp where they are subnormal; with
    "exact" they are correctly rounded, too.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([0.25, 0.5, 1.5], np.float32)
    >>> ar.logit_grad(x, np.ones_like(x))
    array([5.3333335, 4.       ,       nan], dtype=float32)
    """
    return array_call(OPERATOR, (x, dy), (-1.0 if eps is None else eps,), out, compute_dtype)
