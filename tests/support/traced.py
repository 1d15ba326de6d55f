"""Functions of registers, applied to arrays: compiled by LLVM alone, without Numba."""

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from ascendref.kernels.arithmetic.registers import Register

_REAL = {np.dtype(np.float32): ir.FloatType(), np.dtype(np.float64): ir.DoubleType()}
_DTYPES = {"float": np.float32, "double": np.float64, "i1": np.bool_}
_SIZE = ir.IntType(64)


def compiled(
    function: Callable[..., Any],
    *dtypes: Any,
    scalars: int = 0,
    made: Callable[..., Any] = Register,
) -> Callable[..., tuple[NDArray[Any], ...]]:
    """Return a function of registers as a function of arrays and of a tuple ``scalars``, doubles.

    ``made`` makes a register of a builder and a value; there is one dtype for each array.
    """
    module = ir.Module()
    module.triple = llvm.get_process_triple()
    kinds = [_REAL[np.dtype(dtype)] for dtype in dtypes]
    types = [_SIZE, _SIZE.as_pointer(), *[ir.DoubleType()] * scalars]
    kernel = ir.Function(module, ir.FunctionType(ir.VoidType(), types), "kernel")
    size, addresses, *numbers = kernel.args
    blocks = [kernel.append_basic_block(name) for name in ("entry", "test", "body", "done")]
    entry, test, body, done = blocks
    ir.IRBuilder(entry).branch(test)
    builder = ir.IRBuilder(test)
    index = builder.phi(_SIZE)
    builder.cbranch(builder.icmp_unsigned("<", index, size), body, done)
    ir.IRBuilder(done).ret_void()
    builder = ir.IRBuilder(body)

    def place(k: int, kind: ir.Type) -> ir.Value:
        address = builder.load(builder.gep(addresses, [ir.Constant(_SIZE, k)]))
        return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])

    loaded = [builder.load(place(k, kind)) for k, kind in enumerate(kinds)]
    results = function(*[made(builder, value) for value in (*loaded, *numbers)])
    results = results if isinstance(results, tuple) else (results,)
    found = [np.dtype(_DTYPES[str(result.value.type)]) for result in results]
    for k, result in enumerate(results, len(kinds)):
        bit = str(result.value.type) == "i1"
        value = builder.zext(result.value, ir.IntType(8)) if bit else result.value
        builder.store(value, place(k, value.type))
    index.add_incoming(ir.Constant(_SIZE, 0), entry)
    index.add_incoming(builder.add(index, ir.Constant(_SIZE, 1)), builder.block)
    builder.branch(test)

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    pointer = ctypes.POINTER(ctypes.c_int64)
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, pointer, *[ctypes.c_double] * scalars)
    call = prototype(engine.get_function_address("kernel"))

    def run(*arrays: Any, scalars: tuple[float, ...] = ()) -> tuple[NDArray[Any], ...]:
        flat = [np.ascontiguousarray(a, t) for a, t in zip(arrays, dtypes, strict=True)]
        outputs = [np.empty(flat[0].shape, dtype) for dtype in found]
        at = [array.ctypes.data for array in (*flat, *outputs)]
        _ = engine  # holds the code
        call(flat[0].size, (ctypes.c_int64 * len(at))(*at), *map(float, scalars))
        return tuple(outputs)

    return run
