"""The table of edges, in every element type and compute type that holds its numbers."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.calls import call
from ..support.cases import SCALARS, SUMMING, TENSORS, USUAL_TYPES, Case, build
from ..support.correctness import HALVES, assert_right
from ..support.daily import USUAL
from ..support.rounding import FORMATS, array_of, assert_bits, exact, round_to
from .edges.entry import Edge
from .entries import ENTRIES

#: operators whose kernels compile in seconds
TINY = USUAL - set(SUMMING)
COMPUTES = (None, *FORMATS, "exact")


def test_every_operator_has_edges() -> None:
    assert set(ENTRIES) == set(ar.OPERATORS)
    for name, entry in ENTRIES.items():
        assert entry.edges, name


def vector(values: Any, kind: str) -> Any:
    """Return the numbers of a row for an element type, as float64."""
    return np.array([value(kind) if callable(value) else value for value in values], np.float64)


def holds(kind: str, values: Any) -> bool:
    """Tell whether a type holds numbers."""
    return bool(np.array_equal(round_to(kind, values), values, equal_nan=True))


def narrow(kind: str, compute: str | None) -> bool:
    """Tell whether arithmetic is of half precision, or of fewer bits than the elements have."""
    return compute in HALVES or (kind, compute) == ("float64", "float32")


def applies(edge: Edge, kind: str, compute: str | None) -> bool:
    """Tell whether an element type and a compute type hold the numbers of a row."""
    if kind not in edge.kinds:
        return False
    numbers = [vector(values, kind) for values in edge.tensors]
    if narrow(kind, compute):
        # every operation is rounded, scalars and results too
        if edge.steps == ():
            return False
        scalars = [s for s in edge.scalars if isinstance(s, int | float)]
        numbers += [np.array(scalars), vector(edge.steps or edge.result, kind)]
    types = (kind, compute) if compute in FORMATS else (kind,)
    return all(holds(k, values) for k in types for values in numbers)


@pytest.mark.daily(16)
@pytest.mark.parametrize("compute", COMPUTES)
@pytest.mark.parametrize("operator", ENTRIES)
def test_edges(operator: str, compute: str | None) -> None:
    tried = sum(check_all(operator, kind, compute) for kind in FORMATS)
    assert tried >= len(ENTRIES[operator].edges)


@pytest.mark.every_operator
@pytest.mark.parametrize(
    "operator",
    [pytest.param(x, marks=pytest.mark.tiny if x in TINY else []) for x in ENTRIES],
)
def test_usual_arithmetic(operator: str) -> None:
    """Edges and a row of the table of cases, with few kernels for each operator."""
    # correct rounding takes as long to compile as all else
    for kind, compute in USUAL_TYPES if operator in USUAL else USUAL_TYPES[:2]:
        check_all(operator, kind, compute)
        tensors = tuple(build(Case(operator, (kind,) * len(TENSORS[operator])))[0])
        for scalars in SCALARS[operator]:
            got = call(operator, *tensors, *scalars, compute_dtype=compute)
            assert_right(operator, tensors, scalars, got, compute)


def check_all(operator: str, kind: str, compute: str | None) -> int:
    """Compare the results of an operator's rows for a type; return how many rows it holds."""
    edges = [edge for edge in ENTRIES[operator].edges if applies(edge, kind, compute)]
    for edge in edges:
        size = max(map(len, edge.tensors))
        tensors = [array_of(kind, vector(values, kind)) for values in edge.tensors]
        if not ar.OPERATORS[operator].is_viewed:
            tensors = [np.broadcast_to(tensor, size) for tensor in tensors]
        check(edge, kind, compute, call(operator, *tensors, *edge.scalars, compute_dtype=compute))
    return len(edges)


def check(edge: Edge, kind: str, compute: str | None, got: tuple[Any, ...]) -> None:
    """Compare the results of a row."""
    steps = edge.steps if narrow(kind, compute) else None
    want = array_of(kind, vector(steps or edge.result, kind))
    try:
        if edge.ulp and not narrow(kind, compute):
            assert (abs(exact(got[0]) - exact(want)) <= edge.ulp * abs(np.spacing(want))).all()
        else:
            assert_bits(got[0], want)
        if edge.sums is not None:
            assert_bits(got[1], array_of(kind, vector(edge.sums, kind)))
    except AssertionError as error:
        error.add_note(f"{edge.why}: {edge.scalars}, {edge.tensors}, {kind} in {compute}: {got}")
        raise
