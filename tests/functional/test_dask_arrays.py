"""dask arrays: the array functions build graphs, whose results have the bits of one call."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.views import PER_CHANNEL

from ..support.calls import array_function, call
from ..support.cases import ENGINES, FLOATS, SUMMING, numbers
from ..support.operands import arguments, each_operator, each_type
from ..support.processes import run
from ..support.rounding import assert_bits, assert_same_bits

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

from ..support.chunks import computed  # noqa: E402

# dask warns of graphs that grow where chunks of inputs differ, as it does for its own functions
pytestmark = pytest.mark.filterwarnings("ignore:Increasing number of chunks")


@pytest.mark.parametrize(
    ("operator", "kind"),
    [
        (operator, kind)
        for operator, kind in product(ar.OPERATORS, FLOATS)
        if kind == "float32" or operator in (*ENGINES, *SUMMING)
    ],
)
def test_chunks_have_the_bits_of_the_whole(operator: str, kind: str) -> None:
    tensors = arguments(operator, (40, 3, 20), kind)
    want = call(operator, *tensors)
    for number, sizes in enumerate(((40, 3, 20), (16, 3, 20), (7, 2, 6), (1, 1, 20))):
        # one array of NumPy's among them, and one that is cut otherwise
        chunks = [sizes, (40, 3, 20), (20, 1, 5), sizes, sizes][: len(tensors)]
        lazy = [
            da.from_array(tensor, chunks=cut if tensor.ndim == 3 else -1)
            for tensor, cut in zip(tensors, chunks, strict=True)
        ]
        if number and len(lazy) > 1:
            lazy[number % 2] = tensors[number % 2]
        assert_same_bits(computed(array_function(operator)(*lazy)), want)


@pytest.mark.parametrize("chunks", [(3, 2, 16, 64), (1, 2, 64, 64), (2, 1, 64, 64), (1, 1, 32, 64)])
def test_sums_of_chunks_that_line_up_take_one_pass(chunks: tuple[int, ...]) -> None:
    """A graph where they do has no second task for the data."""
    grad, x = (numbers("float32", (4, 2, 64, 64), seed, tame=True) for seed in (1, 2))
    weight = numbers("float32", (2,), 3, tame=True)
    lazy = [da.from_array(array, chunks=chunks) for array in (grad, x)]
    result, sums = ar.prelu_backward(*lazy, weight)
    names = {name.split("-")[0] for name in sums.dask.layers}
    lines_up = chunks[0] == 1 or chunks[2:] == (64, 64)
    assert ("prelu_backward_terms" in names) != lines_up
    assert_same_bits(computed((result, sums)), ar.prelu_backward(grad, x, weight))


@pytest.mark.parametrize("compute", [None, "float64"])
def test_planes_that_are_larger_than_chunks(compute: str | None) -> None:
    """Chunks for the sums stay about as large as they were, whatever the shape is."""
    shape, chunks = (3, 2, 300, 77), (1, 2, 20, 30)
    grad, x = (numbers("float32", shape, seed, tame=True) for seed in (1, 2))
    weight = numbers("float32", (2,), 3, tame=True)
    lazy = [da.from_array(array, chunks=chunks) for array in (grad, x)]
    got = ar.prelu_backward(*lazy, weight, compute_dtype=compute)
    terms = [layer for name, layer in got[1].dask.layers.items() if "_terms" in name]
    assert len(terms) == (compute is None)
    assert_same_bits(computed(got), ar.prelu_backward(grad, x, weight, compute_dtype=compute))


@each_type
@pytest.mark.parametrize("compute", [None, "float64", "float32-steps"])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_the_mean_divides_by_the_whole_size(kind: str, compute: str | None, reduction: str) -> None:
    grad, x, target = (numbers(kind, (35, 11), seed, tame=True) for seed in (1, 2, 3))
    for beta in (1.0, 0.3, 0.0):
        want, got = (
            ar.smooth_l1_loss_backward(
                grad[:1], data, target, reduction, beta, compute_dtype=compute
            )
            for data in (x, da.from_array(x, chunks=(8, 4)))
        )
        assert_bits(computed(got)[0], want)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    def unwanted(block: Any) -> Any:
        raise AssertionError("computed")

    x = da.ones((4, 3), chunks=2, dtype=np.float32).map_blocks(
        unwanted, meta=np.empty((0, 0), np.float32)
    )
    weight = da.ones(3, chunks=1, dtype=np.float32)
    lazy = [
        ar.hardshrink_backward(x, x),
        *ar.prelu_backward(x, x, weight),
        ar.smooth_l1_loss_backward(x, x, x),
    ]
    with pytest.raises(ar.ArgumentValueError, match=r"^out is given with dask arrays"):
        ar.hardshrink_backward(x, x, out=np.empty((4, 3), np.float32))
    with pytest.raises(ar.ArgumentValueError, match=r"^out is a Array that NumPy can only copy"):
        ar.hardshrink_backward(np.ones((4, 3), np.float32), np.ones((4, 3), np.float32), out=x)
    for array in lazy:
        with pytest.raises(AssertionError, match="computed"):
            array.compute(scheduler="synchronous")


def test_one_computation_serves_both_results() -> None:
    calls = []

    def counted(block: Any) -> Any:
        calls.append(block.shape)
        return block

    x = da.ones((4, 3), chunks=(2, 3), dtype=np.float32)
    data = x.map_blocks(counted, meta=np.empty((0, 0), np.float32))
    got = ar.prelu_backward(x, data, np.ones(3, np.float32), compute_dtype="float64")
    dask.compute(*got, scheduler="synchronous")
    assert calls == [(2, 3), (2, 3)]


@each_operator
def test_bad_input_is_refused_when_the_graph_is_built(operator: str) -> None:
    tensors = arguments(operator, (4, 6))
    first = ar.OPERATORS[operator].tensors[0].name
    lazy = [da.from_array(tensor, chunks=2) for tensor in tensors]
    function = array_function(operator)
    bad = [
        (lazy[0].astype(bool), ar.ArgumentTypeError, rf"^{first} has type bool"),
        (lazy[0][(None,) * 7], ar.ArgumentValueError, rf"^{first} has rank 9"),
    ]
    if len(lazy) > 1:
        if ar.OPERATORS[operator].tensors[1].view is not PER_CHANNEL:
            bad.append((lazy[0][:3, :5], ar.ArgumentValueError, r"has shape \("))
        bad.append(("text", ar.ArgumentTypeError, rf"^{first} is a str"))
    for value, error, problem in bad:
        with pytest.raises(error, match=problem):
            function(value, *lazy[1:])
    for parameter in ar.OPERATORS[operator].scalars:
        with pytest.raises(ar.ArgumentError, match=rf"^{parameter.name} is"):
            function(*lazy, **{parameter.name: "text"})


def test_masked_blocks_are_refused() -> None:
    x = da.ma.masked_array(da.ones(4, dtype=np.float32), mask=[0, 1, 0, 0])
    with pytest.raises(ar.ArgumentTypeError, match=r"^self is a dask array of MaskedArray blocks"):
        ar.hardshrink_backward(np.ones(4, np.float32), x)


def test_sizes_that_are_not_known() -> None:
    values = numbers("float32", (50,), 1, tame=True)
    x = da.from_array(values, chunks=9)
    x = x[x > 0]
    want = values[values > 0]
    assert np.isnan(x.shape[0])
    got = ar.hardshrink_backward(x, x, 0.5)
    assert_bits(got.compute(), ar.hardshrink_backward(want, want, 0.5))
    scaled = ar.smooth_l1_loss_backward(x, x, np.zeros(1, np.float32), "sum").compute()
    assert_bits(scaled, ar.smooth_l1_loss_backward(want, want, 0 * want, "sum"))
    for refused in (
        lambda: ar.smooth_l1_loss_backward(x, x, x),
        lambda: ar.prelu_backward(x, x, values[:1]),
    ):
        with pytest.raises(ar.ArgumentValueError, match=r"\(nan,\).*compute_chunk_sizes"):
            refused()
    with pytest.raises(ar.ArgumentValueError, match=r"\(nan,\)"):
        ar.hardshrink_backward(x, values)
    x.compute_chunk_sizes()
    assert_bits(
        ar.smooth_l1_loss_backward(x, x, 0 * x).compute(),
        ar.smooth_l1_loss_backward(want, want, 0 * want),
    )


def test_other_arrays_beside_dask_arrays() -> None:
    torch = pytest.importorskip("torch")
    x = numbers("bfloat16", (6, 5), 1)
    tensor = torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    got = ar.hardshrink_backward(tensor, da.from_array(x, chunks=2))
    assert_bits(computed(got)[0], ar.hardshrink_backward(x, x))


def test_equal_calls_have_equal_names() -> None:
    """So dask computes them once."""
    x = da.ones((8, 4), chunks=2, dtype=np.float32)
    weight = np.ones(4, np.float32)
    for build in (
        lambda: ar.hardshrink_backward(x, x, 0.5),
        lambda: ar.prelu_backward(x, x, weight)[1],
    ):
        assert build().name == build().name
    assert ar.hardshrink_backward(x, x, 0.5).name != ar.hardshrink_backward(x, x, 0.6).name


def test_dask_is_not_imported_for_others() -> None:
    program = """
import sys, numpy as np, ascendref as ar
x = np.ones((2, 3), np.float32)
ar.prelu_backward(x, x, x[0]), ar.prelu_partial(x, x, x[0])[1].round()
print(sorted({"dask", "xarray", "torch"} & set(sys.modules)))
"""
    assert run("-c", program) == "[]"
