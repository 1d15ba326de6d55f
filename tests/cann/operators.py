"""Call every operator by ctypes in every layout, beside the same call in Python.

``python -m tests.cann.operators LIBRARY`` prints how many calls gave the same bytes.
"""

import ctypes
import sys
from itertools import product

import numpy as np

import ascendref as ar
from ascendref.cann.functions import operator_functions
from ascendref.core.dtypes import ELEMENT_TYPES

from ..device.calls import content
from ..operators.edges import ENTRIES
from ..support.two_phase import DECLARED, phase_1, phase_2, plain
from .outputs import NUMBERS, Caller

#: data layouts: strides of a shape of 3 by 4, offset in elements, first byte of the storage
LAYOUTS = {
    "contiguous": ((4, 1), 0, 0),
    "transposed at an inner address": ((1, 3), 2, 192),
    "backwards with gaps": ((-8, -2), 25, 8),
}


def operands(operator, kind, layout, scalars, generator):
    """Yield, for every tensor, the bytes of its memory and its description."""
    shapes = [(3, 4)] * len(operator.tensors)
    if operator.per_channel:
        shapes[-1] = (4,)
    for shape in (*shapes, *operator.result_shapes(tuple(shapes), scalars)):
        strides, offset, start = LAYOUTS[layout] if len(shape) == 2 else ((1,) * len(shape), 0, 16)
        numbers = generator.uniform(0, 1, 40) * (1 if ELEMENT_TYPES[kind].floating else 100)
        values = numbers.astype(ELEMENT_TYPES[kind].numpy)
        data = np.frombuffer(bytes(start) + values.tobytes(), np.uint8)
        yield data, shape, kind, strides, offset, start


def in_python(operator, scalars, tensors):
    """Return the bytes of the results' memory after the call in Python."""
    dev = ar.Device("Atlas A2")
    described = []
    for data, shape, kind, strides, offset, start in tensors:
        memory = dev.malloc(data.size)
        dev.memcpy(memory, data)
        described.append(ar.Tensor(memory.address + start, shape, kind, strides, offset))
    inputs = len(operator.tensors)
    size, executor = phase_1(operator.name, *described[:inputs], *scalars, *described[inputs:])
    phase_2(operator.name, dev.malloc(size) if size else None, size, executor, None)
    dev.synchronize()
    return [content(result.memory).tobytes() for result in described[inputs:]]


def tensor(caller, address, data, shape, kind, strides, offset, start):
    """Return a tensor of the C library."""
    rank, storage = ctypes.c_uint64(len(shape)), ctypes.byref(ctypes.c_int64(data.size))
    sizes, steps = ((ctypes.c_int64 * len(x))(*x) for x in (shape, strides))
    made = caller.library.aclCreateTensor(
        sizes, rank, int(ar.DataType.of(kind)), steps, ctypes.c_int64(offset), 2, storage,
        ctypes.c_uint64(1), ctypes.c_void_p(address + start),
    )  # fmt: skip
    return ctypes.c_void_p(made)


def scalar(caller, kind, value):
    """Return a scalar argument for a parameter of a kind."""
    if kind == "SCALAR":
        double = ctypes.byref(ctypes.c_double(value))
        return ctypes.c_void_p(caller.library.aclCreateScalar(double, ar.DataType.ACL_DOUBLE))
    return ctypes.c_char_p(value.encode()) if kind == "TEXT" else NUMBERS[kind](value)


def in_c(caller, operator, scalars, tensors):
    """Return the bytes of the results' memory after the call in C."""
    inputs = len(operator.tensors)
    first, second = operator_functions(operator)
    memories, described = [], []
    for data, *description in tensors:
        size = ctypes.c_size_t(data.size)
        memories.append(caller.made("aclrtMalloc", size, 0))
        values = data.ctypes.data_as(ctypes.c_void_p)
        caller.call("aclrtMemcpy", ctypes.c_void_p(memories[-1]), size, values, size, 1)
        described.append(tensor(caller, memories[-1], data, *description))
    kinds = [parameter.kind for parameter in first.prototype.parameters[inputs:]]
    passed = [scalar(caller, *pair) for pair in zip(kinds, scalars, strict=False)]
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    arguments = [*described[:inputs], *passed, *described[inputs:]]
    caller.call(first.name, *arguments, ctypes.byref(size), ctypes.byref(executor))
    workspace = caller.made("aclrtMalloc", size, 0) if size.value else None
    caller.call(second.name, ctypes.c_void_p(workspace), size, executor, None)
    caller.call("aclrtSynchronizeStream", None)
    results = []
    for memory, (data, *_) in list(zip(memories, tensors, strict=True))[inputs:]:
        size = ctypes.c_size_t(data.size)
        results.append(ctypes.create_string_buffer(data.size))
        caller.call("aclrtMemcpy", results[-1], size, ctypes.c_void_p(memory), size, 2)
    return [result.raw for result in results]


def main():
    """Compare all calls."""
    caller, generator, count = Caller(sys.argv[1]), np.random.default_rng(7), 0
    rows = [
        (ar.OPERATORS[name], kind)
        for name in DECLARED
        for kind in ("float32", "float16", "bfloat16", *ENTRIES[name].integers)
    ]
    for (operator, kind), layout in product(rows, LAYOUTS):
        scalars = plain(operator.name, ENTRIES[operator.name].scalars[0])
        tensors = list(operands(operator, kind, layout, scalars, generator))
        found = in_c(caller, operator, scalars, tensors)
        assert found == in_python(operator, scalars, tensors), (operator, kind, layout)
        count += 1
    print(count)


if __name__ == "__main__":
    main()
