"""What earlier calls decided, so that calls like them need no decisions.

A *known* call has been checked once in full. It compares what it gets with what was found right
then, and its kernel looks at the arrays themselves (``kernels/header.py``); where anything is
different, nothing is done, and the call is checked in full again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ..declaration.operator import Operator

if TYPE_CHECKING:
    from ..kernels.loops.channel_sums import ChannelSumKernel
    from ..kernels.loops.elementwise import ElementwiseKernel

#: ``known(tensors, scalars, out, compute_dtype)`` returns the result; None, and nothing is done, if
#: the call is another one
Known = Callable[[tuple[Any, ...], tuple[Any, ...], Any, Any], Any]
Tensors = tuple[Any, ...]

#: the known call that each operator used last
LATEST: Final[dict[Operator, Known]] = {}
_KNOWN: Final[dict[tuple[Any, ...], Known]] = {}
#: scalars and shapes are part of what is remembered, so there must be an end to it
_KNOWN_LIMIT: Final = 4096
#: types of scalars and compute types that may be part of it; others equal one of these without
#: being the same, or change
_PLAIN: Final = frozenset((float, int, str, type(None)))
_type_of: Final = attrgetter("dtype")
_layout_of: Final = attrgetter("shape", "strides")

_SOURCE: Final = """
def known(tensors, scalars, out, compute_dtype):
    {tensors} = tensors
    {scalars} = scalars
    if {unlike}:
        return None
    if out is None:
        out = empty({shape}, result)
    return out if {done} >= 0 else None
