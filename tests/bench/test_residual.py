"""The residual block of `ascendref bench`: the same work on both sides, and bad calls."""

from __future__ import annotations

import pytest

from ascendref.bench.residual import FORMATS, KINDS, PARTS, measure_residual

from ..cli.command_line import assert_bad_call, call

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("memory_format", FORMATS)
def test_our_kernel_is_used_on_one_side_alone(part: str, kind: str, memory_format: str) -> None:
    import ascendref.torch as at

    before, threads = at.statistics()["prelu"], torch.get_num_threads()
    row = measure_residual(part, kind, memory_format, (1, 4, 6, 6), 1, 0.001)
    after = at.statistics()["prelu"]
    assert after.taken > before.taken
    assert after.fell_back == before.fell_back
    assert row.ratio == row.torch.seconds / row.ours.seconds
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("option", [("--size", "16"), ("--peer", "none"), ("--dtype", "float32")])
def test_what_does_not_fit_the_block_is_refused(option: tuple[str, str]) -> None:
    assert_bad_call(call("bench", "--residual", *option), "--residual")
