"""Arrays of other libraries: imported as NumPy views and created from NumPy results."""

import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn, Protocol, TypeVar

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .dtypes import BY_NUMPY, ElementType, names, raw_bytes_hint
from .errors import ArgumentTypeError, shown

_DENSE: Final = "a dense CPU tensor is expected"
#: hint for tensors that PyTorch traces, transforms or wraps
_INSTEAD: Final = "the operators of ascendref.torch can be traced and transformed"


class SupportsArray(Protocol):
    """An object that NumPy can convert to an array."""

    def __array__(self) -> Any: ...


class SupportsDLPack(Protocol):
    """An object that exports its memory by the DLPack protocol."""

    def __dlpack__(self) -> Any: ...


#: an array of NumPy, torch, JAX, dask, …
Array = SupportsArray | SupportsDLPack
#: for functions that return the caller's kind of array: torch tensors for torch tensors
ArrayT = TypeVar("ArrayT", bound=Array)

#: converts a NumPy array to an array of another library
FromNumpy = Callable[[NDArray[Any]], Any]


class ImportedArray(NamedTuple):
    """An array of any library as a NumPy array."""

    #: the NumPy array, which shares its memory where the library allows that
    array: NDArray[Any]
    #: converts results to the library's arrays; None for NumPy's own
    from_numpy: FromNumpy | None


def import_array(
    argument: str, value: object, types: tuple[ElementType, ...] | None = None
) -> ImportedArray:
    """Return an array of any library as a NumPy array: a view, or a copy if it shares no memory.

    ``types`` are the allowed element types; None for all of NumPy's.
    """
    try:
        imported = _import(argument, value, types)
    except (ArgumentTypeError, MemoryError):
        raise
    except Exception as error:  # raised by the object or its library
        raise ArgumentTypeError(
            argument, f"is a {type(value).__name__} that NumPy cannot share: {shown(error)}"
        ) from error
    if types is None:
        return imported
    array = imported.array
    kind = BY_NUMPY.get(array.dtype)
    if kind is None or kind not in types:
        _refuse_type(argument, str(array.dtype), types, raw_bytes_hint(array.dtype))
    if array.dtype is not kind.numpy:  # an equal object, as in unpickled arrays; kernels know ours
        imported = imported._replace(array=array.view(kind.numpy))
    return imported


def lazy_problem(value: Any) -> str | None:
    """Return why an object whose elements are not yet computed cannot take results, or None."""
    if is_of(value, "xarray", "DataArray") and value.chunks is not None:
        return _copied(value)
    return _copied(value) if is_of(value, "dask.array", "Array") else None


def write_problem(argument: str, value: Any, array: NDArray[Any]) -> str | None:
    """Return why an object cannot take results through the array imported from it, or None.

    No common protocol says whether an import is a copy. So the object is imported a second time: if
    both arrays have the same address, the memory is the object's own. Torch states the address.
    """
    if not isinstance(value, np.ndarray) and array.size:
        if is_of(value, "torch", "Tensor"):
            own: int = value.data_ptr()
        else:
            own = _address(import_array(argument, value).array)
        if own != _address(array):
            return _copied(value)
    if not array.flags.writeable:
        return "is read-only; a writable array is expected"
    return None


def _copied(value: object) -> str:
    return (
        f"is a {type(value).__name__} that NumPy can only copy, so the results would be lost;"
        " pass an array that shares its memory, such as a numpy.ndarray, and copy from there"
    )


def export_results(
    argument: str, from_numpy: FromNumpy, results: tuple[NDArray[Any], ...]
) -> tuple[Any, ...]:
    """Return results as arrays of the library that an argument belongs to."""
    try:
        return tuple([from_numpy(array) for array in results])
    except MemoryError:
        raise
    except Exception as error:  # raised by the library
        raise ArgumentTypeError(
            argument,
            f"belongs to a library that cannot hold the results: {shown(error)};"
            " pass a numpy.ndarray",
        ) from error


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _import(argument: str, value: Any, types: tuple[ElementType, ...] | None) -> ImportedArray:
    if isinstance(value, np.ndarray):
        # ``np.ma`` would import the module, and in a forked child an import may never end
        if is_of(value, "numpy.ma", "MaskedArray"):
            raise ArgumentTypeError(argument, "is a masked array; fill it or drop its mask first")
        return ImportedArray(value if type(value) is np.ndarray else np.asarray(value), None)
    if isinstance(value, np.generic):
        return ImportedArray(np.asarray(value), None)
    if is_of(value, "torch", "Tensor"):
        return _import_torch(argument, value, types)
    if is_of(value, "torch.fx", "Proxy"):
        raise ArgumentTypeError(argument, f"is a torch.fx.Proxy without elements; {_INSTEAD}")
    if is_of(value, "jax.core", "Tracer"):
        raise ArgumentTypeError(
            argument,
            f"is an array of {value.aval.str_short()} traced by JAX, which has no elements yet;"
            "  inside jax.jit, jax.vmap and jax.grad, use the functions of ascendref.jax",
        )
    if hasattr(value, "__dlpack__"):
        try:
            array = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError):
            if not hasattr(value, "__array__"):
                raise
            array = np.asarray(value)  # a type that NumPy's DLPack does not support, such as BF16
    elif hasattr(value, "__array__"):
        array = np.asarray(value)
    else:
        raise ArgumentTypeError(
            argument,
            f"is a {type(value).__name__}; an array is expected (NumPy, torch, or any object with"
            " __dlpack__ or __array__)",
        )
    return ImportedArray(array, _converter(value))


