"""The floating-point environment of the thread that runs a kernel.

A program may have set its threads to flush subnormal numbers to zero or to another rounding mode;
results must not depend on that. These functions emit LLVM code.
"""

from typing import Any, Final

from llvmlite import binding, ir
from numba.core import cgutils

_WORD: Final = ir.IntType(64)
_INT: Final = ir.IntType(32)
_ARCHITECTURE: Final = binding.get_process_triple().partition("-")[0]
_X86: Final = _ARCHITECTURE in ("x86_64", "i386", "i686")
_ARM: Final = _ARCHITECTURE in ("aarch64", "arm64")
#: IEEE 754's default settings: in MXCSR, exceptions masked, round to nearest, subnormal numbers
#: kept; in FPCR, nothing
_DEFAULT: Final = 0x1F80 if _X86 else 0
#: MXCSR's exception flags
_FLAGS: Final = 0x3F


def set_default_environment(builder: Any) -> Any:
    """Give the thread the default settings, if it has others; return those that it had."""
    before = _settings(builder)
    with builder.if_then(_is_unusual(builder, before), likely=False):
        _set(builder, ir.Constant(_WORD, _DEFAULT))
    return before


def restore_environment(builder: Any, before: Any) -> None:
    """Undo `set_default_environment`."""
    with builder.if_then(_is_unusual(builder, before), likely=False):
        _set(builder, before)


def _is_unusual(builder: Any, settings: Any) -> Any:
    return builder.icmp_unsigned("!=", settings, ir.Constant(_WORD, _DEFAULT))


def _settings(builder: Any) -> Any:
    if _X86:
        place = cgutils.alloca_once(builder, _INT)
        _call(builder, "llvm.x86.sse.stmxcsr", _bytes(builder, place))
        return builder.zext(
            builder.and_(builder.load(place), ir.Constant(_INT, 0xFFFF & ~_FLAGS)), _WORD
        )
    if _ARM:
        kind = ir.FunctionType(_WORD, [])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.aarch64.get.fpcr")
        return builder.call(function, [])
    return ir.Constant(_WORD, _DEFAULT)


def _set(builder: Any, settings: Any) -> None:
    if _X86:
        place = cgutils.alloca_once(builder, _INT)
        builder.store(builder.trunc(settings, _INT), place)
        _call(builder, "llvm.x86.sse.ldmxcsr", _bytes(builder, place))
    elif _ARM:
        _call(builder, "llvm.aarch64.set.fpcr", settings)


def _call(builder: Any, name: str, argument: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [argument.type])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [argument])


def _bytes(builder: Any, place: Any) -> Any:
    return builder.bitcast(place, ir.IntType(8).as_pointer())
