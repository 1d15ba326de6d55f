"""Files with arguments and results of calls: NumPy's, PyTorch's, safetensors, raw bytes, folders.

Elements that NumPy has no name for are those of ``ml_dtypes`` and, for HiFloat8, of ``en_dtypes``.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ALIASES
from ..core.errors import OptionError
from ..core.extras import install_command
from ..core.fork_safety import import_torch
from .array_files import read_array, read_arrays
from .outputs import named, reason

Arrays = dict[str, NDArray[Any]]

#: the name of what is read, in messages
FILE: Final = "FILE"
#: names of files of torch.save, and of raw bytes
_TORCH: Final = (".pt", ".pth")
_RAW: Final = (".bin", ".raw", ".dat")
_SAFETENSORS: Final = ".safetensors"
SUFFIXES: Final = (".npz", ".npy", *_TORCH, _SAFETENSORS, *_RAW)
#: element types of safetensors
_CODES: Final = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "U16": "uint16", "U32": "uint32",
    "U64": "uint64", "BOOL": "bool", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu",
}  # fmt: skip


def element_type(argument: str, name: str) -> np.dtype[Any]:
    """Return the type with a name, of NumPy, ``ml_dtypes`` or ``en_dtypes``."""
    name = ALIASES.get(name.casefold(), name)
    try:
        if name == "hifloat8":
            import en_dtypes

            found = en_dtypes.hifloat8
        else:
            found = getattr(ml_dtypes, name, name)
        kind: np.dtype[Any] = np.dtype(found)
    except ModuleNotFoundError as error:
        problem = f"{name} needs {error.name}: {install_command('judge')}"
        raise OptionError(argument, problem) from None
    except TypeError:
        problem = f"{name!r} is no element type; names are NumPy's, ml_dtypes', and hifloat8"
        raise OptionError(argument, problem) from None
    return kind


class Reader:
    """Reads files; types and shapes by the names of arrays are what was said about their bytes."""

    def __init__(self, types: Mapping[str, str], shapes: Mapping[str, str]) -> None:
        self._types = {name: element_type("--type", text) for name, text in types.items()}
        self._shapes = {name: _shape(text) for name, text in shapes.items()}
        self._used: set[str] = set()

    def read(self, words: Iterable[str], argument: str = FILE) -> Arrays:
        """Return the arrays of files, each FILE or NAME=FILE, by name; each name once."""
        arrays: Arrays = {}
        for text in words:
            name, equals, file = text.partition("=")
            one = equals and name.isidentifier()
            found = self._of_file(Path(file if one else text), argument)
            if one:
                if len(found) != 1:
                    problem = f"{file} holds {len(found)} arrays; {name}= needs a file of one"
                    raise OptionError(argument, problem)
                found = {name: next(iter(found.values()))}
            twice = [key for key in found if key in arrays]
            if twice:
                raise OptionError(argument, f"{twice[0]} is given twice, the second time by {text}")
            arrays |= {key: self._stated(key, array) for key, array in found.items()}
        return arrays

    def check_used(self) -> None:
        """Raise OptionError if something was said about an array that no file has."""
        for option, names in (("--type", self._types), ("--shape", self._shapes)):
            for name in names:
                if name not in self._used:
                    raise OptionError(option, f"no array has the name {name!r}")

    def _stated(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array with the type and the shape that were said to be its own."""
        self._used.add(name)
        kind, shape = self._types.get(name), self._shapes.get(name)
        if kind is not None:
            raw, size = array.dtype.kind == "S", kind.itemsize
            if array.nbytes % size if raw else array.itemsize != size:
                has = f"{array.nbytes:,} bytes" if raw else f"elements of {array.itemsize} bytes"
                raise OptionError("--type", f"{name} has {has}, {kind.name} has {size}")
            array = np.frombuffer(array.tobytes(), kind).reshape(-1 if raw else array.shape)
        elif array.dtype.kind == "S":
            raise OptionError("--type", f"missing for {name}, whose file has no type of its own")
        if shape is not None:
            try:
                array = array.reshape(shape)
            except ValueError:
                problem = f"{name} has {array.size:,} elements, which do not fill {shape}"
                raise OptionError("--shape", problem) from None
        return array

    def _of_file(self, path: Path, argument: str) -> Arrays:
        """Return the arrays of a file or of all files in a folder, by name."""
        suffix = path.suffix
        if os.path.isdir(path):  # which is False for what is no name of a file
            files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
            if not files:
                problem = f"the folder {named(path)} has no file that ends in {', '.join(SUFFIXES)}"
                raise OptionError(argument, problem)
            arrays: Arrays = {}
            for file in files:
                arrays |= self._of_file(file, argument)
            return arrays
        if suffix == ".npz":
            return read_arrays(argument, path)
        if suffix in _TORCH:
            return _torch_arrays(argument, path)
        if suffix == _SAFETENSORS:
            return _safetensors_arrays(argument, path)
        if suffix in _RAW:
            with _reading(argument, path):
                return {path.stem: np.frombuffer(path.read_bytes(), "S1")}
        if suffix != ".npy":
            problem = f"the name of {named(path)} must end in one of {', '.join(SUFFIXES)}"
            raise OptionError(argument, problem)
        return {path.stem: read_array(argument, path)}


