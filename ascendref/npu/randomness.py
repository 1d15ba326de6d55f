"""Random numbers of the fallback, from the seed and offset of the device's generator."""

from typing import Final, TypeAlias

import torch
from torch import Tensor

from ..core.scopes import Replaced, Scope

#: a number, or a tensor with one that a graph reads at each launch
Number: TypeAlias = int | Tensor
#: increment of the offset per call, a multiple of 4
_STEP: Final = 4
#: an odd number that spreads offsets over the host generator's seeds
_SPREAD: Final = 0x9E3779B97F4A7C15
_LIBRARY: Final = torch.library.Library("ascendref_npu", "DEF")
_LIBRARY.define("seed(Tensor like, *, Generator? generator=None) -> Tensor")
_LIBRARY.define("uniform(Tensor seed, int count) -> Tensor")
#: operators that a graph records: the seed of a call, and numbers that follow from it
OPERATORS: Final = (torch.ops.ascendref_npu.seed.default, torch.ops.ascendref_npu.uniform.default)


def _signed(seed: int) -> int:
    return seed - 2**64 if seed >= 2**63 else seed


@torch.library.impl(_LIBRARY, "seed", "CPU")
def _seed(like: Tensor, *, generator: torch.Generator) -> Tensor:
    return torch.tensor(_signed(generator.initial_seed()))


@torch.library.impl(_LIBRARY, "uniform", "CPU")
def _uniform(seed: Tensor, count: int) -> Tensor:
    return torch.rand(count, generator=seeded(int(seed), 0))


@torch.library.impl(_LIBRARY, "seed", "Meta")
def _shape_of_seed(like: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
    return torch.empty((), dtype=torch.int64, device="meta")


@torch.library.impl(_LIBRARY, "uniform", "Meta")
def _shape_of_uniform(seed: Tensor, count: int) -> Tensor:
    return torch.empty(count, device="meta")


def next_state(device: torch.device) -> tuple[Number, Number]:
    """Return the seed and the offset of a device's generator for one call, and advance it.

    While a graph is captured, they are tensors of the device.
    """
    import torch_npu

    torch_npu.npu.init()
    if torch_npu.npu.is_current_stream_capturing():
        offset = torch.zeros((), dtype=torch.int64, device=device)
        return torch.ops.ascendref_npu.seed(offset), offset
    index = torch_npu.npu.current_device() if device.index is None else device.index
    generator = torch_npu.npu.default_generators[index]
    offset = generator.get_offset()
    generator.set_offset(offset + _STEP)
    return _signed(generator.initial_seed()), offset


def uniform(count: int, seed: Number, offset: Number, device: torch.device) -> Tensor:
    """Return numbers from 0 to 1 on a device, which a seed and an offset determine."""
    if isinstance(seed, Tensor) and seed.device.type == "npu":
        found: Tensor = torch.ops.ascendref_npu.uniform(seed + offset * _signed(_SPREAD), count)
        return found
    return torch.rand(count, generator=seeded(int(seed), int(offset))).to(device)


def seeded(seed: int, offset: int) -> torch.Generator:
    """Return a host generator that a seed and an offset determine.

    Setting or restoring the state of a device's generator therefore works as on a device. The
    numbers differ from a device's.
    """
    return torch.Generator().manual_seed((seed + offset * _SPREAD) % 2**64)


def drawing_from(generator: torch.Generator) -> Scope:
    """Give the host's default generator the state of another one, and restore it afterwards."""
    own = torch.default_generator
    return Scope(lambda: Replaced(own.get_state, own.set_state, generator.get_state()))
