"""aclnnGlu and aclnnGluBackward: one half of a tensor times the logistic function of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...declaration.accuracy import by_choice, relative, where_normal
from ...declaration.fields import ALL_BUT_200I, Forward, OnDevice, TensorParam, TorchOperator
from ...declaration.operator import Operator
from ...declaration.scalars import ScalarParam
from ...declaration.shapes import half_shape, shape_of_halves
from ...declaration.views import HALVES
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, inf, one_plus_exp, within

if TYPE_CHECKING:  # at run time this would import Numba
    from ...kernels.arithmetic.plain import Plain

DIM: Final = ScalarParam("dim", c_type="int64_t")


def out(value: Number, gate: Number) -> Number:
    """The product with the logistic function, as a quotient: that is rounded once less."""
    return value / one_plus_exp(-gate)


def grad_value(grad_output: Number, value: Number, gate: Number) -> Number:
    """The gradient for the first half."""
    return grad_output / one_plus_exp(-gate)


def grad_gate(grad_output: Number, value: Number, gate: Number) -> Number:
    """The gradient for the second half."""
    return grad_output * slope(value, within(-abs(gate), inf, grad_output))


def slope(value: Number, gate: Number) -> Number:
    """The derivative in a gate, or in its negative: the function is even."""
    denominator = one_plus_exp(abs(gate))
    return value / denominator * (1.0 - 1.0 / denominator)


def gradients(grad_output: Plain, value: Plain, gate: Plain) -> tuple[Number, Number]:
    """Both gradients, with one exponential."""
    return grad_output.glu_backward(value, gate)


FUNCTION: Final = Operator(
    name="glu",
    api="aclnnGlu",
    tensors=(TensorParam("self", view=HALVES),),
    scalars=(DIM,),
    latex=r"""
        \text{out} = \text{value} \cdot \sigma(\text{gate})
        \qquad (\text{value}, \text{gate}) = \text{halves of self along dim}, \quad
        \sigma(x) = \dfrac{1}{1 + e^{-x}}
    """,
    formula=Formula.of(out, compute_bound=True, vectors=2, short=("float16", "bfloat16")),
    shapes=half_shape,
    device=OnDevice(ALL_BUT_200I, ("GLU",), float64=ALL_BUT_200I),
    same_type=True,
    # one rounding of the exponential, one of the sum and one of the quotient
    accuracy=relative(1.75),
    torch=TorchOperator("glu", out="out"),
    interval=(-8.0, 8.0),
).declare()
GRADIENT: Final = Operator(
    name="glu_backward",
    api="aclnnGluBackward",
    tensors=(TensorParam("grad_output", vendor="gradOut"), *FUNCTION.tensors),
    scalars=(DIM,),
    outputs=("out",),
    latex=r"""
        \text{out} = \left( \text{grad_output} \cdot \sigma(\text{gate}), \;
            \text{grad_output} \cdot \text{value} \cdot \sigma(\text{gate}) \,
            (1 - \sigma(\text{gate})) \right)
        \qquad (\text{value}, \text{gate}) = \text{halves of self along dim}
    """,
    formula=Formula.of_forms(
        grad_value,
        grad_gate,
        together=gradients,
        compute_bound=True,
        vectors=2,
        short=("float16", "bfloat16"),
    ),
    result_view=HALVES,
    shapes=shape_of_halves,
    device=OnDevice(ALL_BUT_200I, ("GLUGrad",), float64=ALL_BUT_200I),
    same_type=True,
    accuracy=by_choice(
        "part", value=relative(1.75), gate=where_normal(relative(5), slope, "the derivative")
    ),
    forward=Forward("glu", out, "the first half of ``x`` times the logistic of the second"),
    torch=TorchOperator("glu_backward", format="contiguous"),
    interval=(-8.0, 8.0),
).declare()


@documented(FUNCTION)
def glu(
    self: ArrayT,
    dim: int = -1,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gated linear unit, ``value / (1 + exp(-gate))``, of two halves of the input.

    Parameters
    ----------
    self : array, whose halves along ``dim`` are ``value`` and ``gate``
        Data.

    Returns
    -------
    array of the shape of one half and the type of ``self``, as ``out`` must be

    Notes
    -----
    Formula: aclnnGlu. F32: 1.75 ulp.

    Examples
    --------
    >>> ar.glu(np.array([[4, 2, 0, -1]], np.float32))
    array([[2.        , 0.53788286]], dtype=float32)
    """
    return array_call(FUNCTION, (self,), (dim,), out, compute_dtype)


@documented(GRADIENT)
def glu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    dim: int = -1,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of the gated linear unit.

    With ``s = 1 / (1 + exp(-gate))`` its halves along ``dim`` are ``grad_output * s`` and
    ``grad_output * value * s * (1 - s)``.

    Parameters
    ----------
    grad_output : array, of the shape of one half and the type of ``self``
        Gradient of the result.
    self : array, whose halves along ``dim`` are ``value`` and ``gate``
        Data.

    Returns
    -------
    array of the shape and type of ``self``, as ``out`` must be

    Notes
    -----
    Formula: aclnnGluBackward. F32: 1.75 ulp in the first half; 5 ulp in the second half, where
    ``value * s * (1 - s)`` is normal.

    Examples
    --------
    >>> ar.glu_backward(np.ones((1, 2), np.float32), np.array([[4, 2, 0, -1]], np.float32))
    array([[0.5       , 0.26894143, 1.        , 0.39322388]], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (dim,), out, compute_dtype)
