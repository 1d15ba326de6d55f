"""Collective communication (HCCL).

emulated device: c10d::allreduce_ is not available
"""

import os

import torch
import torch_npu  # noqa: F401

os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "0", "RANK": "0", "WORLD_SIZE": "1"}
torch.npu.set_device(0)
torch.distributed.init_process_group("hccl")
torch.distributed.all_reduce(torch.ones(2).npu())
torch.npu.synchronize()
