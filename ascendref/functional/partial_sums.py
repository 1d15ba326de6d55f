"""Sums per channel over a part of the data, to be merged into the sums of all data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array
from ..core.dtypes import BY_NUMPY, ROUNDED_ONCE, DTypeLike, floating_type
from ..core.errors import ArgumentTypeError, ArgumentValueError, shown
from ..declaration.fields import Mode
from ..declaration.operator import Operator, Shape
from ..kernels.arithmetic.exact_sum import ExactSum
from ..kernels.loops.reduction_plan import BLOCK
from .block_tree import BlockTree, Row
from .call import check_call, empty_outputs, export
from .call_cache import ArrayCall
from .casting import cast
from .kernels import of_no_terms, reduction_kernel


@dataclass(frozen=True, eq=False, repr=False)
class Partial:
    """Partial sums per channel, as returned by `prelu_partial`.

    The terms of a channel are numbered in C order over all axes except the channel axis. Merging
    all parts gives the same bits as one call on all the data. Objects are immutable and can be
    pickled.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the data.
    compute_dtype : str
        Type in which the sums are computed; with "float64" they are exact.
    shape : tuple of int
        Shape of the result of `round`.
    ranges : tuple of (int, int)
        Start and stop (exclusive) of each range of terms that has been added, in order.
    """

    dtype: np.dtype[Any]
    compute_dtype: str
    shape: Shape
    ranges: tuple[tuple[int, int], ...]
    #: whether the first term's position was given; otherwise it is 0 until a part before it is
    #: merged
    _placed: bool = field(repr=False)
    _sums: BlockTree | tuple[ExactSum, ...] = field(repr=False)
    #: how terms are reduced, "sum" or "mean"
    _mode: Mode = field(repr=False)

    @property
    def terms(self) -> int:
        """The number of terms of each channel that have been added."""
        return sum(stop - start for start, stop in self.ranges)

    def __repr__(self) -> str:
        ranges = ", ".join(f"{start} to {stop - 1}" for start, stop in self.ranges) or "none"
        return (
            f"<Partial of {self.dtype} in {self.compute_dtype}, shape {self.shape}, terms {ranges}>"
        )

    def merge(self, *others: Partial) -> Partial:
        """Return the sums of this part and other parts.

        Parameters
        ----------
        *others : Partial
            Parts with other terms of the same channels. Parts made with ``first`` may come in any
            order; a part made without it begins where the parts before it end.

        Returns
        -------
        Partial
            The merged sums.

        Raises
        ------
        ArgumentTypeError
            If one is not a `Partial`.
        ArgumentValueError
            If types, compute types or shapes differ, terms occur twice, or a part would begin
            inside a block of 1024 terms (allowed only with "float64").

        Examples
        --------
        >>> import numpy as np, ascendref as ar
        >>> x, w = -np.ones((2048, 3), np.float32), np.ones(3, np.float32)
        >>> parts = [ar.prelu_partial(x[k : k + 1024], x[k : k + 1024], w)[1] for k in (0, 1024)]
        >>> parts[0].merge(parts[1])
        <Partial of float32 in float32, shape (3,), terms 0 to 2047>
        """
        merged = self
        for number, other in enumerate(others):
            merged = merged._merged(f"others[{number}]", other)
        sums = merged._sums
        if merged._placed and isinstance(sums, BlockTree):
            merged = replace(merged, _sums=sums.added_up())
        return merged

    def round(self, dtype: DTypeLike | None = None) -> NDArray[Any]:
        """Return the sums, rounded once.

        Parameters
        ----------
        dtype : {None, "float16", "bfloat16", "float32", "float64"} or dtype, optional
            Type of the result, in any form that `cast` accepts; None for the type of the data.

        Returns
        -------
        ndarray
            One element per channel, or the weight's shape if that has one element.

        Raises
        ------
        ArgumentTypeError
            If the type is unknown.
        ArgumentValueError
            If terms before the last one are missing.

        Examples
        --------
        >>> import numpy as np, ascendref as ar
        >>> x = np.array([-1, -2, 3], np.float32)
        >>> ar.prelu_partial(x, x, x[:1])[1].round()
        array([5.], dtype=float32)
        """
        target = BY_NUMPY[self.dtype] if dtype is None else floating_type("dtype", dtype, "None, ")
        if not self.terms:
            return np.full(self.shape, of_no_terms(self._mode), target.numpy)
        if self.ranges[0][0] != 0 or len(self.ranges) > 1:
            missing = self.ranges[0][1] if self.ranges[0][0] == 0 else 0
            raise ArgumentValueError(
                "self", f"is {self!r}: term {missing} is missing; merge all parts before"
            )
        count = self.terms if self._mode == "mean" else 1
        if isinstance(self._sums, BlockTree):
            rounded = cast(self._sums.total(count), target.numpy)
        else:
            try:
                sums = [exact.rounded(target.name, count) for exact in self._sums]
            except ArithmeticError as error:
                raise ArgumentValueError(
                    "self", f"has {error}; call the function on all data at once"
                ) from error
            rounded = np.array(sums).astype(target.numpy)
        return rounded.reshape(self.shape)

    def _merged(self, argument: str, other: object) -> Partial:
        """Return the sums of this part and another one, without adding complete nodes yet."""
        if not isinstance(other, Partial):
            raise ArgumentTypeError(argument, f"is {shown(other)}; a Partial is expected")
        for name in ("dtype", "compute_dtype", "shape"):
            mine, its = getattr(self, name), getattr(other, name)
            if mine != its:
                raise ArgumentValueError(
                    argument, f"has {name} {its}; {mine}, as the part before it, is expected"
                )
        if not other.ranges:
            return self
        if not self.ranges:
            return other
        behind = self.ranges[-1][1]
        if not other._placed:
            other = other._behind(argument, behind)
        ranges = _union(argument, self.ranges, other.ranges)
        sums: BlockTree | tuple[ExactSum, ...]
        if isinstance(self._sums, BlockTree):
            assert isinstance(other._sums, BlockTree)
            for start, stop in ranges[:-1]:
                _check_border(argument, stop, f"terms {start} to {stop - 1} end")
            sums = self._sums.joined(other._sums)
        else:
            assert isinstance(other._sums, tuple)
            sums = tuple([a.plus(b) for a, b in zip(self._sums, other._sums, strict=True)])
        placed = self._placed or other._placed
        return replace(self, ranges=ranges, _placed=placed, _sums=sums)

    def _behind(self, argument: str, terms: int) -> Partial:
        """Return this part moved behind so many terms."""
        sums = self._sums
        if isinstance(sums, BlockTree):
            _check_border(argument, terms, "the parts before it end")
            sums = sums.behind(terms // BLOCK)
        ranges = tuple([(start + terms, stop + terms) for start, stop in self.ranges])
        return replace(self, ranges=ranges, _sums=sums)


def _check_border(argument: str, term: int, what: str) -> None:
    if term % BLOCK:
        raise ArgumentValueError(
            argument,
            f"does not line up: {what} before term {term}, inside a block of {BLOCK} terms;"
            f" cut the data at multiples of {BLOCK} terms, or use compute_dtype='float64'",
        )


def _union(
    argument: str, mine: tuple[tuple[int, int], ...], its: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Return all ranges in order, with adjacent ranges joined."""
    joined: list[tuple[int, int]] = []
    for start, stop in sorted((*mine, *its)):
        if joined and start < joined[-1][1]:
            raise ArgumentValueError(
                argument, f"has term {start}, which an earlier part already contains"
            )
        if joined and start == joined[-1][1]:
            joined[-1] = joined[-1][0], stop
        else:
            joined.append((start, stop))
    return tuple(joined)