def is_of(value: object, module: str, name: str) -> bool:
    """Tell whether an object's class is the named one, without importing its module.

    ``isinstance`` asks the object for its class, and some objects raise then.
    """
    return issubclass(type(value), getattr(sys.modules.get(module), name, ()))


def _converter(value: object) -> FromNumpy | None:
    """Return the function that converts to arrays of the value's library, or None."""
    if hasattr(value, "__array_namespace__"):
        asarray: FromNumpy = value.__array_namespace__().asarray
        return asarray
    array_wrap: FromNumpy | None = getattr(value, "__array_wrap__", None)
    return array_wrap


def note_written(outs: tuple[object, ...]) -> None:
    """Tell libraries that record computations which of their arrays were written.

    The autograd of torch then refuses a backward pass through operations that read them before.
    """
    tensors = tuple([out for out in outs if is_of(out, "torch", "Tensor")])
    if tensors:
        sys.modules["torch"]._C._increment_version(tensors)


def _import_torch(
    argument: str, tensor: Any, types: tuple[ElementType, ...] | None
) -> ImportedArray:
    torch = sys.modules["torch"]
    if recorder := _recorder(torch):
        raise ArgumentTypeError(
            argument,
            f"is a torch tensor, and {recorder} cannot record this computation; {_INSTEAD}",
        )
    if problem := _torch_problem(torch, tensor):
        raise ArgumentTypeError(argument, problem)
    kind = str(tensor.dtype).removeprefix("torch.")
    if types is not None and kind not in [row.name for row in types]:
        _refuse_type(argument, kind, types)
    if tensor.requires_grad and torch.is_grad_enabled():
        raise ArgumentTypeError(
            argument,
            "is a torch tensor that requires grad; pass tensor.detach(), or call under"
            " torch.no_grad()",
        )
    forward = torch.autograd.forward_ad
    if forward._current_level >= 0 and forward.unpack_dual(tensor).tangent is not None:
        raise ArgumentTypeError(
            argument, "is a torch tensor with a forward derivative; pass tensor.detach()"
        )
    # a tensor that no transform has wrapped is a constant to that transform, and so is the result
    outside = torch._C._DisableFuncTorch
    with outside():
        tensor = tensor.detach()
        if tensor.is_conj() or tensor.is_neg():
            tensor = tensor.resolve_conj().resolve_neg()
        if tensor.dtype == torch.bfloat16:
            array = tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        else:
            array = tensor.numpy()

    def from_numpy(result: NDArray[Any]) -> Any:
        with outside():
            return as_torch(result)

    return ImportedArray(array, from_numpy)


def as_torch(array: NDArray[Any]) -> Any:
    """Return a torch tensor that is a view of an array."""
    import torch

    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _recorder(torch: Any) -> str | None:
    """Return what now records PyTorch's operators or computes only their shapes, or None.

    It does not see our kernels: it would record their results as constants.
    """
    if torch._C._get_tracing_state() is not None:
        return "torch.jit.trace"
    keys = torch._C._TorchDispatchModeKey
    for key in (keys.PROXY, keys.FAKE, keys.FUNCTIONAL):
        mode = torch._C._get_dispatch_mode(key)
        if mode is not None:
            return f"PyTorch's {type(mode).__name__}"
    return None


def _torch_problem(torch: Any, tensor: Any) -> str | None:
    """Return why a torch tensor has no memory of its own that kernels can read, or None."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return f"is a torch tensor inside a transform of torch.func, such as vmap; {_INSTEAD}"
    if tensor.is_nested or tensor.device.type != "cpu" or tensor.layout != torch.strided:
        nested = "nested " if tensor.is_nested else ""
        where = f"on {tensor.device} with layout {tensor.layout}"
        fix = "" if tensor.device.type in ("cpu", "meta") else ": pass tensor.cpu()"
        return f"is a {nested}torch tensor {where}; {_DENSE}{fix}"
    if torch._C._dispatch_keys(tensor).has(torch._C.DispatchKey.Python):
        name = type(tensor).__name__
        return f"is a {name}, a torch tensor subclass with operators of its own; {_INSTEAD}"
    if tensor.numel() and not tensor.data_ptr():
        return f"is a torch tensor without memory, freed or a ZeroTensor; {_DENSE}"
    return None


def _refuse_type(
    argument: str, kind: str, types: tuple[ElementType, ...], hint: str = ""
) -> NoReturn:
    expected = f"allowed are {names(types)}" if len(types) > 1 else f"{types[0].name} is expected"
    raise ArgumentTypeError(argument, f"has type {kind}; {expected} in native byte order{hint}")
