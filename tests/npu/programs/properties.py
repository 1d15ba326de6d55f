"""What the device says of itself: names, numbers of cores, memory."""

import torch
import torch_npu  # noqa: F401

import ascendref as ar

name = torch.npu.get_device_name(0)
chip = ar.Product.find(name)
found = torch.npu.get_device_properties(0)
assert (found.name, found.total_memory) == (name, chip.memory)
assert (found.cube_core_num, found.vector_core_num) == (chip.cube_cores, chip.vector_cores)
assert found.multi_processor_count in (chip.cube_cores, chip.vector_cores)
assert found.L2_cache_size == chip.l2
assert torch.npu.mem_get_info(0)[1] == chip.memory
assert torch.npu.is_bf16_supported() or not chip.has_bfloat16
x = torch.linspace(-2, 2, 5).npu()
assert (x + x).cpu().tolist() == [-4, -2, 0, 2, 4]
