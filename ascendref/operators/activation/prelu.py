"""aclnnPrelu and aclnnPreluBackward: PReLU, and its gradients for its input and its weight."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2, prod

import numpy as np

from ...core.dtypes import ElementType, float_format
from ...core.errors import ArgumentValueError
from ...declaration.accuracy import rounded_once
from ...declaration.fields import (
    ALL_BUT_200I,
    TRAINING_A2_A3,
    Forward,
    OnDevice,
    Reduction,
    TensorParam,
    TorchOperator,
)
from ...declaration.operator import Operator, Shape
from ...declaration.shapes import Parameters
from ...declaration.views import PER_CHANNEL
from ...functional import ArrayT, DTypeLike, array_call, documented
from ...functional.partial_sums import Partial, partial_call
from ...kernels.arithmetic import Formula, Number, select
from ...kernels.loops.reduction_plan import BLOCK, LANES


def grad_input(grad_output: Number, self: Number, weight: Number) -> Number:
    """A selection, not a product: the weight has no effect where ``self`` is positive."""
    return select(~(self > 0.0), grad_output * weight, grad_output)


def weight_term(grad_output: Number, self: Number) -> Number:
    """The term of one element in the gradient of its channel's weight."""
    return select(~(self > 0.0), grad_output * self, 0.0)


def weight_factors(grad_output: Number, self: Number) -> tuple[Number, Number]:
    """The two factors of that term.

    LLVM takes ``select(self > 0.0, 0.0, self)`` for a minimum, which may be 0 where ``self`` is -0.
    """
    summed = ~(self > 0.0)
    return select(summed, grad_output, 0.0), select(summed, self, 0.0)


def out(self: Number, weight: Number) -> Number:
    """The function itself, a selection as well."""
    return select(~(self > 0.0), self * weight, self)


def weight_shape(self: Shape, weight: Shape) -> Shape:
    """The shape of the weight's gradient; the weight has 1 element or one per channel."""
    count = prod(weight)
    if count == 1:
        return weight
    channels = self[1] if len(self) > 1 else 1
    if count != channels:
        allowed = "1 is" if channels == 1 else f"1 or {channels} are"
        raise ArgumentValueError(
            "weight",
            f"has {count} elements; {allowed} allowed for the channels of self (shape {self},"
            " axis 1)",
        )
    return (channels,)


