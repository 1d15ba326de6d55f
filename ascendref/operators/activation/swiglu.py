"""aclnnSwiGlu and aclnnSwiGluGrad: the silu of one half of a tensor times the other half."""

from __future__ import annotations

from typing import Final

from ...declaration.accuracy import by_choice, near_zero, relative, where_normal
from ...declaration.fields import INFERENCE_A2_A3, Forward, OnDevice, TensorParam
from ...declaration.operator import Operator
from ...declaration.scalars import ScalarParam
from ...declaration.shapes import half_shape, shape_of_halves
from ...declaration.views import HALVES
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...kernels.arithmetic import Formula, Number, one_plus_exp, silu_slope, within

DIM: Final = ScalarParam("dim", c_type="int64_t")
#: from here on, the logistic function is next to 1 in all types, and that of the negative to 0
LIMIT: Final = 4096.0


def out(gate: Number, value: Number) -> Number:
    """The documented product."""
    return silu(gate, value) * value


def grad_gate(grad_output: Number, gate: Number, value: Number) -> Number:
    """The gradient for the first half."""
    return grad_output * slope(within(gate, LIMIT, grad_output), value)


def grad_value(grad_output: Number, gate: Number, value: Number) -> Number:
    """The gradient for the second half."""
    return grad_output * silu(gate, grad_output)


def gradients(grad_output: Number, gate: Number, value: Number) -> tuple[Number, Number]:
    """Both gradients."""
    return grad_gate(grad_output, gate, value), grad_value(grad_output, gate, value)


def silu(gate: Number, factor: Number) -> Number:
    """The documented quotient, to be multiplied by a factor."""
    return gate / one_plus_exp(-within(gate, LIMIT, factor))


def own_silu(gate: Number, value: Number) -> Number:
    """The quotient for finite gradients."""
    return silu(gate, gate)


def slope(gate: Number, value: Number) -> Number:
    """The derivative in the gate."""
    return value * silu_slope(gate)


FUNCTION: Final = Operator(
    name="swiglu",
    api="aclnnSwiGlu",
    tensors=(TensorParam("self", vendor="x", view=HALVES),),
    scalars=(DIM,),
    latex=r"""
        \text{out} = \dfrac{\text{gate}}{1 + e^{-\text{gate}}} \cdot \text{value}
        \qquad (\text{gate}, \text{value}) = \text{halves of self along dim}
    """,
    formula=Formula.of(out, compute_bound=True, vectors=2, short=("float16", "bfloat16")),
    shapes=half_shape,
    device=OnDevice(INFERENCE_A2_A3, ("SwiGlu",)),
    same_type=True,
    # silu is within 1.75 ulp; the product may double that, and is rounded
    accuracy=where_normal(relative(4), silu, "silu(gate)"),
    interval=(-8.0, 8.0),
).declare()
GRADIENT: Final = Operator(
    name="swiglu_backward",
    api="aclnnSwiGluGrad",
    tensors=(TensorParam("grad_output", vendor="yGrad"), *FUNCTION.tensors),
    scalars=(DIM,),
    outputs=("out",),
    latex=r"""
        \text{out} = \left( \text{grad_output} \cdot \text{value} \cdot s \,
            (1 + \text{gate} \cdot (1 - s)), \; \text{grad_output} \cdot \text{gate} \cdot s \right)
        \qquad s = \dfrac{1}{1 + e^{-\text{gate}}}, \quad
        (\text{gate}, \text{value}) = \text{halves of self along dim}
    """,
    formula=Formula.of_forms(
        grad_gate, grad_value, together=gradients, compute_bound=True, vectors=2
    ),
    result_view=HALVES,
    shapes=shape_of_halves,
    device=OnDevice(INFERENCE_A2_A3, ("SwiGluGrad",)),
    same_type=True,
    accuracy=by_choice(
        "part",
        # the derivative of silu is 0 near -1.278, where two terms cancel
        gate=where_normal(
            near_zero(5, 2, lambda grad_output, gate, value: grad_output * silu_slope(gate)),
            slope,
            "the product of derivative and value",
        ),
        value=where_normal(relative(4), own_silu, "silu(gate)"),
    ),
    forward=Forward("swiglu", out, "the silu of the first half of ``x`` times the second half"),
    interval=(-8.0, 8.0),
).declare()


@documented(FUNCTION)
def swiglu(
    self: ArrayT,
    dim: int = -1,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return ``gate / (1 + exp(-gate)) * value``, of two halves of the input: silu times a value.

    Parameters
    ----------
    self : array, whose halves along ``dim`` are ``gate`` and ``value``
        Data.

    Returns
    -------
    array of the shape of one half and the type of ``self``, as ``out`` must be

    Notes
    -----
    Formula: aclnnSwiGlu, whose input is named x. A gate of -inf gives NaN. F32: 4 ulp, wherever the
    silu is normal.

    Examples
    --------
    >>> ar.swiglu(np.array([[0, 2, 3, -1]], np.float32))
    array([[ 0.      , -1.761594]], dtype=float32)
    """
    return array_call(FUNCTION, (self,), (dim,), out, compute_dtype)


@documented(GRADIENT)
def swiglu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    dim: int = -1,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return the gradient of `swiglu`.

    With ``s = 1 / (1 + exp(-gate))`` its halves along ``dim`` are
    ``grad_output * value * s * (1 + gate * (1 - s))`` and ``grad_output * gate * s``.

    Parameters
    ----------
    grad_output : array, of the shape of one half and the type of ``self``
        Gradient of the result.
    self : array, whose halves along ``dim`` are ``gate`` and ``value``
        Data.

    Returns
    -------
    array of the shape and type of ``self``, as ``out`` must be

    Notes
    -----
    Formula: aclnnSwiGluGrad, whose tensors are named yGrad and x. A gate of ±inf gives NaN in the
    first half.

    F32: 5 ulp plus 2**-23 times ``grad_output * value`` in the first half, 4 ulp in the second. The
    derivative of silu is 0 near -1.278; the bounds hold wherever it, its product with ``value``,
    and silu are normal. F64 results are within 1 ulp plus 2**-58 times ``grad_output * value``.

    Examples
    --------
    >>> ar.swiglu_backward(np.ones((1, 1), np.float32), np.array([[0, 3]], np.float32))
    array([[1.5, 0. ]], dtype=float32)
    """
    return array_call(GRADIENT, (grad_output, self), (dim,), out, compute_dtype)
