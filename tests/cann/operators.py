"""Call functions of the vendor's by ctypes in every layout, beside the same calls in Python.

Each function of the day's operators is called with all arguments, then without each of those that
may be null.
``python -m tests.cann.operators LIBRARY`` prints how many calls gave the same bytes.
"""

import ctypes
import sys
from itertools import product

import numpy as np

import ascendref as ar
from ascendref import aclnn
from ascendref.cann.functions import operator_functions
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.declaration.operator import APIS

from ..device.calls import content
from ..operators.entries import ENTRIES
from ..support.cases import LAUNCHED, whole_shapes
from ..support.daily import SEED, TESTED, todays
from ..support.two_phase import scalars_of
from .outputs import NUMBERS, Caller

#: data layouts: strides of a shape of rank 2, offset in elements, first byte of the storage
LAYOUTS = {
    "contiguous": lambda rows, columns: ((columns, 1), 0, 0),
    "transposed at an inner address": lambda rows, columns: ((1, rows), 2, 192),
    "backwards with gaps": lambda rows, columns: ((-2 * columns, -2), 2 * rows * columns + 1, 8),
}
#: scalars that functions refuse
REFUSED = [
    ("leaky_relu_backward", (-0.5, True)),
    ("elu_backward", (-0.5, 1.0, 1.0, True)),
    ("celu", (0.0,)),
]


def operands(operator, kind, layout, scalars, generator):
    """Return, for every tensor by name, the bytes of its memory and its description."""
    shapes, _ = whole_shapes(operator.name, (3, 4), scalars=scalars)
    shapes += operator.result_shapes(tuple(shapes), scalars)
    named = dict(zip(operator.tensor_names, shapes, strict=True))
    found = {}
    for name in operator.arguments:
        if name in operator.vendor_parameters and name not in named:
            continue  # a scalar
        shape = named.get(name, (3, 4))  # an unused tensor
        lie = LAYOUTS[layout] if len(shape) == 2 else lambda *sizes: ((1,) * len(sizes), 0, 16)
        strides, offset, start = lie(*shape)
        numbers = generator.uniform(0, 1, 64) * (1 if ELEMENT_TYPES[kind].floating else 100)
        values = numbers.astype(ELEMENT_TYPES[kind].numpy)
        data = np.frombuffer(bytes(start) + values.tobytes(), np.uint8)
        found[name] = data, shape, kind, strides, offset, start
    return found


def in_python(operator, scalars, tensors, null):
    """Return the bytes of all tensors' memory after the call in Python, without one argument."""
    dev = ar.Device("Atlas A2")
    described = {}
    for name, (data, shape, kind, strides, offset, start) in tensors.items():
        memory = dev.malloc(data.size)
        dev.memcpy(memory, data)
        described[name] = ar.Tensor(memory.address + start, shape, kind, strides, offset)
    arguments = described | scalars | {null: None}
    first = getattr(aclnn, f"{operator.api}GetWorkspaceSize")
    size, executor = first(*[arguments[name] for name in operator.arguments])
    getattr(aclnn, operator.api)(dev.malloc(size) if size else None, size, executor, None)
    dev.synchronize()
    return [content(tensor.memory).tobytes() for tensor in described.values()]


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


def in_c(caller, operator, scalars, tensors, null):
    """Return the bytes of all tensors' memory after the call in C, without one argument."""
    first, second = operator_functions(operator)
    memories, arguments = [], {}
    for name, (data, *description) in tensors.items():
        size = ctypes.c_size_t(data.size)
        memories.append(caller.made("aclrtMalloc", size, 0))
        values = data.ctypes.data_as(ctypes.c_void_p)
        caller.call("aclrtMemcpy", ctypes.c_void_p(memories[-1]), size, values, size, 1)
        arguments[name] = tensor(caller, memories[-1], data, *description)
    for parameter in first.prototype.parameters:
        if parameter.name in scalars:
            arguments[parameter.name] = scalar(caller, parameter.kind, scalars[parameter.name])
    arguments[null] = None
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    given = [arguments[name] for name in operator.arguments]
    caller.call(first.name, *given, ctypes.byref(size), ctypes.byref(executor))
    workspace = caller.made("aclrtMalloc", size, 0) if size.value else None
    caller.call(second.name, ctypes.c_void_p(workspace), size, executor, None)
    caller.call("aclrtSynchronizeStream", None)
    found = []
    for memory, (data, *_) in zip(memories, tensors.values(), strict=True):
        size = ctypes.c_size_t(data.size)
        found.append(ctypes.create_string_buffer(data.size))
        caller.call("aclrtMemcpy", found[-1], size, ctypes.c_void_p(memory), size, 2)
    return [result.raw for result in found]


def calls():
    """Yield functions, types and layouts: all layouts where kernels are launched in other ways."""
    for operator in APIS.values():
        if operator.name not in TESTED:
            continue
        usual = operator.name not in LAUNCHED and SEED != "all"
        kinds = ("float32",) if usual else todays(("float32", "float16", "bfloat16"), 3)
        for kind in (*kinds, *ENTRIES[operator.name].integers):
            for layout in [*LAYOUTS][: 1 if usual else None]:
                yield operator, kind, layout


def main():
    """Compare all calls."""
    caller, generator, count = Caller(sys.argv[1]), np.random.default_rng(7), 0
    for operator, kind, layout in calls():
        rows = ENTRIES[operator.name].scalars[: None if layout == "contiguous" else 1]
        for row, null in product(rows, (None, *operator.nullable)):
            values = scalars_of(operator, row)
            scalars = named(operator, values)
            tensors = operands(operator, kind, layout, values, generator)
            found = in_c(caller, operator, scalars, tensors, null)
            expected = in_python(operator, scalars, tensors, null)
            assert found == expected, (operator, row, kind, layout, null)
        count += 1 + len(operator.nullable)
    refused(caller, generator)
    print(count)


def named(operator, scalars):
    """Return scalars by the vendor's names."""
    names = operator.vendor_parameters[len(operator.tensors) :]
    return dict(zip(names, scalars, strict=False))


def refused(caller, generator):
    """Call functions with scalars that are not allowed together."""
    for name, scalars in REFUSED:
        operator, found = ar.OPERATORS[name], None
        tensors = operands(operator, "float32", "contiguous", scalars, generator)
        try:
            in_c(caller, operator, named(operator, scalars), tensors, None)
        except AssertionError as error:
            found = error.args
        assert found == ((f"{operator.api}GetWorkspaceSize", 161002),), (name, found)


if __name__ == "__main__":
    main()
