"""Checks that arguments of functions of the C library have in common."""

import ctypes
from collections.abc import Callable
from typing import NoReturn

from ...core.errors import fail
from ...core.status import Status


def invalid(message: str) -> NoReturn:
    """Fail with the code of the ACL layer for a bad argument."""
    fail(Status.ACL_ERROR_INVALID_PARAM, message)


def rt_invalid(message: str, cause: BaseException | None = None) -> NoReturn:
    """Fail with the code of the runtime for a bad argument."""
    fail(Status.ACL_ERROR_RT_PARAM_INVALID, message, cause)


def unsupported(message: str) -> NoReturn:
    """Fail with the runtime's code for a missing feature of the product or the emulated device."""
    fail(Status.ACL_ERROR_RT_FEATURE_NOT_SUPPORT, message)


def check_given(**addresses: int) -> None:
    """Refuse the first address that is NULL."""
    for name, address in addresses.items():
        if not address:
            invalid(f"{name} is NULL")


def check_zero(zero: str, **values: int) -> None:
    """Refuse the first reserved argument that is not zero, under zero's name for its type."""
    for name, value in values.items():
        if value:
            invalid(f"{name} is {value:#x}; {zero} is expected")


def check_either(
    name: str, value: int, zero: str, one: str, refuse: Callable[[str], NoReturn] = invalid
) -> None:
    """Refuse a value other than 0 and 1, which have these names."""
    if value not in (0, 1):
        refuse(f"{name} is {value}; {zero} (0) and {one} (1) are allowed")


def check_flag(flags: int) -> None:
    """Refuse flags other than the only one defined."""
    if flags not in (0, 1):
        invalid(f"flags is {flags:#x}; 0 and 1 are allowed")


def check_size(size: int) -> None:
    if not size:
        invalid("size is 0")


def text_at(argument: str, address: int) -> str:
    """Return the text that an argument points to."""
    check_given(**{argument: address})
    return ctypes.string_at(address).decode(errors="replace")


def write_text(argument: str, address: int, text: str) -> None:
    """Write a text, which ends with a NUL, to where an argument points."""
    check_given(**{argument: address})
    ctypes.memmove(address, text.encode() + b"\0", len(text) + 1)