def _shape(text: str) -> tuple[int, ...]:
    lengths = text.split("x") if text else []
    if not all(length.isdecimal() for length in lengths):
        raise OptionError("--shape", f"{text!r} is not of the form 2x3")
    return tuple([int(length) for length in lengths])


@contextmanager
def _reading(argument: str, path: Path) -> Iterator[None]:
    """Turn what goes wrong while a file is being read into an error about the argument."""
    try:
        yield
    except OptionError:
        raise
    except FileNotFoundError:
        raise OptionError(argument, f"no such file: {named(path)}") from None
    except ModuleNotFoundError as error:
        needed = f"{named(path)} needs {error.name}"
        extra = "torch" if error.name == "torch" else "judge"
        raise OptionError(argument, f"{needed}: {install_command(extra)}") from None
    except Exception as error:  # what the file holds decides what fails, and with what
        raise OptionError(argument, f"cannot read {named(path)}: {reason(error)}") from error


def _torch_arrays(argument: str, path: Path) -> Arrays:
    """Return the tensors and numbers of a file of torch.save, which executes nothing."""
    with _reading(argument, path):
        found = load_torch(path)
        named_values = found if isinstance(found, dict) else {path.stem: found}
        return {str(name): as_array(value) for name, value in named_values.items()}


def load_torch(path: Path) -> Any:
    """Return what torch.save wrote, on the CPU."""
    import_torch()
    import torch

    with path.open("rb") as file:
        return torch.load(file, map_location="cpu", weights_only=True)


def as_array(value: Any) -> NDArray[Any]:
    """Return a tensor of PyTorch of any element type, or a number, as an array."""
    import torch

    if not isinstance(value, torch.Tensor):
        if isinstance(value, bool | int | float):
            return np.array(value)
        raise ValueError(f"it holds a {type(value).__name__} where tensors are expected")
    kind = element_type(FILE, str(value.dtype).removeprefix("torch."))
    flat = value.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    bits: NDArray[Any] = flat.view(torch.uint8).numpy()
    return bits.view(kind).reshape(value.shape)


def _safetensors_arrays(argument: str, path: Path) -> Arrays:
    with _reading(argument, path):
        import safetensors

        entries: Any = safetensors  # its stub states no types
        arrays = {}
        for name, entry in entries.deserialize(path.read_bytes()):
            if entry["dtype"] not in _CODES:
                raise ValueError(f"{name} has the element type {entry['dtype']}")
            kind = element_type(argument, _CODES[entry["dtype"]])
            arrays[name] = np.frombuffer(entry["data"], kind).reshape(entry["shape"])
        return arrays
