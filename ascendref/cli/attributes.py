"""Scalars from the command line: ``--attr NAME=VALUE``."""

from __future__ import annotations

from typing import Final

from ..core.errors import OptionError
from ..declaration.operator import Operator
from ..declaration.scalars import ScalarParam

#: the names of a flag's values
_FLAGS: Final = {"true": 1.0, "false": 0.0}


def parse_attributes(operator: Operator, texts: list[str]) -> dict[str, float | str]:
    """Return the scalars given as NAME=VALUE."""
    params = {param.name: param for param in operator.scalars}
    values: dict[str, float | str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise OptionError("--attr", f"{text!r} is not NAME=VALUE")
        if name not in params:
            allowed = f"allowed are {', '.join(params)}" if params else "it has no attributes"
            raise OptionError("--attr", f"{operator.name} has no attribute {name!r}; {allowed}")
        if name in values:
            raise OptionError("--attr", f"{name} is given twice")
        values[name] = parse_value(params[name], value)
    return values


def parse_value(param: ScalarParam, text: str) -> float | str:
    """Return a scalar's value: a number, or one of its names."""
    if param.choices is not None and text in param.choices:
        return text
    if param.is_flag and text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    try:
        return float(text)
    except ValueError:
        expected = "an integer" if param.is_axis else "a number (inf and nan too)"
        if param.is_flag:
            expected = "true (1), false (0)"
        if param.choices is not None:
            expected = ", ".join(f"{name} ({number})" for name, number in param.choices.items())
        raise OptionError(
            "--attr", f"{text!r} is not a value of {param.name}; allowed: {expected}"
        ) from None
