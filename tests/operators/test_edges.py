"""The table of edges, in every element type and compute type that holds its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.calls import call
from ..support.correctness import HALVES
from ..support.rounding import FORMATS, array_of, assert_bits, exact, round_to
from .edges.entry import Edge
from .entries import ENTRIES

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
    tried = 0
    for edge in ENTRIES[operator].edges:
        for kind in FORMATS:
            if not applies(edge, kind, compute):
                continue
            tried += 1
            size = max(map(len, edge.tensors))
            tensors = [array_of(kind, vector(values, kind)) for values in edge.tensors]
            if not ar.OPERATORS[operator].is_viewed:
                tensors = [np.broadcast_to(tensor, size) for tensor in tensors]
            got = call(operator, *tensors, *edge.scalars, compute_dtype=compute)
            check(edge, kind, compute, got)
    assert tried >= len(ENTRIES[operator].edges)


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
