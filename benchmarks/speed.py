"""Benchmarks for asv: every operator beside PyTorch on the same data in the same run."""

from __future__ import annotations

import torch

import ascendref as ar

from .calls import pair

torch.set_num_threads(2)


class Operators:
    """Time of one call on dense data."""

    params = (
        list(ar.OPERATORS),
        ["float32", "bfloat16"],
        [16, 1 << 16, 1 << 20, 1 << 24],
    )
    param_names = ("operator", "type", "elements")

    def setup(self, operator: str, kind: str, size: int) -> None:
        self.ours, self.torchs = pair(operator, kind, size)
        self.ours()

    def time_ascendref(self, operator: str, kind: str, size: int) -> None:
        self.ours()

    def time_torch(self, operator: str, kind: str, size: int) -> None:
        self.torchs()


class Transposed(Operators):
    """Time of one call on data that run along the other axis."""

    params = (list(ar.OPERATORS), ["float32"], [1 << 20])

    def setup(self, operator: str, kind: str, size: int) -> None:
        self.ours, self.torchs = pair(operator, kind, size, "transposed")
        self.ours()
