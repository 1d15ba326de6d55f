"""What the device says of itself: names, cores, memory, utilization."""

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
x = torch.linspace(-2, 2, 5).npu()
assert (x + x).cpu().tolist() == [-4, -2, 0, 2, 4]
assert torch.npu.is_available()
assert torch.npu.device_count() == 2  # as the tests set it
assert torch.npu.current_device() == 0
assert torch.npu.is_bf16_supported() == chip.has_bfloat16
assert torch.npu.get_device_capability() is None  # unless TORCH_NPU_DEVICE_CAPABILITY sets it
assert torch.npu.get_device_limit(0) == {
    "cube_core_num": chip.cube_cores,
    "vector_core_num": chip.vector_cores,
}
assert torch.npu.can_device_access_peer(0, 1)

# memory, of torch_npu's allocator and of the device
torch.npu.synchronize()
torch.npu.empty_cache()
torch.npu.reset_peak_memory_stats()
before, free = torch.npu.memory_allocated(), torch.npu.mem_get_info()[0]
y = torch.empty(2**20).npu()
assert 4 * 2**20 <= torch.npu.memory_allocated() - before <= 4 * 2**20 + 512
assert torch.npu.max_memory_allocated() - before >= 4 * 2**20
assert torch.npu.memory_reserved() >= torch.npu.memory_allocated()
assert free - torch.npu.mem_get_info()[0] >= 4 * 2**20
stats = torch.npu.memory_stats()
assert stats["allocated_bytes.all.current"] == torch.npu.memory_allocated()
assert "NPU memory summary" in torch.npu.memory_summary()
del y
assert torch.npu.memory_allocated() == before
torch.npu.empty_cache()
assert torch.npu.mem_get_info()[0] >= free

# the share of the last second in which kernels ran
assert 0 <= torch.npu.utilization() <= 100
z = torch.linspace(-2, 2, 2**24).npu()
for _ in range(20):
    torch.nn.functional.silu(z)
torch.npu.synchronize()
assert 0 < torch.npu.utilization() <= 100
