"""Shapes and strides: broadcasting, merging of axes, overlap.

Strides are in bytes, as in NumPy.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

#: highest rank of a tensor
MAX_RANK: Final = 8
Strides = tuple[int, ...]


def broadcast_strides(shape: tuple[int, ...], strides: Strides, target: tuple[int, ...]) -> Strides:
    """Return the strides of an array broadcast to a shape."""
    lead = len(target) - len(shape)
    return (0,) * lead + tuple(
        0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True)
    )


def collapse(
    shape: tuple[int, ...], operands: tuple[Strides, ...]
) -> tuple[tuple[int, ...], tuple[Strides, ...]]:
    """Merge neighbouring axes that form one axis in every operand, and drop axes of size 1."""
    sizes: list[int] = []
    steps: list[list[int]] = []
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        step = [strides[axis] for strides in operands]
        if steps and all(a == b * size for a, b in zip(steps[-1], step, strict=True)):
            sizes[-1] *= size
            steps[-1] = step
        else:
            sizes.append(size)
            steps.append(step)
    return tuple(sizes), tuple(tuple(step[k] for step in steps) for k in range(len(operands)))


class _Interface:
    """An array interface."""

    def __init__(self, **fields: Any) -> None:
        self.__array_interface__ = {"version": 3} | fields


def array_at(
    address: int, shape: tuple[int, ...], dtype: np.dtype[Any], strides: Strides | None = None
) -> NDArray[Any]:
    """Return an array at an address, which is not touched and need not be memory."""
    place = (address, False)
    return np.asarray(_Interface(data=place, shape=shape, strides=strides, typestr=dtype.str))


def has_internal_overlap(array: NDArray[Any]) -> bool:
    """Tell whether two elements of an array share a byte."""
    if array.size == 0:
        return False
    extent = array.itemsize
    for size, stride in sorted(
        zip(array.shape, array.strides, strict=True), key=lambda axis: abs(axis[1])
    ):
        if size > 1:
            if abs(stride) < extent:
                break
            extent += (size - 1) * abs(stride)
    else:
        return False
    # the axes are not nested; comparing indices that first differ along each axis decides it
    # exactly
    while array.ndim:
        if array.shape[0] > 1 and np.shares_memory(array[1:], array[:1]):
            return True
        array = array[0, ...]  # a view, even of rank 0: no element is read
    return False


def same_view(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether two arrays are the same view of the same memory."""
    return (
        a.dtype == b.dtype
        and a.shape == b.shape
        and a.strides == b.strides
        and a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
    )


def overlap(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Tell whether two arrays share a byte."""
    if a.base is None and b.base is None and a is not b:
        return False  # each owns its memory
    return np.may_share_memory(a, b) and np.shares_memory(a, b)
