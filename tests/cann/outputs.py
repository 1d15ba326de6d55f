"""Call every function of the table that has output parameters, over bytes of a pattern.

Of the operators' functions, those of today's operators are called: phase 1 compiles their kernels.

``python -m tests.cann.outputs LIBRARY`` prints the names of those that were refused.
"""

import ctypes
import sys
from itertools import count, cycle

from ascendref.cann.functions import functions
from ascendref.cann.structures import PhysicalProperties
from ascendref.core.dtypes import DataType
from ascendref.declaration.operator import APIS

from ..support.cases import whole_shapes
from ..support.daily import TESTED

#: types of pointers through which functions without ``out`` in the table write results
RESULTS = {
    "int64_t *": 8,
    "int64_t **": 8,
    "uint64_t *": 8,
    "void **": 8,
    "aclFormat *": 4,
    "aclDataType *": 4,
}
#: phases 1 of operators
OPERATORS = {f"{operator.api}GetWorkspaceSize": operator for operator in APIS.values()}
#: bytes after each result, and places for tensors
GUARD, PLACES = 8, 16
#: arguments by name where 0 is none, for all functions or for one
VALUES = {
    "aclnnCalculateMatmulWeightSizeV2.dataType": DataType.ACL_FLOAT16,
    "size": 64,
    "flag": 1,
    "aclrtGetDeviceInfo.attr": 101,
    "devFeatureType": 1,
    "peerDeviceId": 1,
    "aclrtMallocPhysical.size": 2 << 20,
    "beta": 1.0,
    "eps": 0.1,
    "dim": -1,
}
#: what pointers to memory of the host lead to
BYTES = {
    "pkgName": b"runtime",
    "approximate": b"tanh",
    "prop": PhysicalProperties(attribute=4, location=(0, 1)),
}
NUMBERS = {"INT64": ctypes.c_int64, "UINT64": ctypes.c_uint64, "FLOAT": ctypes.c_float,
           "DOUBLE": ctypes.c_double, "UINT32": ctypes.c_uint32,
           "INT32": ctypes.c_int32}  # fmt: skip


def shapes(function):
    """Return the shapes of tensors by name that an operator's phase 1 takes; none of another."""
    operator = OPERATORS.get(function)
    if operator is None:
        return {}
    scalars = tuple(VALUES.get(param.name, 0) for param in operator.scalars)
    inputs, _ = whole_shapes(operator.name, (1, 4), "one", scalars)
    results = operator.result_shapes(tuple(inputs), scalars)
    return dict(zip(operator.tensor_names, (*inputs, *results), strict=True))


def size_of(parameter):
    """Return how many bytes a function writes through a parameter; 0 if it writes none."""
    if parameter.output:
        return 4 if parameter.kind in ("INT32", "UINT32", "FLOAT") else 8
    return RESULTS.get(parameter.type, 0)