"""
#: contiguous arrays of any one shape
_DENSE: Final = {
    "shape": "a0.shape",
    "done": "kernel({ids})",
}
#: arrays of certain shapes and strides
_STRIDED: Final = {"shape": "shape", "done": "kernel({ids})"}
_OTHER: Final = (
    "compute_dtype is not compute and (type(compute_dtype) is not str or compute_dtype != compute)"
)


def recall(
    operator: Operator, tensors: Tensors, scalars: tuple[Any, ...], out: Any, compute_dtype: Any
) -> Iterator[Known]:
    """Yield known calls that this one may be."""
    key = _key(operator, tensors, scalars, compute_dtype)
    if key is not None:
        if (known := _KNOWN.get(key)) is not None:
            yield known
        if (known := _KNOWN.get((*key, *_layouts(tensors, out)))) is not None:
            yield known


def _key(
    operator: Operator, tensors: Tensors, scalars: tuple[Any, ...], compute_dtype: Any
) -> tuple[Any, ...] | None:
    """Return what calls on contiguous arrays are told by; None if this one cannot be told."""
    if all([type(tensor) is np.ndarray for tensor in tensors]) and _PLAIN.issuperset(
        map(type, (*scalars, compute_dtype))
    ):
        return (operator, compute_dtype, scalars, *map(_type_of, tensors))
    return None


def _layouts(tensors: Tensors, out: Any) -> tuple[Any, ...]:
    """Return what calls on other arrays are told by, beside that."""
    return (*map(_layout_of, tensors), _layout_of(out) if type(out) is np.ndarray else None)


def remember(
    operator: Operator,
    tensors: Tensors,
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: str | None,
    kernel: Any,
    values: tuple[float, ...],
    made: NDArray[Any],
    in_place: bool,
) -> None:
    """Remember a call that was found right, if calls like it can be told by what they get.

    Parameters
    ----------
    operator, tensors, scalars, out, compute_dtype
        As they came.
    kernel : ElementwiseKernel or ChannelSumKernel
        What computed it.
    values : tuple of float
        The scalars that the kernel got.
    made : ndarray
        The first result.
    in_place : bool
        Whether a result is an input's view.
    """
    key = _key(operator, tensors, scalars, compute_dtype)
    if key is None or type(made) is not np.ndarray or not made.size:
        return
    if len(_KNOWN) >= _KNOWN_LIMIT:
        _KNOWN.clear()
    if operator.channel_term is not None:
        known = _channel_sum(kernel, made.dtype, compute_dtype)
    elif kernel.layout((*tensors, made), in_place) == "dense":
        known = _dense(kernel, made.dtype, len(tensors), values, scalars, compute_dtype)
    elif not in_place and (out is None or type(out) is np.ndarray):
        key = (*key, *_layouts(tensors, out))
        known = _strided(kernel, (*tensors, made), values, scalars, compute_dtype)
    else:
        return
    _KNOWN[key] = LATEST[operator] = known


def _dense(
    kernel: ElementwiseKernel,
    result: np.dtype[Any],
    tensors: int,
    values: tuple[float, ...],
    scalars: tuple[Any, ...],
    compute_dtype: str | None,
) -> Known:
    """Return an elementwise call with everything decided that does not depend on the arrays."""
    names = {
        "kernel": kernel.bind(values),
        "result": result,
    }
    return _known("dense", tensors, names, scalars, compute_dtype)


def _strided(
    kernel: ElementwiseKernel,
    operands: tuple[NDArray[Any], ...],
    values: tuple[float, ...],
    scalars: tuple[Any, ...],
    compute_dtype: str | None,
) -> Known:
    """Return an elementwise call on arrays of certain shapes and strides."""
    made = operands[-1]
    names = {"kernel": kernel.like(operands, values), "shape": made.shape, "result": made.dtype}
    return _known("strided", len(operands) - 1, names, scalars, compute_dtype)


def _known(
    layout: str,
    tensors: int,
    names: dict[str, Any],
    scalars: tuple[Any, ...],
    compute_dtype: str | None,
) -> Known:
    names |= {"compute": compute_dtype, "ndarray": np.ndarray, "empty": np.empty}
    for k, scalar in enumerate(scalars):
        names |= {f"given{k}": scalar, f"kind{k}": type(scalar)}
    exec(_code(layout, tensors, len(scalars)), names)
    known: Known = names["known"]
    return known


@cache
def _code(layout: str, tensors: int, scalars: int) -> CodeType:
    """Return the source for so many tensors and scalars, compiled."""
    operands = [f"a{k}" for k in range(tensors)]
    numbers = range(scalars)
    # a number of another type may equal one without being allowed
    unlike = [
        f"s{k} is not given{k} and (type(s{k}) is not kind{k} or s{k} != given{k})" for k in numbers
    ]
    ids = ", ".join([f"id({name})" for name in (*operands, "out")])
    parts = _DENSE if layout == "dense" else _STRIDED
    source = _SOURCE.format(
        tensors=", ".join(operands),
        scalars=f"({''.join([f's{k}, ' for k in numbers])})",
        unlike=" or ".join(f"({test})" for test in ("type(a0) is not ndarray", _OTHER, *unlike)),
        shape=parts["shape"],
        done=parts["done"].format(ids=ids),
    )
    return compile(source, __file__, "exec")


def _channel_sum(kernel: ChannelSumKernel, result: np.dtype[Any], compute: str | None) -> Known:
    """Return a call with channel sums; a weight of another rank than 1 is not dense."""

    def known(tensors: Tensors, scalars: tuple[Any, ...], out: Any, compute_dtype: Any) -> Any:
        grad, data, weight = tensors
        if (
            (
                compute_dtype is not compute
                and (type(compute_dtype) is not str or compute_dtype != compute)
            )
            or type(data) is not np.ndarray
            or type(weight) is not np.ndarray
            or not data.size
        ):
            return None
        shape, count = data.shape, weight.size
        if count != 1 and (len(shape) < 2 or shape[1] != count):
            return None
        if out is None:
            out = np.empty(shape, result), np.empty(count, result)
        elif type(out) is not tuple or len(out) != 2:
            return None
        return out if kernel.dense((grad, data, weight, out[0]), out[1]) else None

    return known
