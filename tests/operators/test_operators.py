"""Every row of the table of cases against its oracle."""

from __future__ import annotations

import numpy as np
import pytest

import ascendref as ar
from ascendref.kernels.runtime.kernel import Kernel

from ..support.calls import call
from ..support.cases import CASES, FLOATS, LAYOUTS, SCALARS, TENSORS, Case, build
from ..support.oracles import ORACLES, expected
from ..support.rounding import assert_bits
from ..support.truth import FORMULAS

ROWS = [
    # a mixture takes long to compile, and its parts are other rows
    pytest.param(case, marks=pytest.mark.exhaustive) if case.compute and case.out else case
    for case in CASES
]
#: rows whose arrays lie in memory in another way than one after the other
NOT_CONTIGUOUS = [
    case
    for case in CASES
    if (layout := LAYOUTS[case.layout]).shape
    and all(layout.shape)
    and (
        layout.inputs not in ("contiguous", "read-only")
        or layout.out not in (None, "contiguous")
        or layout.in_place is not None
        or layout.shapes
    )
]


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_the_operator_gives_the_bits_of_its_oracle(case: Case) -> None:
    check(case)


@pytest.mark.usefixtures("empty_call_cache")
@pytest.mark.parametrize("case", [c for c in ROWS if c in NOT_CONTIGUOUS], ids=str)
def test_a_first_call_gives_the_bits_of_its_oracle(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first calls on arrays that are not contiguous compute with copies."""
    copied = []

    def copies_first(self: Kernel, layout: str, size: int) -> bool:
        copied.append(layout)
        return size > 0

    monkeypatch.setattr(Kernel, "copies_first", copies_first)
    check(case)
    assert copied


def check(case: Case) -> None:
    """Call the operator of a row with all scalars and compare the bits."""
    for scalars in SCALARS[case.operator]:
        tensors, out = build(case)
        checked = tuple(-1.0 if s is None else s for s in scalars)
        want = expected(case.operator, tuple(tensors), checked, case.compute, case.out)
        before = [tensor.copy() for tensor in tensors]
        got = call(case.operator, *tensors, *scalars, out=out, compute_dtype=case.compute)
        assert out is None or out is (got if isinstance(out, tuple) else got[0])
        assert len(got) == len(want)
        for actual, alternatives in zip(got, want, strict=True):
            assert_bits(actual, *alternatives)
        written = out if isinstance(out, tuple) else (out,)
        for tensor, copy in zip(tensors, before, strict=True):
            if not any(tensor is array for array in written):
                assert tensor.tobytes() == copy.tobytes(), "an input was written"


@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_every_operator_has_an_oracle(operator: str) -> None:
    assert operator in ORACLES
    # prelu has two results, and a function of its own
    assert operator in FORMULAS or operator == "prelu_backward"


@pytest.mark.parametrize("operator", ar.OPERATORS)
def test_every_operator_has_rows_for_every_type_layout_and_compute_type(operator: str) -> None:
    rows = [case for case in CASES if case.operator == operator]
    assert [tensor.name for tensor in ar.OPERATORS[operator].tensors] == list(TENSORS[operator])
    for position, tensor in enumerate(ar.OPERATORS[operator].tensors):
        tried = {case.types[position] for case in rows}
        assert tried == {kind.name for kind in tensor.types}
    assert {case.compute for case in rows} == {None, *FLOATS}
    layouts = {case.layout for case in rows}
    assert {"crossed", "transposed", "sliced", "stride 0", "empty", "rank 0", "rank 8"} <= layouts
    assert {"read-only", "unaligned", "out sliced", "in place 0", "in place 1"} <= layouts


def test_the_table_names_no_operator_that_does_not_exist() -> None:
    assert set(ORACLES) == {case.operator for case in CASES} == set(ar.OPERATORS)
    assert {case.layout for case in CASES} == set(LAYOUTS)


def test_the_output_lies_in_its_gaps_only() -> None:
    """What lies between the elements of a strided output is left alone."""
    room = np.full((7, 20), 77, np.float32)
    x = np.linspace(-2, 2, 21, dtype=np.float32).reshape(3, 7)
    ar.hardshrink_backward(x, x, 0.5, out=room[1:7:2, 3:17:2])
    gaps = np.ones(room.shape, bool)
    gaps[1:7:2, 3:17:2] = False
    assert (room[gaps] == 77).all()
    assert (room[~gaps] != 77).all()
