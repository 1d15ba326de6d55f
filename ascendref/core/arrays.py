"""Arrays of other libraries: in without a copy, out as the caller's kind."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .dtypes import BY_NUMPY, ElementType, names
from .errors import ArgumentTypeError, shown

Wrap = Callable[[NDArray[Any]], Any]


class Imported(NamedTuple):
    """An array of any library, as NumPy sees it."""

    #: the same memory as a NumPy array
    array: NDArray[Any]
    #: what turns a NumPy array into the caller's kind; None for NumPy's own
    wrap: Wrap | None


def import_array(
    argument: str, value: Any, types: tuple[ElementType, ...] | None = None
) -> Imported:
    """Return a NumPy view of an array of any library that shares its memory through NumPy.

    Parameters
    ----------
    argument : str
        Name of the argument, for the message.
    value : array
        A NumPy array or scalar, a torch CPU tensor, or whatever has ``__dlpack__`` or
        ``__array__``.
    types : tuple of ElementType, optional
        Element types that it may have; None for all that NumPy has.

    Raises
    ------
    ArgumentTypeError
        If it is no array, is masked, has another element type, lives on another device, or if its
        library raises.
    """
    try:
        imported = _imported(argument, value, types)
    except (ArgumentTypeError, MemoryError):
        raise
    except Exception as error:  # whatever the object or its library raises
        raise ArgumentTypeError(
            argument, f"is a {type(value).__name__} that NumPy cannot share: {shown(error)}"
        ) from error
    if types is not None and BY_NUMPY.get(imported.array.dtype) not in types:
        _refuse_type(argument, str(imported.array.dtype), types)
    return imported


def not_to_write(argument: str, value: Any, array: NDArray[Any]) -> str | None:
    """Return why results cannot go to an array that was imported; None if they can.

    What may have been copied is imported again. Only where the same memory comes does anyone who
    reads the object later see what was written there; no flag or protocol tells for all libraries.
    A torch tensor says where its memory is.
    """
    if not isinstance(value, np.ndarray) and array.size:
        if isinstance(value, _if_imported("torch", "Tensor")):
            own = value.data_ptr()
        else:
            own = _address(import_array(argument, value).array)
        if own != _address(array):
            return (
                f"is a {type(value).__name__} that NumPy can only copy, so what is written would be"
                " lost; pass an array that shares its memory, such as a numpy.ndarray, and copy"
                " from there"
            )
    if not array.flags.writeable:
        return "is read-only; an array that can be written is expected"
    return None


def wrapped(argument: str, wrap: Wrap, results: tuple[NDArray[Any], ...]) -> tuple[Any, ...]:
    """Return results as arrays of the library that an argument is of."""
    try:
        return tuple([wrap(array) for array in results])
    except MemoryError:
        raise
    except Exception as error:  # whatever the library raises
        raise ArgumentTypeError(
            argument,
            f"is of a library that cannot hold the results: {shown(error)}; pass a numpy.ndarray",
        ) from error


def _address(array: NDArray[Any]) -> Any:
    return array.__array_interface__["data"][0]


def _imported(argument: str, value: Any, types: tuple[ElementType, ...] | None) -> Imported:
    if isinstance(value, np.ndarray):
        # asking NumPy for ``np.ma`` would import it, and in a forked child an import may never end
        if isinstance(value, _if_imported("numpy.ma", "MaskedArray")):
            raise ArgumentTypeError(argument, "is a masked array; fill it or drop its mask first")
        return Imported(value if type(value) is np.ndarray else np.asarray(value), None)
    if isinstance(value, np.generic):
        return Imported(np.asarray(value), None)
    if isinstance(value, _if_imported("torch", "Tensor")):
        return _import_torch(argument, value, types)
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
    return Imported(array, _wrapper(value))


def _if_imported(module: str, name: str) -> Any:
    """Return a class of a module if that is imported, else an empty tuple: nothing is one then."""
    return getattr(sys.modules.get(module), name, ())


def _wrapper(value: Any) -> Wrap | None:
    """Return what makes arrays of the value's library, as far as its protocols tell."""
    if hasattr(value, "__array_namespace__"):
        make: Wrap = value.__array_namespace__().asarray
        return make
    wrap: Wrap | None = getattr(value, "__array_wrap__", None)
    return wrap


def _import_torch(argument: str, tensor: Any, types: tuple[ElementType, ...] | None) -> Imported:
    torch = sys.modules["torch"]
    if tensor.is_nested or tensor.device.type != "cpu" or tensor.layout != torch.strided:
        nested = "nested " if tensor.is_nested else ""
        raise ArgumentTypeError(
            argument,
            f"is a {nested}torch tensor on {tensor.device} with layout {tensor.layout}; a dense CPU"
            " tensor is expected",
        )
    kind = str(tensor.dtype).removeprefix("torch.")
    if types is not None and kind not in [row.name for row in types]:
        _refuse_type(argument, kind, types)
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


def _refuse_type(argument: str, kind: str, types: tuple[ElementType, ...]) -> NoReturn:
    expected = f"allowed are {names(types)}" if len(types) > 1 else f"{types[0].name} is expected"
    raise ArgumentTypeError(argument, f"has type {kind}; {expected} in native byte order")
