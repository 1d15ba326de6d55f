"""Random numbers of the fallback, from the seed and offset of the device's generator."""

import torch

from ..core.scopes import Replaced, Scope

#: increment of the offset per call, a multiple of 4
_STEP = 4
#: an odd number that spreads offsets over the host generator's seeds
_SPREAD = 0x9E3779B97F4A7C15


def next_state(device: torch.device) -> tuple[int, int]:
    """Return the seed and the offset of a device's generator for one call, and advance it."""
    import torch_npu

    torch_npu.npu.init()
    index = torch_npu.npu.current_device() if device.index is None else device.index
    generator = torch_npu.npu.default_generators[index]
    offset = generator.get_offset()
    generator.set_offset(offset + _STEP)
    return generator.initial_seed(), offset


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
