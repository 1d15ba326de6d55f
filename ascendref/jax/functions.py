"""The public functions: argument checks, and formulas in JAX."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import jax
import numpy as np
from jax import numpy as jnp

from ..core.arrays import import_array
from ..core.dtypes import FLOATS, DTypeLike, compute_type_of, names
from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..declaration.operator import OPERATORS, Operator
from ..declaration.scalars import RealNumber, check_array_scalar
from ..operators.smooth_l1_loss_backward import REDUCTIONS
from .gradients import Function, differentiable

#: an array in the sense of JAX's own functions
ArrayLike: TypeAlias = jax.typing.ArrayLike
_ARRAYS: Final = (jax.Array, np.generic, bool, int, float, complex)


def hardshrink(
    x: ArrayLike, lambd: RealNumber = 0.5, *, compute_dtype: DTypeLike | None = None
) -> jax.Array:
    """Return ``x``, or 0 where it is between ``-lambd`` and ``lambd``.

    Parameters
    ----------
    x : array
        Any shape; F16, BF16, F32 or F64. Integers become JAX's default floating-point type.
    lambd : real number
        Threshold, a static value (known at tracing). A negative one has no effect on the result and
        counts as 0 in the gradient.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradient is evaluated, as in `ascendref.hardshrink_backward`.

    Returns
    -------
    Array
        An array with the shape and type of ``x``.

    Raises
    ------
    ArgumentTypeError
        If ``x`` is not an array that JAX accepts, has an unsupported dtype, or a scalar is traced
        or not a number.

    Notes
    -----
    The gradient has the same bits as `ascendref.hardshrink_backward` (0 where ``x`` is NaN), except
    that ``lambd`` is not narrowed to F32 for F64 data.

    Examples
    --------
    >>> import jax
    >>> from ascendref.jax import hardshrink
    >>> jax.grad(lambda x: hardshrink(x).sum())(jax.numpy.array([-2, 0.25, 0.75]))
    Array([1., 0., 1.], dtype=float32)
    """
    operator = OPERATORS["hardshrink_backward"]
    operands = _operands(x=x)
    return _differentiable(operator, _hardshrink, (1,), operands, (lambd,), compute_dtype)


def softplus(
    x: ArrayLike,
    beta: RealNumber = 1.0,
    threshold: RealNumber = 20.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> jax.Array:
    """Return ``log(1 + exp(beta * x)) / beta``, or ``x`` where ``beta * x > threshold``.

    Parameters
    ----------
    x : array
        Any shape; F16, BF16, F32 or F64. Integers become JAX's default floating-point type.
    beta, threshold : real number
        Known at tracing.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradient is evaluated, as in `ascendref.softplus_backward`.

    Returns
    -------
    Array
        An array with the shape and type of ``x``.

    Raises
    ------
    ArgumentTypeError
        If ``x`` is not an array that JAX accepts, has an unsupported dtype, or a scalar is traced
        or not a number.

    Notes
    -----
    The gradient has the same bits as `ascendref.softplus_backward`, except that ``beta`` and
    ``threshold`` are not narrowed to F32 for F64 data.

    Examples
    --------
    >>> import jax
    >>> from ascendref.jax import softplus
    >>> jax.jit(jax.grad(softplus))(0.0)
    Array(0.5, dtype=float32, weak_type=True)
    """
    operator = OPERATORS["softplus_backward"]
    operands = _operands(x=x)
    return _differentiable(operator, _softplus, (1,), operands, (beta, threshold), compute_dtype)


def prelu(x: ArrayLike, weight: ArrayLike, *, compute_dtype: DTypeLike | None = None) -> jax.Array:
    """Return ``x`` where it is positive, else ``x`` times the weight of its channel.

    Parameters
    ----------
    x : array
        Axis 1 is the channel; with rank 0 or 1 there is one channel. F16, BF16, F32 or F64.
    weight : array
        One element, or one per channel in C order, in any shape.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradients are evaluated and the weight's is summed, as in
        `ascendref.prelu_backward`.

    Returns
    -------
    Array
        An array with the shape of ``x``; types are promoted as in JAX.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array that JAX accepts or has an unsupported dtype.
    ArgumentValueError
        If the weight has neither 1 element nor one per channel.

    Notes
    -----
    The gradients have the same bits as `ascendref.prelu_backward`, for any number of threads.

    Examples
    --------
    >>> import jax
    >>> from ascendref.jax import prelu
    >>> x = jax.numpy.array([[-1.0, 2.0], [3.0, -4.0]])
    >>> jax.grad(lambda w: prelu(x, w).sum())(jax.numpy.array([0.25, 0.5]))
    Array([-1., -4.], dtype=float32)
    """
    operator = OPERATORS["prelu_backward"]
    data, weights = _operands(x=x, weight=weight)
    count, channels = weights.size, data.shape[1] if data.ndim > 1 else 1
    if count not in (1, channels):
        raise ArgumentValueError(
            "weight",
            f"has {count} elements; 1 or {channels}, as many as x has channels (shape {data.shape},"
            " axis 1), are allowed",
        )
    operands = data, weights.reshape(count)
    return _differentiable(operator, _prelu, (1, 2), operands, (), compute_dtype)


def smooth_l1_loss(
    x: ArrayLike,
    target: ArrayLike,
    reduction: str | int = "mean",
    beta: RealNumber = 1.0,
    *,
    compute_dtype: DTypeLike | None = None,
) -> jax.Array:
    """Return the smooth L1 loss: quadratic where ``abs(x - target) < beta``, linear elsewhere.

    Parameters
    ----------
    x, target : array
        Shapes that broadcast; F16, BF16, F32 or F64, promoted as JAX does.
    reduction : {"mean", "sum", "none"} or {1, 2, 0}
        How the elementwise losses are reduced.
    beta : real number
        At least 0, known at tracing.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradient is evaluated, as in `ascendref.smooth_l1_loss_backward`.

    Returns
    -------
    Array
        The loss, of rank 0, or of the broadcast shape with ``"none"``.

    Raises
    ------
    ArgumentTypeError
        If an argument is not an array that JAX accepts, has an unsupported dtype, or a scalar is
        traced or not a number.
    ArgumentValueError
        If shapes do not broadcast, or a scalar has a value that is not allowed.

    Notes
    -----
    The gradient for ``x`` has the same bits as `ascendref.smooth_l1_loss_backward`, and that for
    ``target`` is its negative. Exception: for F64 data, ``beta`` is not narrowed to F32.

    Examples
    --------
    >>> import jax
    >>> from ascendref.jax import smooth_l1_loss
    >>> jax.grad(smooth_l1_loss)(jax.numpy.array([0.5, 3.0]), 0.0)
    Array([0.25, 0.5 ], dtype=float32)
    """
    operator = OPERATORS["smooth_l1_loss_backward"]
    given = _operands(x=x, target=target)
    try:
        operands = jnp.broadcast_arrays(*given)
    except ValueError:
        first, second = given
        raise ArgumentValueError(
            "target", f"has shape {second.shape}, which does not broadcast with {first.shape} of x"
        ) from None
    scalars = reduction, beta
    return _differentiable(operator, _smooth_l1_loss, (1, 2), operands, scalars, compute_dtype)


def logit(
    x: ArrayLike, eps: RealNumber | None = -1.0, *, compute_dtype: DTypeLike | None = None
) -> jax.Array:
    """Return ``log(x / (1 - x))``.

    Parameters
    ----------
    x : array
        Any shape; F16, BF16, F32 or F64. Integers become JAX's default floating-point type.
    eps : real number or None, optional
        Known at tracing; None means -1. If it is not negative, ``x`` is first clamped to [eps, 1 -
        eps].
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the gradient is evaluated, as in `ascendref.logit_grad`.

    Returns
    -------
    Array
        An array with the shape and type of ``x``.

    Raises
    ------
    ArgumentTypeError
        If ``x`` is not an array that JAX accepts, has an unsupported dtype, or a scalar is traced
        or not a number.

    Notes
    -----
    The gradient has the same bits as `ascendref.logit_grad`, except that ``eps`` is not narrowed to
    F32 for F64 data.

    Examples
    --------
    >>> import jax
    >>> from ascendref.jax import logit
    >>> jax.vmap(jax.grad(logit))(jax.numpy.array([0.25, 0.5]))
    Array([5.3333335, 4.       ], dtype=float32)
    """
    operator = OPERATORS["logit_grad"]
    operands = _operands(x=x)
    scalars = (-1.0 if eps is None else eps,)
    return _differentiable(operator, _logit, (0,), operands, scalars, compute_dtype)


def _hardshrink(x: Any, lambd: float) -> Any:
    return jnp.where((x >= -lambd) & (x <= lambd), jnp.zeros_like(x), x)


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    z = beta * x
    return jnp.where(z > threshold, x, jnp.logaddexp(z, 0.0) / beta)


def _prelu(x: Any, weight: Any) -> Any:
    weight = weight.reshape(() if weight.size == 1 else (weight.size,) + (1,) * (x.ndim - 2))
    return jnp.where(x > 0, x, weight * x)


def _smooth_l1_loss(x: Any, target: Any, reduction: float, beta: float) -> Any:
    d = x - target
    near = abs(d) < beta
    # the quadratic must not be evaluated outside its range: its derivatives could be NaN
    inner = jnp.where(near, d, 0.0)
    loss = jnp.where(near, 0.5 * inner * inner / (beta or 1.0), abs(d) - 0.5 * beta)
    if reduction == REDUCTIONS["none"]:
        return loss
    return jnp.mean(loss) if reduction == REDUCTIONS["mean"] else jnp.sum(loss)


def _logit(x: Any, eps: float) -> Any:
    kind = x.dtype.type
    with np.errstate(over="ignore"):
        low = kind(eps)
    if low >= 0:
        high = kind(1) - low
        x = jnp.where(x < low, low, jnp.where(x > high, high, x))
    return jnp.log(x / (1 - x))


def _differentiable(
    operator: Operator,
    formula: Any,
    places: tuple[int, ...],
    operands: Any,
    scalars: tuple[Any, ...],
    compute_dtype: Any,
) -> Any:
    """Check the arguments that are not arrays, and call a function with its gradients."""
    for param, value in zip(operator.scalars, scalars, strict=True):
        if isinstance(value, jax.core.Tracer):
            raise ArgumentTypeError(
                param.name,
                "is traced by JAX; it must be known when the function is traced: a number, or an"
                " argument in static_argnames",
            )
    values = tuple(map(check_array_scalar, operator.scalars, scalars))
    compute = "float64" if operands[0].dtype == np.float64 else "float32"
    if compute_dtype is not None:
        compute = compute_type_of(compute_dtype)
    return differentiable(Function(operator.name, formula, values, compute, places), *operands)


def _operands(**given: Any) -> tuple[Any, ...]:
    """Return JAX arrays promoted to one floating-point type, or raise ArgumentTypeError."""
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            given[name] = import_array(name, value).array  # a masked array is refused
        elif not isinstance(value, _ARRAYS):
            raise ArgumentTypeError(
                name,
                f"is a {type(value).__name__}; an array of JAX or NumPy, or a number, is expected",
            )
    kind = jnp.result_type(*given.values())
    if jnp.issubdtype(kind, jnp.integer) or kind == jnp.bool_:
        kind = jnp.result_type(float)
    if kind.name not in [allowed.name for allowed in FLOATS]:
        first = next(name for name, value in given.items() if jnp.result_type(value) == kind)
        raise ArgumentTypeError(first, f"has type {kind.name}; allowed are {names(FLOATS)}")
    return tuple([jnp.asarray(value, kind) for value in given.values()])
