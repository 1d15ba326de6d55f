"""HCCL, collective communication between processes of one machine, carried by PyTorch's Gloo.

``native/hccl.c`` passes each call of torch_npu to the function of the same name here. A collective
is a task of its stream: it runs when the stream reaches it, and the checker knows which memory it
reads and writes. Addresses and handles are numbers, as in C.
"""

from . import collectives, communicators, messages

_named = vars(collectives) | vars(communicators) | vars(messages)
globals().update({name: value for name, value in _named.items() if name.startswith("Hccl")})