def out_shapes(
    operator: Parameters, tensors: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
    """The result has the shape of the input."""
    self, weight = tensors
    weight_shape(self, weight)
    return (self,)


def grad_shapes(
    operator: Parameters, tensors: tuple[Shape, ...], scalars: Sequence[float]
) -> tuple[Shape, ...]:
    """The gradient broadcasts to the input."""
    grad_output, self, weight = tensors
    try:
        fits = np.broadcast_shapes(grad_output, self) == self
    except ValueError:
        fits = False
    if not fits:
        raise ArgumentValueError(
            "grad_output", f"has shape {grad_output}, which does not broadcast to {self} of self"
        )
    return self, weight_shape(self, weight)


def sum_accuracy(kind: ElementType, terms: int) -> float:
    """One rounding of each product, one at every level of the tree, one to the result's type.

    The levels are those of the 64 terms of a lane, of the 16 lanes of a block, and of the blocks. A
    product that overflows F32 or falls below its normal numbers loses more.
    """
    levels = 1 + BLOCK // LANES + int(log2(LANES)) + ceil(log2(max(terms / BLOCK, 1)))
    return levels * 2.0**-24 + 2.0 ** -(float_format(kind).fraction + 1)


FUNCTION = Operator(
    name="prelu",
    api="aclnnPrelu",
    tensors=(TensorParam("self"), TensorParam("weight", view=PER_CHANNEL)),
    latex=r"""
        \text{out} = \begin{cases}
            \text{self} & \text{if } \text{self} > 0 \\
            \text{self} \cdot \text{weight}_c & \text{otherwise}
        \end{cases} \qquad c \text{ is the channel}
    """,
    formula=Formula.of(out),
    shapes=out_shapes,
    device=OnDevice(ALL_BUT_200I, ("PRelu",)),
    accuracy=rounded_once,
).declare()
OPERATOR = Operator(
    name="prelu_backward",
    api="aclnnPreluBackward",
    tensors=(TensorParam("grad_output"), *FUNCTION.tensors),
    outputs=("grad_input", "grad_weight"),
    latex=r"""
        \begin{aligned}
            \text{grad_input} &= \begin{cases}
                \text{grad_output} & \text{if } \text{self} > 0 \\
                \text{grad_output} \cdot \text{weight} & \text{otherwise}
            \end{cases} \\
            \text{grad_weight}_c &= \sum_{\text{channel } c, \;
                \text{self} \not> 0} \text{grad_output} \cdot \text{self}
        \end{aligned}
    """,
    formula=Formula.of(grad_input),
    reduction=Reduction(Formula.of(weight_term, factors=weight_factors), accuracy=sum_accuracy),
    shapes=grad_shapes,
    # the first kernel stores the terms in self's type, the second adds them up
    device=OnDevice(TRAINING_A2_A3, ("PReluGradUpdate", "PReluGradReduce")),
    same_type=True,
    accuracy=rounded_once,
    forward=Forward(
        "prelu", out, "``x`` where it is positive, else ``x`` times the weight of its channel"
    ),
    torch=TorchOperator("_prelu_kernel_backward", out=None),
    # a datum meets its own bits as the weight: both signs together are every weight
    settings=({"weight": "self"}, {"weight": "-self"}),
).declare()


@documented(FUNCTION)
def prelu(
    self: ArrayT,
    weight: ArrayT,
    *,
    out: ArrayT | None = None,
    compute_dtype: DTypeLike | None = None,
) -> ArrayT:
    """Return PReLU: ``self`` where it is positive, else ``self`` times the weight of its channel.

    Parameters
    ----------
    self : array
        Axis 1 is the channel; with rank 0 or 1 there is one channel.
    weight : array
        One element, or one per channel in C order, in any shape.

    Returns
    -------
    array of the shape of ``self`` and the promoted type

    Notes
    -----
    Formula: aclnnPrelu. It selects: where the input is positive, the weight has no effect, even if
    it is infinite or NaN. Correctly rounded.

    Examples
    --------
    >>> x = np.array([[-1, 2], [3, -4]], np.float32)
    >>> ar.prelu(x, np.array([0.25, 0.5], np.float32))
    array([[-0.25,  2.  ],
           [ 3.  , -2.  ]], dtype=float32)
    """
    return array_call(FUNCTION, (self, weight), (), out, compute_dtype)


@documented(OPERATOR)
def prelu_backward(
    grad_output: ArrayT,
    self: ArrayT,
    weight: ArrayT,
    *,
    out: tuple[ArrayT, ArrayT] | None = None,
    compute_dtype: DTypeLike | None = None,
) -> tuple[ArrayT, ArrayT]:
    """Return the gradients of PReLU with respect to its input and its weight.

    ``grad_input`` is ``grad_output`` where ``self > 0``, else ``grad_output * weight``;
    ``grad_weight`` is the sum of ``grad_output * self`` where ``self`` is not above 0, over all
    axes except the channel axis.

    Parameters
    ----------
    grad_output, self, weight : array, of one type
        ``grad_output`` broadcasts to the shape of ``self``; the others as for `prelu`.

    Returns
    -------
    grad_input : array of the shape and type of ``self``, as its ``out`` must be
        Channels-last images stay channels-last.
    grad_weight : array of the same type, as its ``out`` must be
        It has ``weight``'s shape if that has one element, else shape ``(channels,)``. All zeros if
        ``self`` is empty.

    Notes
    -----
    Formula: aclnnPreluBackward. The sum is rounded once at the end. Its summation tree depends only
    on the number of terms, so the bits are the same for any number of threads.

    ``grad_input`` is correctly rounded. In F32 arithmetic, the error of a sum of n terms is at most
    ``69 + ceil(log2(n / 1024))`` times 2**-24 of the sum of their magnitudes, and half an ulp for
    its last rounding. That holds as long as every product is 0 or a normal float32 and no sum of
    products overflows: a product that overflows makes the sum infinite or NaN, and one that
    underflows is lost. In F64 arithmetic sums are correctly rounded, even if terms cancel.

    Examples
    --------
    >>> x = np.array([[-1, 2], [3, -4]], np.float32)
    >>> ar.prelu_backward(np.ones_like(x), x, np.array([0.25, 0.5], np.float32))
    (array([[0.25, 1.  ],
           [1.  , 0.5 ]], dtype=float32), array([-1., -4.], dtype=float32))
    """
    return array_call(OPERATOR, (grad_output, self, weight), (), out, compute_dtype)


def prelu_partial(
    grad_output: ArrayT,
    self: ArrayT,
    weight: ArrayT,
    *,
    first: int | None = None,
    compute_dtype: DTypeLike | None = None,
) -> tuple[ArrayT, Partial]:
    """Return what `prelu_backward` returns for a part of the data, with a sum that can be merged.

    For data that are spread over processes or machines. Merging the sums of all parts and rounding
    the total gives the same bits as one `prelu_backward` of all the data.

    Parameters
    ----------
    grad_output, self, weight : array
        As for `prelu_backward`. Number the terms of each channel in C order over all axes except
        the channel axis: with images of h × w elements, element ``[n, c, i, j]`` is term ``(n * h +
        i) * w + j`` of channel c. A part must hold consecutive terms of each of its channels, for
        example some of the images, with all channels or some of them.
    first : int, optional
        Number of the part's first term. Partial sums then take the least memory and merge in any
        order. With None, the default, the part follows the parts that it is merged into.
    compute_dtype : optional; see the common rules of array functions
        With "float64" the sums are exact until they are rounded.

    Returns
    -------
    grad_input : array
        The gradient of the part, as `prelu_backward` returns it.
    partial : Partial
        The sums of the part.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        If ``first`` is negative or not an integer; or, except in F64 arithmetic, if it is not a
        multiple of 1024: the summation tree adds blocks of 1024 terms, and a part must begin at the
        start of a block.

    Notes
    -----
    The operator is aclnnPreluBackward. Where the data cannot be cut at multiples of 1024 terms, use
    ``compute_dtype="float64"``: it allows any cut, and its sums are correctly rounded.

    Without ``first``, a partial sum holds one number per channel for every 1024 terms; with it, at
    most two per channel for each doubling of the number of terms. An exact sum takes up to 800
    bytes per channel, 500 for F32 data.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(32, 3, 16, 16)).astype(np.float32)
    >>> g, w = x[::-1], np.full(3, 0.25, np.float32)
    >>> parts = [ar.prelu_partial(g[k : k + 8], x[k : k + 8], w)[1] for k in (0, 8, 16, 24)]
    >>> whole = parts[0].merge(*parts[1:]).round()
    >>> np.array_equal(whole, ar.prelu_backward(g, x, w)[1])
    True
    """
    return partial_call(OPERATOR, (grad_output, self, weight), (), first, compute_dtype)
