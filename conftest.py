"""What pytest leaves out."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [
    f"ascendref/{name}/*" for name in ("jax", "torch") if find_spec(name) is None
]
# importing it starts torch_npu, which changes torch: its tests have processes of their own
collect_ignore_glob += ["ascendref/npu/*", "tests/npu/programs/*", "tests/npu/refused/*"]
