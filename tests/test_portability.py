"""This machine, and others that it can stand in for, give the digests of the repository."""

import platform
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from . import portability
from .support.processes import run

#: processors whose instructions any x86-64 of the last ten years has: without AVX-512; without FMA;
#: without AVX and F16C
PROCESSORS = ("haswell", "ivybridge", "generic")


def test_every_row_is_stored() -> None:
    rows = [str(row) for row in portability.table()]
    assert len(set(rows)) == len(rows)
    assert set(portability.stored()) == set(rows)
    assert {row.operator for row in portability.table()} == {*portability.TENSORS, "cast"}


def test_the_two_phase_api_has_the_bits_of_the_array_functions() -> None:
    stored = portability.stored()
    rows = [row for row in portability.table() if row.two_phase]
    assert {row.operator for row in rows} == set(portability.LAID_OUT)
    for row in rows:
        same = stored[str(row)] == stored[str(row._replace(two_phase=False))]
        # the device stores prelu's products in the type of the data before they are summed
        assert same == (row.operator != "prelu_backward" or "float32" in row.kinds), row


@pytest.mark.full
def test_this_machine_gives_the_stored_bits(capsys: pytest.CaptureFixture[str]) -> None:
    assert portability.main(["--quick", "--daily"]) == 0
    assert ", 0 differ" in capsys.readouterr().out


def test_a_row_that_differs_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = str(portability.table()[0])
    stored = portability.stored()
    monkeypatch.setattr(portability, "stored", lambda: stored | {row: "0"})
    assert portability.main(["--part", f"1/{len(portability.table())}"]) == 1
    assert f"differs: {row}\n" in capsys.readouterr().out


@pytest.mark.parametrize("kind", portability.FORMATS)
def test_a_digest_tells_all_bits_but_those_of_nan(kind: str) -> None:
    form = portability.FORMATS[kind]

    def of(*bits: int) -> str:
        return portability.digest_of([np.array(bits, form.raw).view(form.dtype)])

    quiet = form.infinity | 1 << (form.fraction - 1)
    assert len({of(bits) for bits in (quiet, quiet + 1, quiet | form.sign, quiet - 1)}) == 1
    assert len({of(bits) for bits in (0, form.sign, 1, form.infinity, quiet)}) == 5
    assert of(0, 1) != of(1, 0)


def test_data_are_the_same_everywhere() -> None:
    np.testing.assert_array_equal(
        portability.integers((3,), 0),
        np.array([0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F], np.uint64),
    )
    assert portability.numbers("bfloat16", (9, 9), 0).dtype == ml_dtypes.bfloat16


@pytest.mark.full
@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are names of x86 processors")
@pytest.mark.parametrize(
    ("processor", "options"),
    # four rows where FMA or F16C is missing, too; every quick row elsewhere
    [("generic", ("--quick", "--part", f"1/{len(portability.quick()) // 4}"))]
    + [
        pytest.param(
            processor,
            ("--daily",) if processor == "generic" else ("--daily", "--quick"),
            marks=pytest.mark.exhaustive,
        )
        for processor in PROCESSORS
    ],
)
def test_other_processors_give_the_stored_bits(
    processor: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    variables = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    variables["NUMBA_CACHE_DIR"] = str(tmp_path)
    run("-m", "tests.portability", *options, timeout=1800, **variables)
