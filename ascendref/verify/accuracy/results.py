"""All results of one run of `ascendref verify`, and the stated bounds that they break."""

from __future__ import annotations

from dataclasses import dataclass, field

from .channel_sums import SumResult
from .float64 import Float64Result
from .half_precision import HalfPrecisionResult
from .sweep_result import Element, SweepResult, Tally


@dataclass
class Results:
    """The results of a run, finished or not."""

    sweeps: list[SweepResult]
    half_precision: list[HalfPrecisionResult] = field(default_factory=list)
    float64: list[Float64Result] = field(default_factory=list)
    sums: list[SumResult] = field(default_factory=list)
    interrupted: bool = False

    def broken(self) -> list[str]:
        """Return a line for every bound that does not hold."""
        lines = [
            f"{result.sweep.operator} {result.sweep.kind} {result.sweep.label} in {computed}:"
            f" {result.bound(computed)} is stated, {_errors(result.tallies[computed])}"
            for result in self.sweeps
            for computed in result.sweep.computed
            if not result.holds(computed)
        ]
        lines += [
            f"{result.sweep.operator} {result.sweep.kind} {result.sweep.label} in"
            f" {result.compute}: {result.differing:,} of {result.pairs:,} differ from the"
            f" step-by-step oracle, first {_where(result.at)}"
            for result in self.half_precision
            if not result.holds
        ]
        lines += [
            f"{result.reference.name} float64 {result.reference.label(result.setting)}:"
            f" {result.bound} is stated, found {result.wrong:,} wrongly rounded,"
            f" {result.beyond:,} beyond it, at most {result.max_ulp:.6g} ulp at"
            f" {_where(result.at)}"
            for result in self.float64
            if not result.holds
        ]
        lines += [
            f"prelu_backward grad_weight {result.kind} ({result.what}, {result.terms:,} terms) in"
            f" {result.compute}: error {result.error:.3g} of the sum of magnitudes,"
            f" {result.stated} is stated"
            for result in self.sums
            if not result.holds
        ]
        return lines


def _errors(tally: Tally) -> str:
    """Return the errors of a computation in a few words."""
    text = f"found {tally.wrong:,} wrongly rounded, at most {tally.max_ulp:.6g} ulp"
    if tally.at is not None:
        text += f" at {_where(tally.at)}"
    if tally.mismatches:
        text += f", {tally.mismatches:,} with another NaN or sign of zero"
    return text


def _where(element: Element | None) -> str:
    """Return an element in a few words."""
    if element is None:
        return ""
    return (
        f"input {element.data:.9g}, gradient {element.gradient:.9g}: {element.actual:.9g} for"
        f" {element.golden:.9g}"
    )
