"""What the device says of itself: names, cores, memory, utilization."""

import pickle
import tempfile

import torch
import torch_npu  # noqa: F401
from judging import raised
from torch_npu.utils.collect_env import get_cann_version

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
assert torch.npu.is_initialized()
assert torch.npu.device_count() == torch.accelerator.device_count() == 2  # as the tests set it
assert torch.npu.current_device() == 0
is_200i = "200I" in chip.name
assert torch.npu.can_device_access_peer(0, 1) == (not is_200i)
# torch_npu itself says so, of all chips since Ascend910B
assert torch.npu.is_bf16_supported() == (chip.has_bfloat16 or is_200i)
assert (torch.bfloat16 in torch.npu.get_amp_supported_dtype()) == torch.npu.is_bf16_supported()
assert torch.npu.get_soc_version() == torch.npu.utils.get_soc_version() > 0
assert torch.npu.get_device_capability() is None  # unless TORCH_NPU_DEVICE_CAPABILITY sets it
assert torch.npu.utils.get_cann_version("OPP") == get_cann_version() == "9.1.0"

# cores, which a program may limit
cores = {"cube_core_num": chip.cube_cores, "vector_core_num": chip.vector_cores}
stream = torch.npu.Stream()
assert torch.npu.get_device_limit(0) == torch.npu.get_stream_limit(stream) == cores
torch.npu.set_stream_limit(stream, cube_num=1)
assert torch.npu.get_stream_limit(stream) == {**cores, "cube_core_num": 1}
torch.npu.reset_stream_limit(stream)
assert torch.npu.get_stream_limit(stream) == cores

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
assert torch.accelerator.get_memory_info() == torch.npu.mem_get_info()
stats = torch.npu.memory_stats()
assert stats["allocated_bytes.all.current"] == torch.npu.memory_allocated()
assert stats["reserved_bytes.all.current"] == torch.npu.memory_reserved()
assert sum(one["total_size"] for one in torch.npu.memory_snapshot()) == torch.npu.memory_reserved()
assert "NPU memory summary" in torch.npu.memory_summary()
del y
assert torch.npu.memory_allocated() == before
torch.npu.empty_cache()
assert torch.npu.mem_get_info()[0] >= free
pinned = torch.ones(2**22).pin_memory()
assert torch.npu.host_memory_stats()["allocated_bytes.current"] >= pinned.nbytes
torch.npu.set_per_process_memory_fraction(0.25)
half = {"size": (chip.memory // 2,), "dtype": torch.uint8, "device": "npu"}
error = raised(lambda: torch.empty(**half))
assert isinstance(error, torch.OutOfMemoryError) and "Tried to allocate" in str(error)
torch.npu.set_per_process_memory_fraction(1.0)
torch.empty(**half)
torch.npu.empty_cache()

# a snapshot, for PyTorch's viewer
torch.npu.memory._record_memory_history()
y = torch.empty(2**20).npu()
with tempfile.NamedTemporaryFile() as file:
    torch.npu.memory._dump_snapshot(file.name)
    snapshot = pickle.load(file)
torch.npu.memory._record_memory_history(enabled=None)
assert "alloc" in {one["action"] for one in snapshot["device_traces"][0]}

# the share of the last second in which the device worked
assert 0 <= torch.npu.utilization() <= 100
for _ in range(20):
    pinned.to("npu", non_blocking=True)
torch.npu.synchronize()
assert 0 < torch.npu.utilization() <= 100
