"""Arrays of other libraries behave as the tables of docs/libraries.md say."""

import array
import importlib
import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref.core.arrays import import_array

from ..support.processes import ROOT
from ..support.rounding import assert_bits

X = np.array([-2, -0.25, 0.25, 0.75], np.float32)
WANT = np.array([-2, 0, 0, 0.75], np.float32)
#: libraries of tables' rows that are extras, by the word that their rows begin with
EXTRAS = {
    "torch": "torch",
    "JAX": "jax",
    "array-api-strict": "array_api_strict",
    "dask": "dask",
    "xarray": "xarray",
    "zarr": "zarr",
    "h5py": "h5py",
    "pandas": "pandas",
    "SciPy": "scipy",
}

Make = Callable[[Any], Any]


def module(name: str) -> Any:
    return importlib.import_module(name)


class OnDevice:
    """An array in another device's memory, which its library copies when it is told to alone."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the array is on device cuda:0")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def _dataset(values: Any) -> Any:
    file = module("h5py").File(uuid4().hex, "w", driver="core", backing_store=False)
    return file.create_dataset("x", data=values)


def _traced(values: Any) -> Any:
    found: list[Any] = []
    module("jax").make_jaxpr(found.append)(values)
    return found[0]


def _torch(values: Any) -> Any:
    return module("torch").from_numpy(values.copy())


def _jax(values: Any) -> Any:
    return module("jax.numpy").asarray(values)


def _labelled(values: Any) -> Any:
    return module("xarray").DataArray(values.copy(), dims="t", coords={"t": range(len(values))})


def _chunked(values: Any) -> Any:
    return module("dask.array").from_array(values.copy(), chunks=2)


#: row of the table -> what makes such objects of an array
ROWS: dict[str, tuple[Make, ...]] = {
    "NumPy arrays": (np.copy,),
    "NumPy arrays of `ml_dtypes.bfloat16`": (lambda a: a.astype(ml_dtypes.bfloat16),),
    "NumPy subclasses (`numpy.matrix`, `numpy.memmap` and others)": (
        lambda a: np.rec.array(a.copy()),
        lambda a: a.copy().view(type("Subclass", (np.ndarray,), {})),
    ),
    "NumPy masked arrays": (lambda a: np.ma.masked_array(a, a < 0),),
    "NumPy scalars": (lambda a: a[3],),
    "torch CPU tensors, BF16 too": (_torch, lambda a: _torch(a).bfloat16()),
    "torch tensors that require grad": (lambda a: _torch(a).requires_grad_(),),
    "torch tensors on other devices": (lambda a: _torch(a).to("meta"),),
    "JAX arrays on the CPU, BF16 too": (_jax, lambda a: _jax(a).astype("bfloat16")),
    "JAX arrays that are traced": (_traced,),
    "array-api-strict": (lambda a: module("array_api_strict").asarray(a.copy()),),
    "dask arrays": (_chunked,),
    "xarray `DataArray`": (_labelled,),
    "xarray `DataArray` of a dask array": (lambda a: _labelled(a).chunk(2),),
    "xarray `Dataset`": (lambda a: module("xarray").Dataset({"a": ("t", a)}),),
    "zarr arrays": (lambda a: module("zarr").array(a),),
    "h5py datasets": (_dataset,),
    "pandas `Series` and `DataFrame`": (
        lambda a: module("pandas").Series(a.copy(), index=list("abcd")),
        lambda a: module("pandas").DataFrame({"column": a}),
    ),
    "`memoryview`": (memoryview,),
    "`array.array`": (lambda a: array.array("f", a),),
    "lists and numbers": (np.ndarray.tolist, lambda a: 1.0),
    "SciPy sparse arrays": (lambda a: module("scipy.sparse").csr_array(a[None]),),
    "arrays on a GPU (DLPack devices other than the CPU)": (lambda a: OnDevice(),),
}

#: kinds of the table of mixtures -> what makes them
KINDS: dict[str, Make] = {
    "NumPy": np.copy,
    "torch": _torch,
    "JAX": _jax,
    "array-api-strict": ROWS["array-api-strict"][0],
    "dask": _chunked,
    "xarray": _labelled,
    "zarr": ROWS["zarr arrays"][0],
    "pandas": ROWS["pandas `Series` and `DataFrame`"][0],
}


def table(heading: str) -> list[list[str]]:
    """Return the rows of a table of the page."""
    text = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    found = re.search(rf"^\| {heading} \|.*\n\|---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].splitlines()]


def need(row: str) -> None:
    """Skip a row whose library is an extra and not installed."""
    for word in re.split(r"[ ,]+", row):
        if word in EXTRAS:
            pytest.importorskip(EXTRAS[word], reason="an extra")


def type_named(cell: str) -> Any:
    """Return the class that a cell names, as users write it."""
    if cell == "`array_api_strict.Array`":
        return type(module("array_api_strict").asarray([1.0]))
    name, _, attribute = cell.strip("`").rpartition(".")
    return getattr(module(name), attribute)


def is_array(value: Any) -> bool:
    """Tell whether an object is taken as an array."""
    try:
        import_array("x", value)
    except ar.ArgumentTypeError:
        return False
    return True


def numpy_of(value: Any) -> Any:
    """Return the elements of an array of any library."""
    return import_array("x", value).array.ravel()


def inputs(make: Make) -> str:
    """Return what happens to an input."""
    value = make(X)
    if not is_array(value):
        with pytest.raises(ar.ArgumentTypeError, match=r"^self "):
            ar.hardshrink_backward(X, value)
        return "refused"
    result = ar.hardshrink_backward(value, value)
    if getattr(result, "chunks", None) is not None:
        computed: list[Any] = []
        with module("dask.callbacks").Callback(pretask=lambda key, *_: computed.append(key)):
            ar.hardshrink_backward(value, value)
            assert not computed
            result.compute(scheduler="sync")
            assert computed
        return "lazily"
    first, second = (import_array("x", value).array for _ in range(2))
    same = first.__array_interface__["data"][0] == second.__array_interface__["data"][0]
    return "in place" if same else "copied"


def outputs(make: Make) -> str:
    """Return what happens to ``out``."""
    out = make(np.zeros_like(X))
    values = import_array("x", make(X)).array.copy() if is_array(out) else X
    try:
        assert ar.hardshrink_backward(values, values, out=out) is out
    except ar.ArgumentError as error:
        refused = error
    else:
        assert_bits(numpy_of(out), numpy_of(make(WANT)))
        return "written"
    assert refused.argument == "out"
    assert not is_array(out) or not numpy_of(out).any()
    return "refused"


def test_every_row_has_a_case_and_every_case_a_row() -> None:
    assert [row[0] for row in table("objects")] == list(ROWS)
    mixed = {kind for row in table("arguments") for kind in row[0].split(", ")}
    assert mixed == set(KINDS)


@pytest.mark.parametrize("row", table("objects"), ids=lambda row: row[0])
def test_a_library(row: list[str]) -> None:
    name, wanted, result, out = row
    need(name)
    for make in ROWS[name]:
        assert inputs(make) == wanted
        assert outputs(make) == out
        assert (result == "–") == (wanted == "refused")
        if wanted != "refused":
            got = ar.hardshrink_backward(make(X), make(X))
            expected = type_named(result)
            assert type(got) is expected if expected is np.ndarray else isinstance(got, expected)
            assert_bits(numpy_of(got), numpy_of(make(WANT)))


@pytest.mark.parametrize("row", table("arguments"), ids=lambda row: row[0])
def test_a_mixture_of_libraries(row: list[str]) -> None:
    arguments, result = row
    for kind in arguments.split(", "):
        need(kind)
    first, second = (KINDS[kind](X) for kind in arguments.split(", "))
    got = ar.hardshrink_backward(first, second)
    assert isinstance(got, type_named(result))
    assert_bits(import_array("x", got).array, WANT)
    # and beside an output of another library
    out = np.empty_like(X)
    if getattr(got, "chunks", None) is not None:  # it is computed later, and out would be forgotten
        with pytest.raises(ar.ArgumentValueError, match=r"^out "):
            ar.hardshrink_backward(first, second, out=out)
        return
    assert ar.hardshrink_backward(first, second, out=out) is out


def test_labels_of_pandas_are_put_back_by_hand() -> None:
    pandas = pytest.importorskip("pandas", reason="an extra")
    series = pandas.Series(X, index=list("abcd"))
    result = pandas.Series(ar.hardshrink_backward(series, series), index=series.index)
    assert result["d"] == np.float32(0.75)


def test_sums_of_array_api_arrays() -> None:
    strict = pytest.importorskip("array_api_strict", reason="an extra")
    x, weight = strict.asarray(X.reshape(2, 2)), strict.asarray(X[:2].copy())
    got = ar.prelu_backward(x, x, weight)
    want = ar.prelu_backward(X.reshape(2, 2), X.reshape(2, 2), X[:2].copy())
    for actual, other in zip(got, want, strict=True):
        assert isinstance(actual, type(x))
        assert_bits(np.from_dlpack(actual), other)
