"""Functions that expressions of the table call where PyTorch's operators differ from the vendor's."""

from __future__ import annotations
