"""Large arrays of 16-bit numbers, whose results are looked up, have the bits of small ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.kernels.compiler.jit import kernel_statistics
from ascendref.kernels.loops.lookup import LOOKED_UP_FROM, NUMBERS_OF_16_BITS

from ..support.calls import call
from ..support.cases import HALVED, SCALARS, TENSORS
from ..support.rounding import assert_same_bits, bits_of, every

#: all numbers in turn, and one more
COUNT = LOOKED_UP_FROM + 1
ORDER = np.arange(COUNT) * 40503 % NUMBERS_OF_16_BITS
#: a formula of the usual kind, one with scalars, one of several forms, and one that selects
OPERATORS = {"silu": (), "swish": (-1.5,), "gelu": ("tanh",), "relu": ()}


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Several threads look results up from larger arrays on."""
    with ar.num_threads(1):
        yield


def check(operator: str, kind: str, scalars: Any, out: str | None, compute: Any) -> None:
    """Compare the bits of a large array with those of all numbers."""

    def results(x: Any) -> Any:
        into = None if out is None else np.empty(x.shape, ELEMENT_TYPES[out].numpy)
        return call(operator, x, *scalars, out=into, compute_dtype=compute)[0]

    x = every(kind)
    assert_same_bits([results(x[ORDER])], [results(x)[ORDER]])


@pytest.mark.parametrize("compute", [None, "float64"])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", OPERATORS)
def test_bits(name: str, kind: str, compute: str | None) -> None:
    check(name, kind, OPERATORS[name], None, compute)


@pytest.mark.parametrize(
    "operator", [name for name in TENSORS if len(TENSORS[name]) == 1 and name not in HALVED]
)
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_bits_of_other_operators(operator: str, kind: str) -> None:
    for scalars in SCALARS[operator]:
        check(operator, kind, scalars, None, None)


@pytest.mark.daily(3)
@pytest.mark.parametrize("compute", [None, "bfloat16", "float64", "exact"])
@pytest.mark.parametrize("out", ["float16", "bfloat16", "float32", "float64"])
def test_results_of_other_types(out: str, compute: str | None) -> None:
    check("silu", "bfloat16", (), out, compute)


def test_scalars_that_change() -> None:
    x = every("bfloat16")
    for beta in (1.0, -2.0, 1.0, 0.5):
        assert_same_bits([ar.swish(x[ORDER], beta)], [ar.swish(x, beta)[ORDER]])


def test_arrays_that_are_read_in_another_order() -> None:
    x = every("float16")[ORDER]
    want = ar.silu(x)
    np.testing.assert_array_equal(bits_of(ar.silu(x[::-1])), bits_of(want[::-1]))
    given = x.copy()
    assert ar.silu(given, out=given) is given
    assert_same_bits([given], [want])


def test_one_task_serves_all_formulas_whose_results_have_its_size() -> None:
    for operator in ("silu", "mish"):
        for kind in ("float16", "bfloat16"):
            check(operator, kind, (), None, "float64")
    names = [row.kernel for row in kernel_statistics()]
    assert names.count("lookup_of_2_bytes") == 1
