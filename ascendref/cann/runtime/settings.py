"""The settings of a program that uses the C library: environment variables."""

import os
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ...core.errors import ArgumentValueError
from ...core.products import Product
from ...device.check_output import MODE, MODES
from ...device.scheduling.scheduler import EXECUTION_MODES

#: most devices of a process
MOST_DEVICES = 64
#: version of CANN whose interface the headers declare
_CANN_VERSION: Final = "9.0.0"
_VERSION: Final = re.compile(r"(\d\d?)\.(\d\d?)\.(RC)?(\d\d?)", re.ASCII)


class Settings(NamedTuple):
    """The settings of the process's devices."""

    #: ASCENDREF_PRODUCT: a family or a chip
    product: Product
    #: ASCENDREF_DEVICES: number of devices
    devices: int
    #: ASCENDREF_EXECUTION: when queued work runs
    execution: str
    #: ASCENDREF_SEED: seed of the execution ``random``; None for a different order in every run
    seed: int | None
    #: ASCENDREF_MEMORY: bytes per device; None for the product's
    memory: int | None
    #: ASCENDREF_TRACE: file for the timeline, written at exit; empty for none
    trace: str
    #: ASCENDREF_CANN_VERSION: version of CANN that programs are told
    cann_version: str


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings, or raise an ArgumentError that names the variable."""
    devices = _number(environment, "ASCENDREF_DEVICES", 1, MOST_DEVICES)
    execution = environment.get("ASCENDREF_EXECUTION") or "eager"
    if execution not in EXECUTION_MODES:
        problem = f"is {execution!r}; allowed are {', '.join(EXECUTION_MODES)}"
        raise ArgumentValueError("ASCENDREF_EXECUTION", problem)
    mode = environment.get(MODE, "")
    if mode and mode not in MODES:
        raise ArgumentValueError(MODE, f"is {mode!r}; allowed are {', '.join(MODES)}")
    name = environment.get("ASCENDREF_PRODUCT") or "Atlas A2"
    try:
        product = Product.find(name)
    except ArgumentValueError as error:
        raise ArgumentValueError("ASCENDREF_PRODUCT", error.problem) from None
    return Settings(
        product=product,
        devices=1 if devices is None else devices,
        execution=execution,
        seed=_number(environment, "ASCENDREF_SEED", 0, 2**32 - 1),
        memory=_number(environment, "ASCENDREF_MEMORY", 1, 2**43),
        trace=environment.get("ASCENDREF_TRACE", ""),
        cann_version=cann_version(environment),
    )


def cann_version(environment: Mapping[str, str] = os.environ) -> str:
    """Return the version of CANN that programs are told."""
    name = "ASCENDREF_CANN_VERSION"
    text = environment.get(name) or _CANN_VERSION
    if not _VERSION.fullmatch(text):
        problem = f"is {text!r}; it must be three numbers below 100, like 9.0.0 or 8.3.RC1"
        raise ArgumentValueError(name, problem)
    return text


def version_number(version: str) -> int:
    """Return a number that increases with the version: that of 8.3.RC1 is below that of 8.3.0."""
    major, minor, candidate, last = _VERSION.fullmatch(version).groups()  # type: ignore[union-attr]
    of_last = 100 * int(last) - 10_000 if candidate else 10_000 * int(last)
    return (int(major) * 100 + int(minor)) * 1_000_000 + of_last


def _number(environment: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    text = environment.get(name, "")
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else -1
    if not least <= number <= most:
        raise ArgumentValueError(name, f"is {text!r}; it must be an integer from {least} to {most}")
    return number
