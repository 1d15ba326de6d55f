"""torch.compile with the backend inductor.

emulated device: torch.compile with the backend "inductor" is not available
"""

import torch
import torch_npu  # noqa: F401

try:
    torch.compile(lambda x: x * 2)(torch.ones(4).npu())
    said = "nothing"
except RuntimeError as error:
    said = str(error)
if "emulated device: torch.compile" not in said:
    raise SystemExit(f"a function of a tensor: {said}")
torch.compile(lambda: torch.arange(4, device="npu") * 2)()  # whose only tensors are its own