class Caller:
    """Calls functions with arguments that fit them."""

    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        for name, function in functions().items():
            if function.prototype.result.endswith("*"):
                getattr(self.library, name).restype = ctypes.c_void_p
        for _ in range(8):  # for aclFinalizeReference to count down
            self.library.aclInit(None)
        self.call("aclrtSetDevice", 0)
        self.call("aclrtCtxSetSysParamOpt", 0, ctypes.c_int64(0))
        stream, self.context = self.made("aclrtCreateStream"), self.made("aclrtGetCurrentContext")
        self.memory = self.made("aclrtMalloc", ctypes.c_size_t(64 * PLACES), 0)
        self.places = cycle(range(self.memory, self.memory + 64 * PLACES, 64))
        notify = self.made("aclrtCreateNotify", ctypes.c_uint64(0))
        self.events = []
        for _ in range(2):
            event = self.made("aclrtCreateEvent")
            self.call("aclrtRecordEvent", ctypes.c_void_p(event), ctypes.c_void_p(stream))
            self.events.append(event)
        self.call("aclrtSynchronizeStream", ctypes.c_void_p(stream))
        self.captured = self.made("aclrtCreateStream")
        graph = ctypes.c_void_p()
        if self.begins_capture():
            captured = ctypes.c_void_p(self.captured)
            self.call("aclmdlRICaptureEnd", captured, ctypes.byref(graph))
        self.handles = {
            "STREAM": stream, "CONTEXT": self.context, "NOTIFY": notify, "GRAPH": graph.value
        }  # fmt: skip

    def begins_capture(self):
        """Begin to capture a stream; tell whether that is so, as only some products can."""
        return self.library.aclmdlRICaptureBegin(ctypes.c_void_p(self.captured), 0) == 0

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        assert code == 0, (name, code)

    def made(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle.value

    def tensor(self, sizes=(2, 4)):
        """Return a tensor of F32 in a place of its own."""
        shape, rank = (ctypes.c_int64 * len(sizes))(*sizes), ctypes.c_uint64(len(sizes))
        address = ctypes.c_void_p(next(self.places))
        create = self.library.aclCreateTensor
        return create(shape, rank, 0, None, ctypes.c_int64(0), 2, shape, rank, address)

    def argument(self, function, parameter, numbers):
        """Return a plausible argument."""
        name, kind = parameter.name, parameter.kind
        value = VALUES.get(f"{function.name}.{name}", VALUES.get(name, 0))
        if function.name == "aclmdlRICaptureEnd":
            self.begins_capture()
            address = self.captured
        elif function.name == "aclrtMemGetAddressRange":
            address = self.memory
        elif kind == "TENSOR":
            address = self.tensor(shapes(function.name).get(name, (2, 4)))
        elif kind == "SCALAR":
            address = self.library.aclCreateScalar(ctypes.byref(ctypes.c_float(1)), 0)
        elif kind.endswith(("_ARRAY", "_LIST")):
            create = getattr(self.library, "aclCreate" + kind.title().replace("_", ""))
            members = {"INT_ARRAY": [2, 4], "SCALAR_LIST": []}.get(kind, [0])
            if kind == "TENSOR_LIST":
                members = [self.tensor()]
            array = (ctypes.c_uint64 * len(members))(*members)
            address = create(array, ctypes.c_uint64(len(members)))
        elif name in BYTES:
            return ctypes.pointer(BYTES[name]) if name == "prop" else ctypes.c_char_p(BYTES[name])
        elif kind == "EVENT":
            address = self.events[next(numbers) % 2]
        elif kind in self.handles:
            address = self.handles[kind]
        else:
            return NUMBERS.get(kind, ctypes.c_int32)(value)
        return ctypes.c_void_p(address)

    def results(self, function, pattern, *, without=None):
        """Call a function; return its code and the bytes at each of its outputs."""
        numbers, arguments, buffers = count(), [], []
        self.call("aclrtSetCurrentContext", ctypes.c_void_p(self.context))
        for parameter in function.prototype.parameters:
            size = size_of(parameter)
            if size and parameter.name == without:
                arguments.append(None)
            elif size:
                buffers.append(ctypes.create_string_buffer(bytes([pattern]) * (size + GUARD)))
                arguments.append(buffers[-1])
            else:
                arguments.append(self.argument(function, parameter, numbers))
        code = getattr(self.library, function.name)(*arguments)
        return code, [buffer.raw[:-1] for buffer in buffers]


def check(caller, function):
    """Tell whether a call succeeds; then it must have written all results, and else none."""
    outputs = [parameter for parameter in function.prototype.parameters if size_of(parameter)]
    code, found = caller.results(function, 0xA5)
    again, found_again = caller.results(function, 0x5A)
    assert (code == 0) == (again == 0), (function.name, code, again)
    for parameter, first, second in zip(outputs, found, found_again, strict=True):
        # a byte that is written differs from one of the patterns
        written = [one != 0xA5 or two != 0x5A for one, two in zip(first, second, strict=True)]
        size = size_of(parameter) if code == 0 else 0
        assert written == [True] * size + [False] * (len(first) - size), (
            function.name,
            parameter.name,
            code,
        )
        if function.name != "aclFinalizeReference":  # which takes NULL
            code_of_null, rest = caller.results(function, 0xA5, without=parameter.name)
            assert code_of_null, (function.name, parameter.name)
            assert all(set(other) == {0xA5} for other in rest), (function.name, parameter.name)
    return code == 0


def main():
    """Check all functions; print the names of those that were refused."""
    caller = Caller(sys.argv[1])
    for function in functions().values():
        if function.is_borrowed:
            continue  # the same code as for the project's operators
        operator = OPERATORS.get(function.name)
        if operator is not None and operator.name not in TESTED:
            continue
        if any(map(size_of, function.prototype.parameters)) and not check(caller, function):
            print(function.name)


if __name__ == "__main__":
    main()
