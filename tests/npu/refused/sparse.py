"""Sparse tensors.

Cannot access storage of SparseTensorImpl
"""

import torch
import torch_npu  # noqa: F401

torch.eye(3).npu().to_sparse().to_dense()
