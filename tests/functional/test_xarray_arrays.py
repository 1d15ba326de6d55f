"""xarray's arrays: results keep labels, dask arrays inside stay lazy."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.calls import call
from ..support.cases import HALVED, numbers
from ..support.operands import arguments, each_operator
from ..support.rounding import assert_bits, assert_same_bits

xr = pytest.importorskip("xarray")
da = pytest.importorskip("dask.array")

DIMS = ("image", "channel", "row")
COORDS = {"channel": [10, 20, 30], "height": ("row", np.arange(5.0)), "version": 7}


def labelled(array: Any, chunks: Any = None) -> Any:
    """Return an array with labels, lazily in chunks."""
    inside = array if chunks is None else da.from_array(array, chunks=chunks)
    coords = {name: c for name, c in COORDS.items() if name != "height" or array.shape[-1] == 5}
    return xr.DataArray(inside, coords, DIMS, "images", {"units": "m"})


@each_operator
@pytest.mark.parametrize("chunks", [None, (2, 3, 5)])
def test_results_have_the_labels_of_inputs(operator: str, chunks: Any) -> None:
    tensors = arguments(operator, (4, 3, 5))
    want = call(operator, *tensors)
    model = labelled(np.empty((4, 3, 5)))
    full = [k for k in (0, 1) if k < len(tensors) and tensors[k].ndim == 3]
    if operator in HALVED:  # lengths differ on the last axis
        model = model.drop_vars("height")
    for where in ((0,), (1,), (0, 1)):
        if not set(where) <= set(full):
            continue
        given = [labelled(t, chunks) if k in where else t for k, t in enumerate(tensors)]
        got = call(operator, *given)
        assert isinstance(got[0], xr.DataArray)
        assert isinstance(got[0].data, np.ndarray if chunks is None else da.Array)
        assert got[0].dims == DIMS
        assert got[0].name == "images"
        assert got[0].attrs == {}  # a gradient has other units
        xr.testing.assert_identical(got[0].coords.to_dataset(), model.coords.to_dataset())
        assert_bits(got[0].values, want[0])


@pytest.mark.parametrize("chunks", [None, (2, 3, 5)])
def test_prelus_sums_have_the_labels_of_the_channels(chunks: Any) -> None:
    grad, x, weight = (numbers("float32", s, 1, tame=True) for s in ((4, 3, 5), (4, 3, 5), (3,)))
    want = ar.prelu_backward(grad, x, weight)
    array = labelled(x, chunks)
    _, sums = ar.prelu_backward(grad, array, weight)
    assert (sums.dims, sums.channel.values.tolist()) == (("channel",), [10, 20, 30])
    assert_bits(sums.values, want[1])
    named = xr.DataArray(weight, dims="slope", name="weight")
    result, sums = ar.prelu_backward(grad, array, named)
    assert (result.dims, sums.dims, sums.name) == (DIMS, ("slope",), "weight")
    assert_bits(sums.values, want[1])
    result, sums = ar.prelu_backward(grad, x, named)
    assert (type(result), sums.dims) == (np.ndarray, ("slope",))
    single = ar.prelu_backward(grad, array, weight[:1])[1]
    assert single.shape == (1,)
    assert not isinstance(single, xr.DataArray)


def test_a_smaller_array_broadcasts_by_its_last_dimensions() -> None:
    x = labelled(numbers("float32", (4, 3, 5), 1))
    row = x[0, 0].drop_vars(["channel"])
    got = ar.hardshrink_backward(row, x)
    assert got.dims == DIMS
    assert_bits(got.values, ar.hardshrink_backward(x.values[0, 0], x.values))
    with pytest.raises(ar.ArgumentTypeError, match=r"^grad_output is a DataArray of shape \(5,\)"):
        ar.hardshrink_backward(row, x.values)


def test_gradients_that_broadcast_to_any_chunks() -> None:
    x = numbers("float32", (4, 3, 5), 1, tame=True)
    weight = numbers("float32", (3,), 2, tame=True)
    array = labelled(x, ((0, 2, 2), (3,), (1, 0, 4)))
    row = xr.DataArray(x[0, 0], dims="row")
    for grad, plain in ((row, x[0, 0]), (x[:1, :1], x[:1, :1]), (x[0, 0, 0], x[0, 0, 0])):
        result, sums = ar.prelu_backward(grad, array, weight)
        want = ar.prelu_backward(plain, x, weight)
        assert result.data.chunks == array.data.chunks
        assert (result.dims, sums.dims) == (DIMS, ("channel",))
        assert_same_bits((result.values, sums.values), want)
    # as xarray's own functions do
    with pytest.raises(ar.ArgumentValueError, match=r"other coordinates or lengths .*'image'"):
        ar.prelu_backward(labelled(x)[:1], array, weight)


def test_labels_that_disagree_are_refused() -> None:
    x = labelled(numbers("float32", (4, 3, 5), 1))
    square = xr.DataArray(np.ones((3, 3), np.float32), dims=("a", "b"))
    with pytest.raises(ar.ArgumentValueError, match=r"has dimensions \('b', 'a'\)"):
        ar.hardshrink_backward(square, square.T)
    other = x.assign_coords(channel=[1, 2, 3])
    with pytest.raises(ar.ArgumentValueError, match=r"other coordinates.*channel"):
        ar.hardshrink_backward(x, other)


def test_outputs() -> None:
    x = labelled(numbers("float32", (4, 3, 5), 1))
    out = xr.zeros_like(x)
    assert ar.hardshrink_backward(x, x, out=out) is out
    assert_bits(out.values, ar.hardshrink_backward(x.values, x.values))
    lazy = x.chunk({"image": 2})
    with pytest.raises(
        ar.ArgumentValueError, match=r"^out is a DataArray that NumPy can only copy"
    ):
        ar.hardshrink_backward(x, x, out=lazy)
    with pytest.raises(ar.ArgumentValueError, match=r"^out is given with dask arrays"):
        ar.hardshrink_backward(lazy, x, out=out)
