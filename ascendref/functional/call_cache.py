"""The cache of checked calls: a call like an earlier one skips the full check.

A full check takes twenty times as long as a kernel on a few elements. So a call that passed it
leaves a *run*: a function that computes the result or, if the arrays differ, does nothing and
returns None. Scalars may differ. They select the *form* of a call: how a reduction reduces its
terms, and a formula that was written for them (`Formula.variant`); each form has a run. The kernels
of contiguous operands read scalars themselves where numbers in a range are known to select one form
(`Operator.range_of`): a new scalar then costs what the last one did.

The kernels that `bind`, `like` and `dense` return read the headers of Python objects in compiled
code. They reject all but plain ``ndarray`` objects of the expected element type and layout, and
outputs that are read-only or overlap another operand.

The operator's most recent cached call is tried first, then a table: for contiguous arrays of any
shape, by operator, compute type and element types; for other arrays and for views of tensors, by
shapes and strides as well. These calls are cached at their second occurrence, once the kernel has
its strided loop; the first ones copy (`Kernel.copies_first`), because compiling that loop may take
longer. In-place and empty results are never cached, nor are arrays of libraries but torch
(``torch_calls.py``).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy import empty, empty_like, ndarray
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..core.errors import ArgumentValueError
from ..core.packing import ScalarRange, pack_floats
from ..declaration.operator import Operator

if TYPE_CHECKING:  # at run time these imports would load Numba before the first call
    from ..kernels.loops.array_kernels import Origin
    from ..kernels.loops.elementwise import ElementwiseKernel
    from ..kernels.loops.reduction_kernel import ReductionKernel


class ArrayCall(NamedTuple):
    """The arguments of a call of an array function, unchecked."""

    operator: Operator
    tensors: tuple[Any, ...]
    scalars: tuple[Any, ...]
    out: Any
    compute_dtype: Any


#: ``run(tensors, numbers, out)`` with the scalars as float64 in memory; returns the result, or does
#: nothing and returns None if the arrays are others than it is for
Run = Callable[[tuple[Any, ...], bytes, Any], Any]

#: the same with the scalars of the call; returns None as well if these are others than it is for
Direct = Callable[[tuple[Any, ...], tuple[Any, ...], Any], Any]

#: operator, compute type, element types; and layouts, if a run depends on them
Key = tuple[Any, ...]


class Computed(NamedTuple):
    """What a call was computed with."""

    #: values of the scalars
    values: tuple[float, ...]
    #: compute type
    compute: str
    #: for each part of an elementwise result, or for a reduction
    kernels: tuple[Any, ...]
    #: the tensors, then the results
    arrays: tuple[NDArray[Any], ...]
    #: whether a result is the same view as a tensor
    in_place: bool


#: returns the key of a call and what runs it, given the key for contiguous arrays
RunMaker = Callable[[Key, ArrayCall, Computed], tuple[Key, Run | None, Direct | None] | None]

#: types of scalars that are read without the full check
_PLAIN: Final = frozenset({float, int, np.float16, np.float32, np.float64, np.int32, np.int64})


class CachedCall:
    """Calls that passed the full check and differ only in their scalars.

    ``compute`` is their ``compute_dtype``, to be compared by identity; ``types`` are the compute
    type and the type to which the formula's value is rounded.
    """

    def __init__(self, call: ArrayCall, types: tuple[str, str]) -> None:
        self.compute, self._types = call.compute_dtype, types
        self._reduction, self._variant = call.operator.reduction, call.operator.formula.variant
        self._viewed = call.operator.is_viewed
        params = [*enumerate(call.operator.scalars)]
        #: place of a scalar -> the numbers of its choices, by name and by number
        self._choices = [(k, _numbers(p.choices)) for k, p in params if p.choices]
        self._plain = _PLAIN | {str} if self._choices else _PLAIN
        self._limits = [(k, p.least) for k, p in params if p.least is not None]
        self._flags = {k for k, p in params if p.is_flag}
        if self._flags:
            self._plain |= {bool}
        self._check = call.operator.check_scalars
        #: whether any numbers are allowed and select the same form
        self._alike = not (self._choices or self._limits or self._flags or self._check)
        self._alike &= not (self._reduction or self._viewed or self._variant)
        numbers = struct.Struct(f"{len(params)}d")
        self._pack, self._unpack = numbers.pack, numbers.unpack
        self._runs: dict[object, tuple[Run, Direct | None]] = {}
        #: the most recent scalars, the same in memory, and what runs with them
        self.latest: tuple[tuple[Any, ...], bytes, Run]
        #: what to try first
        self.direct: Direct | None

    def add(self, values: tuple[float, ...], run: Run, direct: Direct | None) -> None:
        """Add what runs with these scalars."""
        self._runs[self._form(values)] = run, direct
        self.direct = direct
        # no argument is a new object
        self.latest = (object(),) * len(values), b"", run

    def find(self, scalars: tuple[Any, ...]) -> tuple[bytes, Run]:
        """Return scalars in memory and what runs with them.

        That does nothing if a scalar is not plain or not allowed, or if they select a new form.
        """
        if not self._plain.issuperset(map(type, scalars)):
            return _MISS
        if self._flags and any(
            [x not in (0, 1) if k in self._flags else x is True or x is False
             for k, x in enumerate(scalars)]
        ):  # fmt: skip
            return _MISS
        floats = scalars
        if self._choices:
            chosen = [*scalars]
            for place, numbers_of in self._choices:
                chosen[place] = numbers_of.get(chosen[place])
            floats = tuple(chosen)
        try:
            numbers = self._pack(*floats)
        except (OverflowError, struct.error):  # not a choice, or an integer beyond all doubles
            return _MISS
        if self._alike:
            only = self.latest[2]
            self.latest = scalars, numbers, only
            return numbers, only
        values = self._unpack(numbers)
        for place, least in self._limits:
            if not values[place] >= least:
                return _MISS
        if self._check is not None:
            try:
                self._check(*values)
            except ArgumentValueError:
                return _MISS
        found = self._runs.get(self._form(values))
        if found is None:
            return _MISS
        run, self.direct = found
        self.latest = scalars, numbers, run
        return numbers, run

    def _form(self, values: tuple[float, ...]) -> object:
        """Return what the scalars select: how terms are reduced, the views, or the formula."""
        if self._reduction is not None and (mode := self._reduction.mode(values)) != "none":
            return mode
        if self._viewed:
            return values
        return self._variant and self._variant(*self._types, *values)


def _numbers(choices: dict[str, int]) -> dict[object, int]:
    """Return numbers of choices by name and by number; calls with "batchmean" are never cached."""
    numbers = {name: number for name, number in choices.items() if name != "batchmean"}
    return dict([*numbers.items(), *[(number, number) for number in numbers.values()]])


def _miss(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
    """A cache miss: run the full check."""
    return None


_MISS: Final[tuple[bytes, Run]] = b"", _miss

#: operator -> its most recent cached call
LAST_USED: Final[dict[Operator, CachedCall]] = {}
#: None for layouts that occurred once
_CACHED_CALLS: Final[dict[tuple[Any, ...], CachedCall | None]] = {}
#: keys may contain shapes, so the number of entries must be limited
_CACHE_LIMIT: Final = 4096
#: types of compute types that a key may contain; ``torch_calls.py`` adds to both
KEY_TYPES: Final[set[type]] = {str, type(None)}
#: array type that cached calls take -> what makes a run
RUN_MAKERS: Final[dict[type, RunMaker]] = {}


def run_cached(
    operator: Operator,
    tensors: tuple[Any, ...],
    scalars: tuple[Any, ...],
    out: Any,
    compute_dtype: Any,
) -> Any:
    """Run the matching cached call and return its result; None if there is none."""
    key = call_key(operator, tensors, compute_dtype)
    if key is None:
        return None
    keys = [key]
    if type(tensors[0]) is ndarray:
        keys.append((*key, *_layouts(tensors, out)))
    for key in keys:
        cached = _CACHED_CALLS.get(key)
        if cached is not None:
            numbers, run = cached.find(scalars)
            result = run(tensors, numbers, out)
            if result is not None:
                LAST_USED[operator] = cached
                return result
    return None


class ViewedPart(NamedTuple):
    """A part of a result that is computed from views of tensors."""

    kernel: ElementwiseKernel
    #: the views and the part, and their places in the tensors and the result
    operands: tuple[NDArray[Any], ...]
    places: tuple[Origin, ...]
    #: what the formula takes as scalars, as float64 in memory
    numbers: bytes


def viewed_parts(operator: Operator, computed: Computed) -> list[ViewedPart]:
    """Return the parts of a result; none if views are copies or loops are missing.

    A strided loop is compiled once calls without it have taken long enough (`Kernel.copies_first`).
    """
    from ..kernels.loops.array_kernels import Origin  # this would load Numba before the first call

    values, kernels, arrays = computed.values, computed.kernels, computed.arrays
    *tensors, result = arrays
    views = operator.operands(tuple(tensors), values)
    sources = operator.each_operand(range(len(tensors)))
    if not all([np.may_share_memory(x, arrays[k]) for x, k in zip(views, sources, strict=True)]):
        return []
    parts = []
    groups = operator.grouped_parts(result, values, [kernel.results for kernel in kernels])
    for kernel, (found, numbers) in zip(kernels, groups, strict=True):
        operands = (*views, *found)
        dense = kernel.layout(operands, False) == "dense"
        if not (kernel.has_strided_loop or (dense and not kernel.copies_first(result.size))):
            return []
        places = [
            Origin(k, operand.ctypes.data - arrays[k].ctypes.data)
            for operand, k in zip(operands, (*sources, *[len(tensors)] * len(found)), strict=True)
        ]
        parts.append(ViewedPart(kernel, operands, tuple(places), pack_floats(*numbers)))
    return parts


def remember(call: ArrayCall, computed: Computed) -> None:
    """Cache a call that passed the full check, if it can be cached."""
    key = call_key(call.operator, call.tensors, call.compute_dtype)
    if key is None:
        return
    made = RUN_MAKERS[type(call.tensors[0])](key, call, computed)
    if made is None:
        return
    key, run, direct = made
    cached = None
    if run is not None:
        types = computed.compute, computed.kernels[0].result.name
        cached = _CACHED_CALLS.get(key) or CachedCall(call, types)
        cached.add(computed.values, run, direct)
        LAST_USED[call.operator] = cached
    if len(_CACHED_CALLS) >= _CACHE_LIMIT:
        _CACHED_CALLS.clear()
    _CACHED_CALLS[key] = cached


def call_key(operator: Operator, tensors: tuple[Any, ...], compute_dtype: Any) -> Key | None:
    """Return the key for calls on contiguous arrays; None if the call is never cached."""
    kinds = {*map(type, tensors)}
    if len(kinds) == 1 and kinds <= RUN_MAKERS.keys() and type(compute_dtype) in KEY_TYPES:
        return (operator, compute_dtype, *[tensor.dtype for tensor in tensors])
    return None


def _layouts(tensors: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    """Return what the key for calls on other arrays contains in addition."""
    return (
        *[(tensor.shape, tensor.strides) for tensor in tensors],
        (out.shape, out.strides) if type(out) is ndarray else None,
    )


def scalar_ranges(call: ArrayCall, values: tuple[float, ...]) -> tuple[ScalarRange, ...] | None:
    """Return the arguments that select one form with these values; None if they are not known."""
    ranges = []
    for param, scalar, value in zip(call.operator.scalars, call.scalars, values, strict=True):
        limits = call.operator.range_of(param, value)
        if limits is None:
            return None
        # objects that always have the same value; compiled code reads integers
        kinds = {bool} if param.is_flag else _PLAIN - {int} if param.choices is None else {str, int}
        known = scalar if type(scalar) in kinds else None
        ranges.append(ScalarRange(known, value, *limits))
    return tuple(ranges)


def _make_run(
    key: Key, call: ArrayCall, computed: Computed
) -> tuple[Key, Run | None, Direct | None] | None:
    """Return the key of a call on NumPy arrays, with layouts if it depends on these, and its run.

    The run is None if such a call must occur again first; all is None if it is never cached.
    """
    (kernel, *_), values, in_place = computed.kernels, computed.values, computed.in_place
    arrays, result = computed.arrays, computed.arrays[len(call.tensors)]
    if type(result) is not ndarray or not result.size:
        return None
    viewed, reduces = call.operator.is_viewed, call.operator.mode(values) != "none"
    if reduces and kernel.are_contiguous(arrays, in_place):
        return key, _reduction(kernel, result.dtype), None
    if not (viewed or reduces) and kernel.layout(arrays, in_place) == "dense":
        run, ranges = _elementwise(kernel.bind(), result.dtype, None), scalar_ranges(call, values)
        if ranges is None:
            return key, run, None
        return key, run, _elementwise(kernel.bind(ranges), result.dtype, None)
    if in_place or not (call.out is None or type(call.out) is ndarray):
        return None
    key = (*key, *_layouts(call.tensors, call.out))
    if reduces:
        makers = [_maker(array) for array in arrays[len(call.tensors) :]]
        again = key in _CACHED_CALLS
        return key, _laid_out(kernel.like(arrays), makers) if again else None, None
    parts = viewed_parts(call.operator, computed) if viewed else []
    if key not in _CACHED_CALLS or not (parts or (not viewed and kernel.has_strided_loop)):
        return key, None, None
    if not viewed:
        return key, _elementwise(kernel.like(arrays), result.dtype, _maker(result)), None
    bound = [(p.kernel.like(p.operands, arrays, p.places), p.numbers) for p in parts]
    return key, _viewed(bound, _maker(result)), None


RUN_MAKERS[ndarray] = _make_run


def _maker(result: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    """Return a function that makes arrays with the memory layout of a result."""
    if result.flags.c_contiguous:
        return partial(empty, result.shape, result.dtype)
    # a template that takes the memory of one element
    one = empty((), result.dtype)
    return partial(empty_like, as_strided(one, result.shape, result.strides))


def _elementwise(
    kernel: Callable[[int, int, int], int], dtype: np.dtype[Any], make: Callable[[], Any] | None
) -> Callable[[tuple[Any, ...], object, Any], Any]:
    """Return what runs a bound kernel; ``make`` is None for results like the first tensor."""

    def run(tensors: tuple[Any, ...], numbers: object, out: Any) -> Any:
        if out is None:
            if type(tensors[0]) is not ndarray:
                return None
            out = empty(tensors[0].shape, dtype) if make is None else make()
        return out if kernel(id(tensors), id(out), id(numbers)) >= 0 else None

    return run


def _viewed(
    kernels: list[tuple[Callable[[int, int, int], int], bytes]], make: Callable[[], Any]
) -> Run:
    """Return what runs the bound kernel of each part of a result with its scalars."""

    def run(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
        if out is None:
            out = make()
        for kernel, scalars in kernels:
            if kernel(id(tensors), id(out), id(scalars)) < 0:
                return None
        return out

    return run


def _laid_out(
    compute: Callable[[tuple[Any, ...], bytes], bool], makers: list[Callable[[], Any]]
) -> Run:
    """Return what runs a reduction of arrays with a layout that is known."""

    def run(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
        if out is not None and len(makers) > 1:
            return None
        outs = tuple([make() for make in makers]) if out is None else (out,)
        if not compute((*tensors, *outs), numbers):
            return None
        return outs[0] if len(outs) == 1 else outs

    return run


def _reduction(kernel: ReductionKernel, dtype: np.dtype[Any]) -> Run:
    """Return what runs a reduction, whose weight has rank 1 if there are channels."""
    weighted, alone = kernel.weighted, kernel.element is None

    def run(tensors: tuple[Any, ...], numbers: bytes, out: Any) -> Any:
        first, weight = tensors[0], tensors[-1]
        if type(first) is not ndarray or type(weight) is not ndarray or not first.size:
            return None
        shape = first.shape
        count = weight.size if weighted else 1
        if count != 1 and (len(shape) < 2 or shape[1] != count):
            return None
        outs: tuple[Any, ...]
        if alone:
            # the kernel, which writes one element, takes any array of rank 0 or 1
            if out is not None and (type(out) is not ndarray or out.ndim):
                return None
            outs = (empty((), dtype) if out is None else out,)
        elif out is None:
            outs = empty(shape, dtype), empty(count, dtype)
        elif type(out) is tuple and len(out) == 2:
            outs = out
        else:
            return None
        if not kernel.dense((*tensors, *outs), numbers):
            return None
        return outs[0] if alone else outs

    return run