def partial_call(
    operator: Operator,
    tensors: tuple[Array, ...],
    scalars: tuple[object, ...],
    first: int | None,
    compute_dtype: DTypeLike | None,
) -> tuple[Any, Partial]:
    """Call an operator with a reduction on a part of the data.

    ``first`` is the position of the part's first term among all terms of a channel; None if it
    follows from the order of merging. Return the elementwise result, if any, as the caller's kind
    of array, and the sums.
    """
    checked = check_call(ArrayCall(operator, tensors, scalars, None, compute_dtype))
    position = _position(first)
    *results, sums = empty_outputs(operator, checked)
    mode, compute = operator.mode(checked.values), checked.compute
    exact = compute in ROUNDED_ONCE
    if not exact:
        _check_border("first", position, "the part begins")
    kernel = reduction_kernel(operator, checked.types, checked.default, compute, mode)
    kept: Any = ()
    size = prod(checked.terms)
    if size:  # kernels do not take empty arrays
        kept = kernel.partial_sums((*checked.arrays, *results), checked.values)
    totals: BlockTree | tuple[ExactSum, ...]
    if exact:
        totals = tuple(kept) or (ExactSum(),) * sums.size
    else:
        totals = BlockTree(compute, (Row(0, position // BLOCK, kept),) if size else ())
        if first is not None:
            totals = totals.added_up()
    ranges = ((position, position + size // sums.size),) if size else ()
    partial = Partial(sums.dtype, compute, sums.shape, ranges, first is not None, totals, mode)
    return export(operator, checked.inputs, tuple(results)) if results else None, partial


def _position(first: Any) -> int:
    if first is None:
        return 0
    try:
        position = index(first)
    except Exception as error:  # a TypeError, or the object's own
        raise ArgumentTypeError(
            "first", f"is {shown(first)}; it must be None or an integer ≥ 0"
        ) from error
    if position < 0:
        raise ArgumentValueError("first", f"is {position}; it must be None or an integer ≥ 0")
    return position
