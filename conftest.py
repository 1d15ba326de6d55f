"""What pytest leaves out where an extra is not installed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("jax") is not None else ["ascendref/jax/*"]
