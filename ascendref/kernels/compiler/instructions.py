"""Functions for jitted code, made of functions that append LLVM instructions."""

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from numba import types
from numba.extending import intrinsic


def instructions(
    result: types.Type, *parameters: types.Type
) -> Callable[[Callable[..., Any]], Any]:
    """Make a function for jitted code, of these types, of ``append(builder, *values)``.

    That returns the LLVM value of the result; None for ``types.void``.
    """
    names = ["typingctx", *[f"value_{k}" for k in range(len(parameters))]]
    accepted = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])

    def decorated(append: Callable[..., Any]) -> Any:
        def typed(*arguments: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
                value = append(builder, *values)
                return context.get_dummy_value() if value is None else value

            return result(*parameters), codegen

        typed.__signature__ = accepted  # type: ignore[attr-defined]
        return intrinsic(typed)

    return decorated
