"""Arguments of borrowed operators other than tensors, as PyTorch takes them."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import index
from typing import Any, Final

import torch

from ..core.dtypes import DataType
from ..core.errors import ArgumentTypeError, shown
from ..device.scalar import Scalar
from ..twophase.plan import refuse
from .expressions import TYPES

#: kinds of integers -> the smallest and the largest; the last are codes of the vendor's
_INTEGERS: Final = {
    "i8": (-(2**7), 2**7 - 1),
    "int": (-(2**31), 2**31 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i64": (-(2**63), 2**63 - 1),
    "u64": (0, 2**64 - 1),
    "cube": (0, 3),
    "reduction": (0, 2),
}


def _number(name: str, value: Any) -> Any:
    """Return a scalar as PyTorch takes it."""
    if isinstance(value, Scalar):
        value = value.value
    if isinstance(value, bool | int | float | complex):
        return value
    with suppress(AttributeError, RuntimeError, ValueError):
        return value.item()
    refuse(f"{name} is a {type(value).__name__}; a number or a Scalar is expected")


def _converted(function: Callable[[Any], Any], expected: str, name: str, value: Any) -> Any:
    """Return what a function makes of a value, which is refused if it takes no such value."""
    try:
        return function(value)
    except (TypeError, ValueError) as error:
        refuse(f"{name} is a {type(value).__name__}; {expected} is expected", error)


def _integer(kind: str, name: str, value: Any) -> int:
    least, most = _INTEGERS[kind]
    number: int = _converted(index, "an integer", name, value)
    if not least <= number <= most:
        refuse(f"{name} is {number}; {least} to {most} are allowed")
    return number


def _truth(value: Any) -> bool:
    if isinstance(value, str | bytes | tuple | list):
        raise TypeError("texts and lists have a truth value, but mean none")
    return bool(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if not isinstance(value, str):
        raise TypeError("only bytes are decoded")
    return value


def _type(name: str, value: Any) -> torch.dtype:
    try:
        return TYPES[DataType.of(value)]
    except (ArgumentTypeError, KeyError) as error:
        refuse(f"{name} is {shown(value)}; a type of tensors is expected", error)


def _array(read: Callable[[str, Any], Any], name: str, value: Any) -> tuple[Any, ...]:
    members = _converted(tuple, "a tuple or list", name, value)
    return tuple([read(f"{name}[{k}]", member) for k, member in enumerate(members)])


def _axes(name: str, value: Any) -> tuple[int, ...] | None:
    """Return axes as PyTorch takes them, to which None means all; no axis means all, too."""
    return _array(READERS["i64"], name, value) or None


_float = partial(_converted, float, "a number")
_bool = partial(_converted, _truth, "True or False")
#: kinds of parameters -> what checks a value, given with the parameter's name
READERS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "S": _number,
    "f32": _float,
    "f64": _float,
    "bool": _bool,
    "str": partial(_converted, _text, "a str"),
    "dtype": _type,
    **{kind: partial(_integer, kind) for kind in _INTEGERS},
    "S[]": partial(_array, _number),
    "I[]": partial(_array, partial(_integer, "i64")),
    "axes": _axes,
    "F[]": partial(_array, _float),
    "B[]": partial(_array, _bool),
}
