"""The array functions on xarray's arrays: computed on the wrapped arrays, labels kept.

Axes are matched by position, as for all other arrays. If labels disagree (names of dimensions or
coordinates), the call is refused: nothing is transposed, aligned or dropped.
"""

from __future__ import annotations

from typing import Any

import xarray as xr

from ..core.errors import ArgumentTypeError, ArgumentValueError
from ..declaration.operator import Operator
from ..declaration.scalars import check_array_scalar
from ..declaration.views import HALVES, PER_CHANNEL
from .call import array_call
from .call_cache import ArrayCall


def call_operator(call: ArrayCall) -> Any:
    """Call an operator on tensors of which at least one is a DataArray."""
    operator = call.operator
    labelled = {
        param.name: tensor
        for param, tensor in zip(operator.tensors, call.tensors, strict=True)
        if isinstance(tensor, xr.DataArray) and param.view is not PER_CHANNEL  # has its own axis
    }
    axis = None
    if any([param.view is HALVES for param in operator.tensors]):
        axis = operator.axis(tuple(map(check_array_scalar, operator.scalars, call.scalars)))
    _check_labels(labelled, axis)
    tensors = tuple([t.data if isinstance(t, xr.DataArray) else t for t in call.tensors])
    got = array_call(operator, tensors, call.scalars, call.out, call.compute_dtype)
    if call.out is not None:
        return got
    if not operator.per_channel:
        reduced = operator.reduction is not None and not got.ndim
        return _like_all(labelled, got, axis, reduced=reduced) if labelled else got
    result, sums = got
    return _like_all(labelled, result, None) if labelled else result, _sums(
        operator, call.tensors, sums
    )


def _check_labels(labelled: dict[str, Any], axis: int | None) -> None:
    """Refuse arrays whose labels do not match by position; lengths may differ on an axis."""
    exclude = set[Any]()
    for argument, array in labelled.items():
        model = max(labelled.values(), key=lambda array: array.ndim)
        if array.dims != model.dims[model.ndim - array.ndim :]:
            raise ArgumentValueError(
                argument,
                f"has dimensions {array.dims}, another argument {model.dims}; axes are matched by"
                " position, so transpose or rename",
            )
        if axis is not None and -model.ndim <= axis < model.ndim:
            exclude = {model.dims[axis]}
    try:
        xr.align(*labelled.values(), join="exact", copy=False, exclude=exclude)
    except ValueError as error:
        argument = next(iter(labelled))
        raise ArgumentValueError(
            argument, f"has other coordinates or lengths than another argument: {error}"
        ) from error


def _like_all(
    labelled: dict[str, Any], result: Any, axis: int | None, *, reduced: bool = False
) -> Any:
    """Return a result with the labels of the tensor of highest rank, or one number without any.

    On an axis on which its length is another one, it has no coordinates.
    """
    argument, model = max(
        labelled.items(), key=lambda item: (item[1].ndim, item[1].shape == result.shape)
    )
    if reduced:
        return _labelled(result, (), model)
    if axis is not None and model.shape[axis] != result.shape[axis]:
        there = [name for name, c in model.coords.items() if model.dims[axis] in c.dims]
        model = model.drop_vars(there)
    elif model.shape != result.shape:
        raise ArgumentTypeError(
            argument,
            f"is a DataArray of shape {model.shape}, the result has {result.shape}, for whose axes"
            " there are no dimensions; broadcast it before",
        )
    return _labelled(result, model.dims, model)


def _sums(operator: Operator, tensors: tuple[Any, ...], sums: Any) -> Any:
    """Return the sums with the labels of the weight, or with those of the channel axis."""
    _, data, weight = tensors
    if isinstance(weight, xr.DataArray) and weight.shape == sums.shape:
        return _labelled(sums, weight.dims, weight)
    if isinstance(data, xr.DataArray) and data.ndim > 1 and sums.shape == data.shape[1:2]:
        return _labelled(sums, data.dims[1:2], data)
    return sums


def _labelled(values: Any, dims: tuple[Any, ...], model: xr.DataArray) -> xr.DataArray:
    """Return an array with the name of another one, and the coordinates of its dimensions."""
    coords = {name: c for name, c in model.coords.items() if set(c.dims) <= set(dims)}
    return xr.DataArray(values, coords, dims, model.name)
