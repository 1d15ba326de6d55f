"""Which modules are not collected: those that need an optional library that is not installed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["ascendref/torch"]
