"""Call functions of HCCL with wrong arguments, and with different ones on two ranks: a program.

``ascendref npu hccl_calls.py`` prints a line for each attempt: its name, and for each rank the code
of the call or, if its task failed, why. Two threads are the ranks, each on a device of its own.
"""

import ctypes
import os
import threading

import torch
import torch_npu  # noqa: F401

hccl = ctypes.CDLL("libhccl.so")
word = ctypes.c_uint64
FP16, FP32, FP64, SUM = 3, 4, 10, 0


def counts(*numbers):
    return (word * len(numbers))(*numbers)


def arguments(call, rank, at, to, comm):
    return [
        call("HcclAllReduce", at, to, word(4), 13, SUM),
        call("HcclAllReduce", at, to, word(4), FP64, SUM),
        call("HcclAllReduce", at, to, word(4), FP32, 4),
        call("HcclAllReduce", at, to, word(1 << 24), FP32, SUM),
        call("HcclAllReduce", ctypes.c_void_p(8), to, word(4), FP32, SUM),
        call("HcclBroadcast", at, word(4), FP32, 2),
        call("HcclSend", at, word(4), FP32, rank),
        call("HcclAlltoAll", at, word(4), FP32, to, word(4), FP16),
        hccl.HcclGroupEnd(),
        hccl.HcclCommInitRootInfo(2, ctypes.create_string_buffer(9), 2, ctypes.byref(word())),
        hccl.HcclCommInitRootInfo(2, ctypes.create_string_buffer(9), 1, ctypes.byref(word())),
        hccl.HcclGetCommName(word(77), ctypes.create_string_buffer(128)),
        hccl.HcclGetCommName(comm, None),
        hccl.HcclGetRootInfo(None),
        call("HcclAllGatherV", at, word(4), to, None, counts(0, 4), FP32),
        call("HcclReduceScatterV", at, counts(4, 4), None, to, word(4), FP32, SUM),
        call("HcclAlltoAllV", at, *[counts(1, 1)] * 2, FP32, to, counts(1, 1), None, FP32),
        call("HcclAlltoAllVC", at, None, FP32, to, FP32),
        call("HcclBatchSendRecv", None, 1),
        call("HcclAllReduce", at, to, word(4), FP32, SUM),
        call("HcclRecv" if rank else "HcclSend", None, word(0), FP32, 1 - rank),
        hccl.HcclCommDestroy(comm),
        hccl.HcclCommDestroy(comm),
    ]


def counts_differ(call, rank, at, to, comm):
    return call("HcclAllReduce", at, to, word(3 + rank), FP32, SUM)


def names_differ(call, rank, at, to, comm):
    if rank:
        return call("HcclAllReduce", at, to, word(3), FP32, SUM)
    return call("HcclBroadcast", at, word(3), FP32, 1)


def gathered_differ(call, rank, at, to, comm):
    return call("HcclAllGatherV", at, word(3), to, counts(3, 4), counts(0, 3), FP32)


def exchanged_differ(call, rank, at, to, comm):
    return call("HcclAlltoAllVC", at, counts(1, 1 + rank, 1, 1), FP32, to, FP32)


def messages_differ(call, rank, at, to, comm):
    if rank:
        return call("HcclRecv", to, word(2), FP16, 0)
    return call("HcclSend", at, word(2), FP32, 1)


def one_does_not_call(call, rank, at, to, comm):
    return "nothing" if rank else call("HcclAllReduce", at, to, word(3), FP32, SUM)


def run_rank(rank, info, attempt, found):
    torch.npu.set_device(rank)
    comm = ctypes.c_void_p()
    assert hccl.HcclCommInitRootInfo(2, info, rank, ctypes.byref(comm)) == 0
    memory = torch.arange(64.0).npu()
    torch.npu.synchronize()
    addresses = [ctypes.c_void_p(memory.data_ptr() + start) for start in (0, 64)]

    def call(name, *words):
        stream = torch.npu.Stream()
        code = getattr(hccl, name)(*words, comm, ctypes.c_void_p(stream.npu_stream))
        try:
            stream.synchronize()
        except RuntimeError as error:
            return str(error).partition(" failed: ")[2].splitlines()[0]
        return code

    found[rank] = attempt(call, rank, *addresses, comm)


for attempt in (
    arguments, counts_differ, names_differ, gathered_differ, exchanged_differ, messages_differ,
    one_does_not_call
):  # fmt: skip
    process = os.fork()  # a failed task stops the device
    if process:
        os.waitpid(process, 0)
        continue
    if attempt is one_does_not_call:
        os.environ["HCCL_EXEC_TIMEOUT"] = "1"
    info = ctypes.create_string_buffer(4108)
    assert hccl.HcclGetRootInfo(info) == 0
    found = {}  # by rank
    threads = [
        threading.Thread(target=run_rank, args=(rank, info, attempt, found)) for rank in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(attempt.__name__, found[0], found[1], sep="; ", flush=True)
    os._exit(0)
