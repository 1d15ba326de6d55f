"""When correct rounding loads its exact task: ``python -m tests.support.exact_task_calls``.

A kernel that rounds correctly has the task for hard cases loaded when it meets the first one. So
every sequence of calls below has a kernel of its own.
"""

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np

import ascendref as ar
from ascendref.core.threads import PARALLEL_FROM

from ..operators.entries import ENTRIES
from .calls import call
from .correctness import assert_right
from .programs import without_copies
from .rounding import FORMATS, array_of

#: scalars of operators that are not called with their defaults
SCALARS: dict[str, tuple[Any, ...]] = {"smooth_l1_loss_backward": ("none", 1.0)}
SMALL = 1000
LARGE = PARALLEL_FROM + SMALL


def smallest(kind: str) -> Any:
    form = FORMATS[kind]
    return np.array(1, form.raw).view(form.dtype)[()]


def plain(operator: str, kind: str, size: int) -> list[Any]:
    """Return tensors without a hard case; prelu's weight has three elements."""
    rng = np.random.default_rng(3)
    if operator == "prelu_backward":
        tensors = [array_of(kind, rng.uniform(1, 2, (size // 3, 3))) for _ in range(2)]
        return [tensors[0], -tensors[1], array_of(kind, np.array([0.5, 1.0, 2.0]))]
    count = len(ar.OPERATORS[operator].tensors)
    return [array_of(kind, rng.choice([0.25, 0.5, 0.75], size)) for _ in range(count)]


def hard(operator: str, kind: str, size: int) -> list[Any]:
    """Return tensors with a hard case at the end, or in the second of three channels."""
    tensors = plain(operator, kind, size)
    match operator:
        case "softplus_backward":
            # half of an odd subnormal number is a tie, and almost one beside 0
            tensors[0][-1] = 3 * smallest(kind)
            tensors[1][-1] = 0 if kind == "float16" else -smallest(kind)
        case "logit_grad":
            # a quotient within 2**-50 of the middle between two F32 numbers
            tensors[0][-1], tensors[1][-1] = 11_184_877 / 2**24, 2_379_306 / 2**24
        case "smooth_l1_loss_backward":
            # the gradient times the input is a middle, and the target is almost 0
            bits = FORMATS[kind].fraction + 2
            odd = 2 ** (bits // 2) + 1
            tensors[0][-1], tensors[1][-1] = odd, odd * 2.0**-bits
            tensors[2][-1] = smallest(kind)
        case "prelu_backward":
            # what is left of a sum is less than the errors of its terms' errors
            grad, x = tensors[0][:, 1], tensors[1][:, 1]
            half = len(x) // 2
            grad[: half // 2] *= grad.dtype.type(2.0**-60)
            grad[half : 2 * half], x[half : 2 * half] = -grad[:half], x[:half]
            grad[2 * half :] = 0
            grad[0], x[0] = 2.0**-75, -(2.0**-75)
            grad[half], x[half] = 2.0**-76, -(2.0**-75)
    return tensors


def exact_tasks() -> int:
    """Return how many exact tasks are loaded."""
    return sum(row.kernel.endswith("_exactly") for row in ar.kernel_statistics())


def check(operator: str, tensors: list[Any], out: Any = None) -> None:
    """Make a correctly rounded call, and assert that it gives the right bits."""
    scalars = SCALARS.get(operator, ENTRIES[operator].scalars[0])
    before = tuple([tensor.copy() for tensor in tensors])
    got = call(operator, *tensors, *scalars, out=out, compute_dtype="float64")
    assert_right(operator, before, scalars, got, "float64")


def reverse(tensors: list[Any]) -> list[Any]:
    """Return tensors with the same elements, the first two from the last to the first."""
    return [np.ascontiguousarray(t[::-1])[::-1] for t in tensors[:2]] + tensors[2:]


#: what a sequence of calls has in common, and what lays out the tensors, contiguous before
SEQUENCES: list[tuple[str, str, int, Callable[[list[Any]], list[Any]]]] = [
    ("softplus_backward", "float32", SMALL, list),
    ("softplus_backward", "bfloat16", SMALL, reverse),
    ("softplus_backward", "float16", LARGE, list),
    ("logit_grad", "float32", LARGE, reverse),
    ("prelu_backward", "float32", LARGE, list),
    ("prelu_backward", "bfloat16", SMALL, reverse),
]
#: calls whose first result is the first tensor
IN_PLACE = [("smooth_l1_loss_backward", "float32"), ("prelu_backward", "float64")]


def main() -> None:
    """Run the sequences of calls, then warm a kernel up."""
    without_copies()
    for operator, kind, size, layout in SEQUENCES:
        before = exact_tasks()
        # the second call is one that the call cache has
        for make, loaded in ((plain, 0), (plain, 0), (hard, 1), (hard, 1)):
            check(operator, layout(make(operator, kind, size)))
            assert exact_tasks() - before == loaded, (operator, kind, size)
    for operator, kind in IN_PLACE:
        before, tensors = exact_tasks(), hard(operator, kind, SMALL)
        out: Any = tensors[0]
        if operator == "prelu_backward":
            out = (tensors[0], tensors[2].copy())
        check(operator, tensors, out)
        assert exact_tasks() - before == 1, (operator, kind)

    from ascendref.cli.app import app

    before = exact_tasks()
    command = ["warmup", "smooth_l1_loss_backward", "--dtype", "bfloat16", "--compute", "float64"]
    with redirect_stdout(io.StringIO()):
        app(command, standalone_mode=False)
    assert exact_tasks() - before == 1
    kernels = ar.kernel_statistics()
    check("smooth_l1_loss_backward", hard("smooth_l1_loss_backward", "bfloat16", SMALL))
    assert ar.kernel_statistics() == kernels


if __name__ == "__main__":
    main()
