"""The table of cases: results of contiguous arrays are right, and no layout changes them."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.kernels.runtime.kernel import Kernel

from ..support.calls import call
from ..support.cases import (
    COMPUTES,
    HALVED,
    LAYOUTS,
    PLACED,
    SCALARS,
    SUMMING,
    USUAL_TYPES,
    VALUES,
    Case,
    build,
)
from ..support.correctness import assert_right, result_type
from ..support.operands import rare
from ..support.rounding import array_of, assert_bits, assert_same_bits, compute_type, exact
from .entries import ENTRIES

#: rows whose arrays do not lie in memory one element after the other; sums have a loop for all
STRIDED = [
    case
    for case in PLACED
    if case.operator not in SUMMING
    and (layout := LAYOUTS[case.layout]).shape
    and all(layout.shape)
    and (
        layout.inputs not in ("contiguous", "read-only")
        or layout.out not in (None, "contiguous")
        or layout.in_place is not None
        or layout.shapes
    )
]


def turns(case: Case) -> Any:
    """Mark what takes long to compile or to judge, while its parts are other rows."""
    kind = case.types[0]
    if set(case.types) == {kind} and not case.out and case.compute in (None, kind, "float64"):
        short = case.layout != "long" and (kind, case.compute) in USUAL_TYPES
        return case if short else pytest.param(case, marks=pytest.mark.full)
    long = [pytest.mark.exhaustive] if case.out and case.compute else []
    return pytest.param(case, marks=[pytest.mark.daily(16), *long])


@pytest.mark.parametrize("case", [*map(turns, VALUES)], ids=str)
def test_results_are_right(case: Case) -> None:
    tensors = tuple(build(case)[0])
    compute = case.compute or compute_type(case.types)
    kind = result_type(case.operator, tensors)
    for scalars in [*SCALARS[case.operator], *ENTRIES[case.operator].more]:

        def results(out: str | None, scalars: Any = scalars) -> tuple[Any, ...]:
            given = None
            if out is not None and case.operator not in SUMMING:
                shape = call(case.operator, *tensors, *scalars)[0].shape
                given = np.empty(shape, ELEMENT_TYPES[out].numpy)
            return call(case.operator, *tensors, *scalars, out=given, compute_dtype=case.compute)

        if case.out is not None and compute == "float64":
            assert_right(case.operator, tensors, scalars, results(case.out), compute)
            continue
        got = results(kind)
        assert_right(case.operator, tensors, scalars, got, compute)
        if case.operator not in SUMMING:
            other = results(case.out)
            if compute == "float64" and str(other[0].dtype) != kind:
                assert_right(case.operator, tensors, scalars, other, compute)
                continue
            # another type is a second rounding
            assert_bits(other[0], array_of(str(other[0].dtype), exact(got[0])))


@pytest.mark.full
@pytest.mark.parametrize("case", [*map(rare, PLACED)], ids=str)
def test_layouts_do_not_change_results(case: Case) -> None:
    check(case)


@pytest.mark.usefixtures("empty_call_cache")
@pytest.mark.parametrize("case", [*map(rare, STRIDED)], ids=str)
def test_layouts_do_not_change_first_results(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first calls on arrays that are not contiguous compute with copies."""
    copied = []

    def copies_first(self: Kernel, size: int) -> bool:
        copied.append(size)
        return size > 0

    monkeypatch.setattr(Kernel, "copies_first", copies_first)
    check(case)
    assert copied


def check(case: Case) -> None:
    """Compare a row's results with those of contiguous copies of its tensors."""
    for scalars in SCALARS[case.operator][:2]:
        tensors, out = build(case)
        before = [tensor.copy() for tensor in tensors]
        want = call(case.operator, *before, *scalars, compute_dtype=case.compute)
        if case.layout in ("long", "rank 0") or (
            ar.OPERATORS[case.operator].is_viewed and case.operator not in SUMMING
        ):
            assert_right(case.operator, tuple(before), scalars, want, case.compute)
        got = call(case.operator, *tensors, *scalars, out=out, compute_dtype=case.compute)
        assert out is None or out is (got if isinstance(out, tuple) else got[0])
        assert_same_bits(got, want)
        written = out if isinstance(out, tuple) else (out,)
        for tensor, copy in zip(tensors, before, strict=True):
            if not any(tensor is array for array in written):
                assert tensor.tobytes() == copy.tobytes(), "an input was written"


@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_every_operator_has_rows_for_every_type_layout_and_compute_type(operator: str) -> None:
    rows = [case for case in VALUES if case.operator == operator]
    for position, tensor in enumerate(ar.OPERATORS[operator].tensors):
        assert {case.types[position] for case in rows} == {kind.name for kind in tensor.types}
    assert {case.compute for case in rows} == {None, *COMPUTES}
    layouts = {case.layout for case in PLACED if case.operator == operator}
    assert {"sliced", "stride 0", "empty", "rank 8"} <= layouts
    if operator in HALVED:
        assert ("in place 1" in layouts) == (ar.OPERATORS[operator].result_view is not None)
    else:
        assert {"rank 0", "in place 0"} <= layouts


def test_every_layout_is_tried() -> None:
    assert {case.layout for case in [*VALUES, *PLACED]} == set(LAYOUTS)


def test_the_output_lies_in_its_gaps_only() -> None:
    """What lies between the elements of a strided output is left alone."""
    room = np.full((7, 20), 77, np.float32)
    x = np.linspace(-2, 2, 21, dtype=np.float32).reshape(3, 7)
    ar.hardshrink_backward(x, x, 0.5, out=room[1:7:2, 3:17:2])
    gaps = np.ones(room.shape, bool)
    gaps[1:7:2, 3:17:2] = False
    assert (room[gaps] == 77).all()
    assert (room[~gaps] != 77).all()
