"""Options that several commands have, and checks of what is given for them."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final

import typer
from typer import Argument, Option

from ..borrowed.known import known
from ..core.dtypes import ALIASES, FLOAT32_STEPS, FLOATS
from ..core.errors import OptionError
from ..declaration.operator import Operator, find_operator
from ..declaration.scalars import ScalarParam

#: the names of a flag's values
_FLAGS: Final = {"true": 1.0, "false": 0.0}
#: names of the floating-point types
FLOAT_TYPES: Final = tuple([kind.name for kind in FLOATS])
#: the compute types that commands measure and compile
COMPUTE_TYPES: Final = (*FLOAT_TYPES, FLOAT32_STEPS)


def integer(least: int) -> Callable[[str], int]:
    """Return a parser of integers whose message, unlike Typer's own, quotes the text."""

    def parse(text: str) -> int:
        with suppress(ValueError):
            if int(text) >= least:
                return int(text)
        raise typer.BadParameter(f"must be an integer ≥ {least}, not {text!r}")

    return parse


def positive(text: str) -> float:
    """Parse a positive number, with such a message."""
    with suppress(ValueError):
        if 0 < float(text) < float("inf"):
            return float(text)
    raise typer.BadParameter(f"must be a positive number, not {text!r}")


Dtypes = Annotated[
    list[str] | None,
    Option("--dtype", metavar="TYPE", help="float16, bfloat16, float32, float64. Repeatable."),
]
ComputeTypes = Annotated[
    list[str] | None,
    Option(
        "--compute",
        metavar="TYPE",
        help="Compute type: float16, bfloat16, float32, float64. Repeatable.",
    ),
]
Operators = Annotated[
    list[str] | None, Argument(metavar="[OPERATOR]...", help="Operators; default all.")
]
OneOperator = Annotated[
    str | None, Argument(metavar="[OPERATOR]", help="One operator; default all.")
]
Attributes = Annotated[
    list[str] | None, Option("--attr", metavar="NAME=VALUE", help="Value of a scalar. Repeatable.")
]
Seed = Annotated[int, Option(parser=integer(0), metavar="N", help="Seed of the numbers.")]
Plot = Annotated[
    Path | None, Option("--plot", metavar="FILE", help="Write a figure (.png, .pdf, …).")
]
Report = Annotated[
    Path | None, Option(metavar="FILE", help="Write the results as a Markdown page.")
]
AsJson = Annotated[bool, Option("--json", help="Print JSON for programs.")]


def check_choices(
    option: str, given: list[str] | None, allowed: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what was given for an option, each once, or raise OptionError."""
    chosen = {name: ALIASES.get(name.casefold(), name) for name in given or ()}
    for text, name in chosen.items():
        if name not in allowed:
            raise OptionError(option, f"{text!r} is not allowed; allowed are {', '.join(allowed)}")
    return tuple(dict.fromkeys(chosen.values()))


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
        values[name] = _parse_value(params[name], value)
    return values


def _parse_value(param: ScalarParam, text: str) -> float | str:
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
        problem = f"{text!r} is not a value of {param.name}; allowed: {expected}"
        raise OptionError("--attr", problem) from None


def operator_named(name: str) -> Operator:
    """Return an operator by its function's or the vendor's name, or raise OptionError."""
    row = known().get(name)
    if row is not None and row.presence == "borrowed":
        raise OptionError(
            "OPERATOR",
            f"{name} is borrowed: PyTorch computes it, on the device alone; call"
            f" ascendref.aclnn.{name}GetWorkspaceSize, or it in C; `ascendref ops {name}` shows it",
        )
    if row is not None and row.presence == "absent":
        raise OptionError("OPERATOR", f"{name} is absent; `ascendref ops` lists all that are here")
    return find_operator(name)


def check_operators(names: list[str] | None) -> tuple[str, ...]:
    """Return operators by their functions' or the vendor's names, each once, or raise."""
    return tuple(dict.fromkeys(operator_named(name).name for name in names or ()))
