"""A formula: the scalar mathematics of one result, in one plain function.

The function takes numbers and is called once, while a kernel is compiled, with objects that
overload Python's operators (`functions.py`). Their type, an *arithmetic*, decides how it is
computed:

=================  =============================================================================
``plain.py``       float32 or float64 instructions
``steps.py``       float16 or bfloat16: every operation is rounded
``ball.py``        float64 with a rigorous error bound, for correctly rounded results
``pair.py``        sums of two doubles, for float64 results
``exact.py``       Python's fractions, and intervals of any precision
``arrays.py``      arrays of NumPy, JAX and PyTorch
=================  =============================================================================

The first four emit LLVM instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Formula(NamedTuple):
    """The scalar mathematics of one result.

    A function has no branches: `select` evaluates both of its numbers, and the one that is not
    chosen may be NaN or infinite.
    """

    #: name of the kernels made of it
    name: str
    #: ``function(tensors..., scalars...) -> number``
    function: Callable[..., Any]
    #: number of tensors
    tensors: int
    #: number of scalars
    scalars: int
    #: whether the function takes the number of results as last argument
    sized: bool = False
    #: ``variant(compute, rounded, scalars...) -> Formula or None``: one that was written by hand,
    #: for a compute type, the type that results are rounded to, and scalars
    variant: Callable[..., Formula | None] | None = None
    #: ``factors(tensors...) -> (a, b)``: two numbers whose product is the function's value, for
    #: sums that are rounded once
    factors: Callable[..., Any] | None = None
    #: whether scalars are narrowed to float32, as the device receives them
    narrows: bool = True
    #: whether the function returns one of its tensors, 0, infinity or NaN, and so never rounds
    selects: bool = False
    #: whether the formula is compute-bound rather than memory-bound
    compute_bound: bool = False

    def suited(self, compute: str, rounded: str, scalars: tuple[float, ...]) -> Formula:
        """Return the formula for a compute type, the type of rounded results, and scalars."""
        return (self.variant and self.variant(compute, rounded, *scalars)) or self
