"""Numba internals that this package uses; no other module does.

With a version of Numba without any of these, kernels are not kept on disk (``disk_cache.py``).
"""

import re
from functools import cache
from importlib import import_module
from typing import Any, Final

from llvmlite import ir
from llvmlite.binding import add_symbol
from numba import types
from numba.core import cgutils

from .instructions import instructions

#: the imported internals
_PARTS: Final = {
    "rtsys": "numba.core.runtime",
    "c_helpers": "numba.core.runtime._nrt_python",
    "dumps": "numba.core.serialize",
}


@cache
def parts() -> dict[str, Any]:
    """Return the imported internals of Numba; empty if one is missing."""
    try:
        return {name: getattr(import_module(module), name) for name, module in _PARTS.items()}
    except (ImportError, AttributeError):
        return {}


def insides_of(dispatcher: Any) -> Any:
    """Return the cache implementation of a function; None if it is not as expected."""
    try:
        insides = dispatcher._cache
        _ = insides._cache_file, insides._load_overload, insides._impl.rebuild
    except AttributeError:
        return None
    return insides if parts() else None


def make_ready(context: Any, code: Any) -> None:
    """Provide the functions of Numba's runtime that machine code calls; those in C as they are."""
    rtsys, c_helpers = parts()["rtsys"], parts()["c_helpers"]
    match code:
        case ((_, "object", (bytes(machine_code), _)), *_):
            called = {name.decode() for name in re.findall(rb"NRT_(\w+)", machine_code)}
            if called <= c_helpers.keys():
                for name in called:
                    add_symbol(f"NRT_{name}", c_helpers[name])
                return
    rtsys.initialize(context)


def emit_call(context: Any, builder: Any, function: Any, signature: Any, arguments: Any) -> Any:
    _, returned = context.call_conv.call_function(
        builder, function, signature.return_type, signature.args, arguments
    )
    return returned


# the compiled versions of Numba's own two functions cannot be cached on disk
@instructions(types.int64)
def get_num_threads(builder: Any) -> Any:
    """Return the number of threads that Numba uses for work launched by this thread."""
    kind = ir.FunctionType(ir.IntType(64), [])
    function = cgutils.get_or_insert_function(builder.module, kind, "get_num_threads")
    count = builder.trunc(builder.call(function, []), ir.IntType(32))
    return builder.sext(count, ir.IntType(64))


@instructions(types.void, types.int64)
def set_num_threads(builder: Any, count: Any) -> None:
    """Set the number of threads that Numba uses for work launched by this thread."""
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
    function = cgutils.get_or_insert_function(builder.module, kind, "set_num_threads")
    builder.call(function, [builder.trunc(count, ir.IntType(32))])
