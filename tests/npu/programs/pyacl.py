"""The vendor's Python interface beside torch_npu: streams and memory of both."""

import torch
import torch_npu  # noqa: F401

torch.npu.set_device(0)
x = torch.arange(4.0).npu() + 1
torch.npu.synchronize()

import acl  # noqa: E402

assert acl.rt.get_device() == (0, 0)
size = x.numel() * x.element_size()
data = bytes(size)
assert acl.rt.memcpy(acl.util.bytes_to_ptr(data), size, x.data_ptr(), size, 2) == 0
assert torch.frombuffer(bytearray(data), dtype=torch.float32).tolist() == [1, 2, 3, 4]
stream = torch.npu.Stream()
assert acl.rt.memset_async(x.data_ptr(), size, 0, size, stream.npu_stream) == 0
stream.synchronize()
assert x.cpu().tolist() == [0] * 4
