"""Calls of the two-phase API, as tests make them: operands on the device, both phases, refusals."""

from typing import Any

import numpy as np

import ascendref as ar
from ascendref import aclnn
from ascendref.core.dtypes import BY_NUMPY
from ascendref.declaration.operator import APIS, Operator

from .calls import call

#: the operators that the vendor has functions for
WITH_FUNCTIONS = [name for name, operator in ar.OPERATORS.items() if operator.api]


def place(dev: Any, array: Any) -> Any:
    """Return a tensor on the device with an array's values, strides and gaps."""
    itemsize = array.dtype.itemsize
    if array.size == 0:
        return dev.empty(array.shape, array.dtype)
    low, high = np.lib.array_utils.byte_bounds(array)
    start = array.__array_interface__["data"][0]
    memory = dev.malloc(high - low + itemsize)  # an element in front: offsets are never 0
    strides = tuple(stride // itemsize for stride in array.strides)
    tensor = ar.Tensor(
        memory, array.shape, array.dtype, strides, (start - low) // itemsize + 1, "NCHW"
    )
    if array.flags.writeable or not any(stride == 0 for stride in array.strides):
        tensor.view()[...] = array
    else:
        whole = tuple(slice(None) if stride else slice(1) for stride in array.strides)
        tensor.view()[whole] = array[whole]
    return tensor


def plain(operator: str, scalars: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the scalars of an array function as the vendor's API takes them."""
    found = []
    for param, scalar in zip(ar.OPERATORS[operator].scalars, scalars, strict=True):
        numbers = {None: -1.0} | ({} if param.is_text else param.choices or {})
        found.append(numbers.get(scalar, scalar))
    return tuple(found)


def from_device(
    operator: str, arrays: list[Any], scalars: tuple[Any, ...], kinds: list[Any]
) -> tuple[Any, ...]:
    """Return the results of some types that the device computes from arrays: in F32 arithmetic."""
    declared = ar.OPERATORS[operator]
    arrays = [array.copy() for array in arrays]
    numbers = [getattr(scalar, "value", scalar) for scalar in scalars]
    shapes = declared.shapes(declared, tuple(array.shape for array in arrays), numbers)
    outs = tuple([np.empty(shape, kind) for shape, kind in zip(shapes, kinds, strict=True)])
    out: Any = outs if len(outs) > 1 else outs[0]
    compute = "float32" if any(BY_NUMPY[array.dtype].floating for array in arrays) else None
    call(operator, *arrays, *numbers, out=out, compute_dtype=compute)
    if declared.per_channel:
        from .correctness import sums_of  # `tests.portability` needs nothing but the package

        # terms are kept in the type of the data until they are added, which no array function does
        kind = str(arrays[0].dtype)
        return outs[0], *sums_of(declared, tuple(arrays), "float32", kind, stored=kind)
    return outs


def declared(operator: str) -> Operator:
    return APIS.get(operator) or ar.OPERATORS[operator]


def scalars_of(operator: Operator, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return those scalars of an array function that a function of the vendor's has."""
    names = [param.name for param in ar.OPERATORS[operator.name].scalars]
    named = dict(zip(names, plain(operator.name, values), strict=True))
    return tuple([named[param.name] for param in operator.scalars])


def arranged(operator: Operator, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return tensors, scalars and results in the vendor's order, with tensors that are unused."""
    named = dict(zip(operator.vendor_parameters, arguments, strict=True))
    return tuple([named.get(name, arguments[0]) for name in operator.arguments])


def phase_1(operator: str, /, *arguments: Any, **keywords: Any) -> Any:
    """Call phase 1 of an operator with all of its tensors, scalars and results, or by name."""
    found = declared(operator)
    given = arranged(found, arguments) if arguments else ()
    return getattr(aclnn, f"{found.api}GetWorkspaceSize")(*given, **keywords)


def phase_2(operator: str, /, *arguments: Any, **keywords: Any) -> Any:
    return getattr(aclnn, declared(operator).api)(*arguments, **keywords)


def queue(dev: Any, operator: str, *arguments: Any, stream: Any = None) -> None:
    """Do both phases; the workspace is garbage afterwards, but lives as long as the work."""
    size, executor = phase_1(operator, *arguments)
    phase_2(operator, dev.malloc(size) if size else None, size, executor, stream)


def refusal(call: Any, /, *arguments: Any, **keywords: Any) -> tuple[int, str]:
    """Return status and message of the refusal of a call; 0 where it succeeds."""
    try:
        call(*arguments, **keywords)
    except ar.AclError as error:
        return int(error.status), error.message
    return 0, ""


def launch(dev: Any, api: str, /, *arguments: Any, stream: Any = None, **keywords: Any) -> None:
    """Do both phases of a function, by the vendor's name and in its order; as `queue`."""
    size, executor = getattr(aclnn, f"{api}GetWorkspaceSize")(*arguments, **keywords)
    getattr(aclnn, api)(dev.malloc(size) if size else None, size, executor, stream)


def refused(api: str, /, *arguments: Any, **keywords: Any) -> tuple[int, str]:
    """Return how phase 1 of a function refuses a call."""
    return refusal(getattr(aclnn, f"{api}GetWorkspaceSize"), *arguments, **keywords)
