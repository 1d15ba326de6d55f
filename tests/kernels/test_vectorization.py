"""The hot loops are vectorised: what LLVM made of them, from a compilation of their own."""

import re
from pathlib import Path
from typing import Any

import numba
import pytest

import ascendref as ar
from ascendref.bench.cases import KINDS
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.kernels.loops.correctly_rounded import RoundedLoop
from ascendref.kernels.loops.formula_loop import FormulaLoop
from ascendref.kernels.loops.reduction_kernel import ReductionKernel
from ascendref.verify.scalars import scalar_values

ELEMENTWISE = [name for name, operator in ar.OPERATORS.items() if not operator.reduction]
#: LLVM's names of what is stored
STORED = {"float32": "float", "float16": "(?:i16|half)", "bfloat16": "i16"}
#: functions of F32 data whose product or difference is computed in float64
WIDENED = ("fast_gelu", "mish", "swish")
#: fewest lanes of a vector: 128 bits are what every processor has
LANES = {"float32": 4, "float16": 4, "bfloat16": 4}


@pytest.fixture
def anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile kernels instead of loading them: code from the cache cannot be read."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


def code_of(compiled: Any) -> str:
    """Return the optimised LLVM code of a compiled function."""
    (code,) = compiled.inspect_llvm().values()
    return str(code)


def widest(pattern: str, code: str) -> int:
    """Return the most lanes of any vector in what matches, 0 if nothing does."""
    return max(map(int, re.findall(pattern, code)), default=0)


def suited(operator: str, kind: str, compute: str) -> Any:
    """Return the formula of a call with the default scalars, of the first part of the result."""
    declared = ar.OPERATORS[operator]
    scalars = declared.part_scalars(scalar_values(operator))[0]
    return declared.formula.suited(compute, kind, scalars)


@pytest.mark.daily(3)
@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("operator", ELEMENTWISE)
def test_elements_are_computed_in_vectors_of_float32(operator: str, kind: str) -> None:
    element, formula = ELEMENT_TYPES[kind], suited(operator, kind, "float32")
    loop = FormulaLoop(formula, (element,) * formula.tensors, element, "float32")
    code = code_of(loop.task)
    stored = "i32" if kind == "bfloat16" else STORED[kind]  # two at a time
    lanes = widest(rf"store <(\d+) x {stored}>", code)
    assert lanes >= LANES[kind]
    if formula.compute_bound:  # vectors whose operations overlap
        assert len(re.findall(rf"store <{lanes} x {stored}>", code)) >= formula.vectors
    assert widest(r"= f\w+ [^\n]*?<(\d+) x (?:float|half)>", code) >= LANES[kind]
    # what is widened on the way halves the lanes
    assert bool(re.search(r"x double>", code)) == (operator in WIDENED)


@pytest.mark.daily(3)
@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "operator", [o for o in ELEMENTWISE if not ar.OPERATORS[o].formula.selects]
)
def test_rounded_results_are_computed_in_vectors_of_float64(operator: str, kind: str) -> None:
    element, formula = ELEMENT_TYPES[kind], suited(operator, kind, "float64")
    loop = RoundedLoop(formula, (element,) * formula.tensors, element)
    code = code_of(loop.task)
    # LLVM finds that a single operation of narrower numbers needs no float64
    assert widest(r"f(?:add|sub|mul|div) <(\d+) x (?:double|float)>", code) >= 2
    assert widest(rf"store <(\d+) x {STORED[kind]}>", code) >= 2


@pytest.mark.daily(3)
@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("layout", ["rows", "runs"])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_added_in_vectors(kind: str, layout: str) -> None:
    declared = ar.OPERATORS["prelu_backward"]
    assert declared.reduction is not None
    element, formulas = ELEMENT_TYPES[kind], (declared.reduction.term, declared.formula)
    types = (element,) * len(declared.tensors), element, element
    kernel = ReductionKernel(*formulas, *types, "float32", weighted=True)
    code = code_of(kernel.task(layout))
    assert widest(r"fadd <(\d+) x float>", code) >= 4
    assert widest(r"fmul <(\d+) x float>", code) >= 4
    assert widest(rf"store <(\d+) x {STORED[kind]}>", code) >= LANES[kind]


@pytest.mark.usefixtures("anew")
def test_a_loop_that_is_no_vector_is_seen() -> None:
    source = numba.njit(lambda a, b: _branchy(a, b))
    source.compile((numba.float32[::1], numba.float32[::1]))
    assert widest(r"store <(\d+) x float>", code_of(source)) == 0


@numba.njit
def _branchy(a: Any, b: Any) -> None:
    """Write what depends on what was written before."""
    total = numba.float32(0)
    for i in range(a.size):
        total = a[i] / (total + numba.float32(1))
        b[i] = total
