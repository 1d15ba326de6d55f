"""Arrays of other libraries: in without a copy, out as the caller's kind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .dtypes import BY_NUMPY, FLOATS, names
from .errors import ArgumentTypeError

Wrap = Callable[[NDArray[Any]], Any]


class Imported(NamedTuple):
    """An array of any library, as NumPy sees it."""

    #: the same memory as a NumPy array
    array: NDArray[Any]
    #: what turns a NumPy array into the caller's kind; None for NumPy's own
    wrap: Wrap | None


def import_array(argument: str, value: Any) -> Imported:
    """Return a NumPy view of an array of any library that shares its memory through NumPy.

    Parameters
    ----------
    argument : str
        Name of the argument, for the message.
    value : array
        A NumPy array or scalar, a torch CPU tensor, or whatever has ``__dlpack__`` or
        ``__array__``.

    Raises
    ------
    ArgumentTypeError
        If it is no array, is masked, or lives on another device.
    """
    if isinstance(value, np.ndarray):
        # asking NumPy for ``np.ma`` would import it, and in a forked child an import may never end
        masked = sys.modules.get("numpy.ma")
        if masked is not None and isinstance(value, masked.MaskedArray):
            raise ArgumentTypeError(argument, "is a masked array; fill it or drop its mask first")
        return Imported(value.view(np.ndarray) if type(value) is not np.ndarray else value, None)
    if isinstance(value, np.generic):
        return Imported(np.asarray(value), None)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _import_torch(torch, argument, value)
    try:
        if hasattr(value, "__dlpack__"):
            try:
                array = np.from_dlpack(value)
            except (BufferError, RuntimeError, TypeError):
                if not hasattr(value, "__array__"):
                    raise
                array = np.asarray(value)  # a type that NumPy's DLPack lacks, BF16 for one
        elif hasattr(value, "__array__"):
            array = np.asarray(value)
        else:
            raise ArgumentTypeError(
                argument,
                f"is a {type(value).__name__}; an array is expected (NumPy, torch, or whatever has"
                " __dlpack__ or __array__)",
            )
    except (BufferError, RuntimeError, TypeError) as error:
        if isinstance(error, ArgumentTypeError):
            raise
        raise ArgumentTypeError(
            argument, f"is a {type(value).__name__} that NumPy cannot share: {error}"
        ) from error
    return Imported(array, _wrapper(value))


def _wrapper(value: Any) -> Wrap | None:
    """Return what makes arrays of the value's library, as far as its protocols tell."""
    if hasattr(value, "__array_namespace__"):
        make: Wrap = value.__array_namespace__().asarray
        return make
    wrap: Wrap | None = getattr(value, "__array_wrap__", None)
    return wrap


def _import_torch(torch: Any, argument: str, tensor: Any) -> Imported:
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise ArgumentTypeError(
            argument,
            f"is a torch tensor on {tensor.device} with layout {tensor.layout}; a dense CPU tensor"
            " is expected",
        )
    if tensor.requires_grad:
        raise ArgumentTypeError(
            argument, "is a torch tensor that requires grad; pass tensor.detach()"
        )
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if tensor.dtype == torch.bfloat16:
        array = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    else:
        array = tensor.numpy()

    def wrap(result: NDArray[Any]) -> Any:
        if result.dtype == ml_dtypes.bfloat16:
            return torch.from_numpy(result.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(result)

    return Imported(array, wrap)


def import_floats(argument: str, value: Any) -> Imported:
    """Return a NumPy view of an array of F16, BF16, F32 or F64.

    Raises
    ------
    ArgumentTypeError
        If it is no array as `import_array` takes them, or has another element type.
    """
    imported = import_array(argument, value)
    if BY_NUMPY.get(imported.array.dtype) not in FLOATS:
        raise ArgumentTypeError(
            argument,
            f"has type {imported.array.dtype!s}; allowed are {names(FLOATS)} in native byte order",
        )
    return imported
