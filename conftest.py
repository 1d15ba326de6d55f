"""What pytest leaves out where an extra is not installed."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [
    f"ascendref/{name}/*" for name in ("jax", "torch") if find_spec(name) is None
]
