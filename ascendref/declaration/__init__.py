"""An operator's declaration: its parameters, shapes, accuracy and place on the device."""

from ..core import fork_safety  # noqa: F401 - imports NumPy, which no interrupt may break
