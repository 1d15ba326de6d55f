"""HCCL, collective communication between processes of one machine, carried by PyTorch's Gloo.

``native/hccl.c`` passes each call of torch_npu to the function of the same name here. A collective
is a task of its stream: it runs when the stream reaches it, and the checker knows which memory it
reads and writes. Addresses and handles are numbers, as in C.
"""

from .collectives import (
    HcclAllGather,
    HcclAllGatherV,
    HcclAllReduce,
    HcclAlltoAll,
    HcclAlltoAllV,
    HcclAlltoAllVC,
    HcclBroadcast,
    HcclReduce,
    HcclReduceScatter,
    HcclReduceScatterV,
    HcclScatter,
)
from .communicators import (
    HcclCommDestroy,
    HcclCommInitRootInfo,
    HcclGetCommName,
    HcclGetRootInfo,
)
from .messages import (
    HcclBatchSendRecv,
    HcclGroupEnd,
    HcclGroupStart,
    HcclRecv,
    HcclSend,
)

__all__ = [
    "HcclAllGather",
    "HcclAllGatherV",
    "HcclAllReduce",
    "HcclAlltoAll",
    "HcclAlltoAllV",
    "HcclAlltoAllVC",
    "HcclBatchSendRecv",
    "HcclBroadcast",
    "HcclCommDestroy",
    "HcclCommInitRootInfo",
    "HcclGetCommName",
    "HcclGetRootInfo",
    "HcclGroupEnd",
    "HcclGroupStart",
    "HcclRecv",
    "HcclReduce",
    "HcclReduceScatter",
    "HcclReduceScatterV",
    "HcclScatter",
    "HcclSend",
]
