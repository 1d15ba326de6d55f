"""Arrays in .npy and .npz files, BF16 included.

NumPy's format has no name for BF16: ``np.save`` writes raw two-byte elements (``<V2``), and so does
this. In Python, ``np.load(path)["out"].view(ml_dtypes.bfloat16)`` reads them.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from ..core.dtypes import BFLOAT16
from ..core.errors import OptionError
from ..core.output_files import is_special, output_file
from .outputs import check_writable, reason, report_write_errors

#: what is said about files of torch.save, safetensors and pickle
_PICKLE: Final = (
    "is neither a .npy nor a .npz file; write a tensor with numpy.save(FILE, tensor.numpy()), in"
    " BF16 with numpy.save(FILE, tensor.view(torch.int16).numpy().view('V2'))"
)


def read_array(argument: str, path: Path) -> NDArray[Any]:
    """Return the array of a .npy file, or raise OptionError about an argument."""
    with _loaded(argument, path) as found:
        if isinstance(found, NpzFile):
            raise OptionError(argument, f"{path} is a .npz file; one array (.npy) is expected")
        return _native(found)


def read_arrays(
    argument: str, path: Path, allowed: tuple[str, ...] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a .npz file by name; OptionError if one of them is not allowed."""
    with _loaded(argument, path) as found:
        if not isinstance(found, NpzFile):
            raise OptionError(argument, f"{path} holds one array without a name; use NAME={path}")
        if allowed is not None and (unknown := [name for name in found if name not in allowed]):
            problem = f"{path} holds {', '.join(unknown)}; allowed are {', '.join(allowed)}"
            raise OptionError(argument, problem)
        if len(set(found.files)) < len(found.files):
            raise OptionError(argument, f"{path} holds several arrays of the same name")
        arrays = {}
        for name, array in found.items():
            if not isinstance(array, np.ndarray):  # a member of the archive that is no .npy file
                raise OptionError(argument, f"{name} in {path} is not an array")
            arrays[name] = _native(array)
        return arrays


@contextmanager
def _loaded(argument: str, path: Path) -> Iterator[NDArray[Any] | NpzFile]:
    """Open a file; what goes wrong while it is being read is an error about the argument."""
    try:
        # np.load does not close a file that it opened itself and then cannot read
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how a header is written is not the reader's concern
            found = np.load(file, allow_pickle=False)
            if isinstance(found, NpzFile) and any(x.endswith("data.pkl") for x in found.files):
                raise OptionError(argument, f"{path} {_PICKLE}")
            yield found
    except OptionError:
        raise
    except FileNotFoundError:
        raise OptionError(argument, f"no such file: {path}") from None
    # what the file holds decides which parser, decompressor or allocation fails, and with what
    except Exception as error:
        problem = f"cannot read {path} as .npy or .npz: {reason(error)}"
        if isinstance(error, ValueError) and "pickled" in str(error):
            problem = f"{path} {_PICKLE}"
        raise OptionError(argument, problem) from error


def _native(array: NDArray[Any]) -> NDArray[Any]:
    """Read two raw bytes as BF16, and other types in this machine's byte order."""
    kind = array.dtype
    if kind.itemsize == 0:  # any number of elements fits a file; no result can have so many
        raise ValueError("its elements have no size")
    if kind.kind == "V" and kind.itemsize == 2 and kind.names is None and kind.subdtype is None:
        return array.view(BFLOAT16.numpy)
    return array if kind.isnative else array.astype(kind.newbyteorder("="))


def check_target(argument: str, path: Path, results: tuple[str, ...]) -> None:
    """Raise OptionError unless the results can go to a file, before they are computed."""
    check_writable(argument, path)
    suffixes = (".npz", ".npy") if len(results) == 1 else (".npz",)
    if path.suffix not in suffixes and (path.suffix == ".npy" or not is_special(path)):
        raise OptionError(
            argument,
            f"the name of {path} must end in {' or '.join(suffixes)}, as there"
            f" {'is one result' if len(results) == 1 else f'are {len(results)} results'}"
            f" ({', '.join(results)})",
        )


def write_arrays(
    argument: str, path: Path, arrays: Mapping[str, NDArray[Any]], *, compressed: bool = False
) -> None:
    """Write arrays to a .npz file, or one array to a .npy file, as a whole or not at all."""
    with report_write_errors(argument, path), output_file(path) as file:
        if path.suffix == ".npy":
            (array,) = arrays.values()
            np.save(file, array, allow_pickle=False)
        else:
            save = np.savez_compressed if compressed else np.savez
            save(file, allow_pickle=False, **arrays)
