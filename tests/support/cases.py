"""The table of cases that operators are tested with: element types × layouts × compute types.

A row is cheap to run and costs a quarter of a second to compile, so the table is not a full
product: every compute type with contiguous arrays of one type. Layouts, mixtures of types and casts
of results are properties of the loops, not of formulas: all of them with the operators that stand
for their loops, a few layouts with the other operators.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import product
from math import inf, nan, prod
from typing import Any, NamedTuple

import numpy as np

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.declaration.shapes import broadcast_shapes
from ascendref.declaration.views import HALVES, PER_CHANNEL

from ..operators.entries import ENTRIES
from .rounding import FORMATS, array_of, compute_type

FLOATS = tuple(FORMATS)
#: compute types of floating-point data, apart from the exact one
COMPUTES = (*FLOATS, "float32-steps")

#: element type and compute type of the rows of sums, whose kernels take the longest to compile:
#: every default, every half precision of its own, and every compute type with float32 data
SUM_TYPES = [
    *((kind, None) for kind in FLOATS),
    ("float16", "float16"),
    ("bfloat16", "bfloat16"),
    ("bfloat16", "float64"),
    *(("float32", compute) for compute in ("float16", "bfloat16", "float64")),
    ("float64", "float32"),
    ("float32", "float32-steps"),
]

#: element type and compute type of rows that no run leaves out: the default arithmetic, one of half
#: precision, and correct rounding
USUAL_TYPES = (("float32", None), ("bfloat16", "bfloat16"), ("float32", "float64"))

#: operator -> names of its tensors
TENSORS = {
    name: tuple(tensor.name for tensor in operator.tensors)
    for name, operator in ar.OPERATORS.items()
}
#: operators that sum per channel of their second tensor, with the weight as their third
SUMMING = [name for name, operator in ar.OPERATORS.items() if operator.per_channel]
#: losses, which reduce their elements unless told otherwise
LOSSES = [n for n, operator in ar.OPERATORS.items() if operator.reduction and n not in SUMMING]
ELEMENTWISE = [name for name, operator in ar.OPERATORS.items() if not operator.reduction]
#: those whose tensors broadcast
BROADCASTING = [name for name in ELEMENTWISE if ar.OPERATORS[name].shapes is broadcast_shapes]
#: those whose tensors all have the shape of the result, or shapes that broadcast to it
ALIKE = [name for name in ELEMENTWISE if not ar.OPERATORS[name].is_viewed]
#: those with a tensor of two halves
HALVED = [n for n, op in ar.OPERATORS.items() if any(p.view is HALVES for p in op.tensors)]
#: operator -> the scalars with which every table calls it, the defaults first
SCALARS = {name: entry.scalars for name, entry in ENTRIES.items()}
#: the elementwise operators that stand for all of them, with two tensors and three; with others,
#: every layout is one of a loop over elements that the formula is a part of
ENGINES = ("hardshrink_backward", "smooth_l1_loss_backward")
#: an operator for each way in which kernels are launched: with so many tensors, with sums per
#: channel, with one of all, with the parts of tensors and of results
LAUNCHED = ("silu", *ENGINES, "prelu_backward", "binary_cross_entropy", "glu", "glu_backward")
#: a function of PyTorch and JAX for each way in which they are declared: with one tensor, with
#: scalars, with a gradient that takes the result, a loss of two tensors, one with weights as well,
#: with a weight per channel, with halves
DECLARED = ("silu", "softplus", "sigmoid", "smooth_l1_loss", "binary_cross_entropy", "prelu", "glu")


def whole_shapes(
    operator: str,
    shape: tuple[int, ...],
    weight: str = "per channel",
    scalars: tuple[Any, ...] | None = None,
) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """Return shapes of tensors and first result, of which views, or themselves, have a shape.

    ``weight`` is a key of ``WEIGHTS``. The scalars have the axis of halves; they are the first of
    the table unless given.
    """
    declared = ar.OPERATORS[operator]
    given = SCALARS[operator][0] if scalars is None else scalars
    axis = declared.axis(given) if declared.is_viewed else 1

    def whole(view: Any) -> tuple[int, ...]:
        if view is PER_CHANNEL:
            return WEIGHTS[weight](shape[1] if len(shape) > 1 else 1)
        return shape if view is None else view.whole(shape, axis)

    return [whole(param.view) for param in declared.tensors], whole(declared.result_view)


class Layout(NamedTuple):
    """How the arrays of a row lie in memory."""

    #: shape of the data and the results
    shape: tuple[int, ...]
    #: arrangement of the inputs, a key of ``ARRANGEMENTS``
    inputs: str = "contiguous"
    #: arrangement of the output; None where none is given
    out: str | None = None
    #: number of the input that is the output as well
    in_place: int | None = None
    #: shapes of the tensors that broadcast, as many as there are; of prelu's without the weight
    shapes: tuple[tuple[int, ...], ...] = ()
    #: whether the data is free of NaN, infinities and extreme numbers
    tame: bool = False


def _sliced(values: Any) -> Any:
    room = np.zeros([2 * size + 3 for size in values.shape], values.dtype)
    view = room[(..., *(slice(1, 1 + 2 * size, 2) for size in values.shape))]
    view[...] = values
    return view


def _reversed(values: Any) -> Any:
    back = (..., *[slice(None, None, -1)] * values.ndim)
    return values[back].copy()[back]


def _unaligned(values: Any) -> Any:
    room = np.zeros(values.nbytes + 1, np.uint8)
    view = room[1:].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


def _read_only(values: Any) -> Any:
    view = values.copy()
    view.flags.writeable = False
    return view


#: name -> function that lays an array out that way
ARRANGEMENTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": np.ndarray.copy,
    "transposed": lambda values: values.T.copy().T,
    "swapped": lambda values: values.swapaxes(0, 1).copy().swapaxes(0, 1),
    "sliced": _sliced,
    "reversed": _reversed,
    "unaligned": _unaligned,
    "repeated": lambda values: np.broadcast_to(values[:1].copy(), values.shape),
    "read-only": _read_only,
}

_BROADCAST = ((20, 1), (3, 20, 70), (70,), (3, 1, 1))

LAYOUTS = {
    "crossed": Layout(()),  # every special value with every other one; see ``build``
    "transposed": Layout((5, 33, 37), "transposed"),
    "swapped": Layout((5, 33, 37), "swapped"),
    "sliced": Layout((5, 33, 37), "sliced"),
    "reversed": Layout((5, 33, 37), "reversed"),
    "unaligned": Layout((5, 33, 37), "unaligned"),
    "stride 0": Layout((4, 9, 31), "repeated"),
    "read-only": Layout((4, 9, 31), "read-only"),
    "rank 0": Layout(()),
    "rank 0, strided": Layout((), "sliced"),
    "rank 8": Layout((2, 3, 1, 5, 1, 2, 3, 2)),
    "rank 8, transposed": Layout((2, 3, 1, 5, 1, 2, 3, 2), "transposed", "reversed"),
    "empty": Layout((0,)),
    "empty inside": Layout((3, 4, 0, 2), "transposed", "sliced"),
    "no channels": Layout((3, 0, 2)),
    "broadcast": Layout((3, 20, 70), shapes=_BROADCAST),
    "broadcast, strided": Layout((3, 20, 70), "transposed", "sliced", shapes=_BROADCAST),
    "out": Layout((5, 33, 37), out="contiguous"),
    "out transposed": Layout((5, 33, 37), out="transposed"),
    "out sliced": Layout((5, 33, 37), "transposed", "sliced"),
    "out reversed": Layout((5, 33, 37), "swapped", "reversed"),
    "out unaligned": Layout((5, 33, 37), out="unaligned"),
    "in place 0": Layout((5, 33, 37), in_place=0),
    "in place 1": Layout((5, 33, 37), "transposed", in_place=1),
    "in place 1, sliced": Layout((5, 33, 37), "sliced", in_place=1),
    # sums of several blocks, with channels far apart and side by side
    "long": Layout((3, 5, 1100), tame=True),
    "long, strided": Layout((3, 5, 1100), "transposed", "swapped", tame=True),
    "channels last": Layout((2300, 40), tame=True),
    "many channels": Layout((700, 70, 3), "swapped", tame=True),
    "tame": Layout((9, 11, 13), "sliced", tame=True),
}
#: layouts for sums alone
SUMS = ("long", "long, strided", "channels last", "many channels", "tame")
#: layouts for operators that broadcast, and for operators of several tensors
BROADCASTS = ("broadcast", "broadcast, strided")
SECOND = ("in place 1", "in place 1, sliced")
#: layouts of operators that are not in ``ENGINES``
SOME = ("sliced", "stride 0", "out transposed", "in place 0", "empty", "rank 0", "rank 8")

#: shapes of prelu's weight: name -> shape for a number of channels
WEIGHTS = {
    "per channel": lambda channels: (channels,),
    "one": lambda channels: (1,),
    "rank 0": lambda channels: (),
    "rank 4": lambda channels: (1, channels, 1, 1),
}


class Case(NamedTuple):
    """One row of the table."""

    operator: str
    types: tuple[str, ...]
    layout: str = "crossed"
    compute: str | None = None
    #: element type of the given output; None for the one in which the tensors meet
    out: str | None = None
    #: for prelu, a key of ``WEIGHTS``
    weight: str = "per channel"

    def __str__(self) -> str:
        types = self.types[0] if len(set(self.types)) == 1 else "+".join(self.types)
        parts = [self.operator, types, self.layout]
        parts += [f"in {self.compute}"] if self.compute else []
        parts += [f"as {self.out}"] if self.out else []
        parts += [f"weight {self.weight}"] if self.weight != "per channel" else []
        return "-".join(parts).replace(" ", "_")


def _layouts(operator: str, kind: str) -> list[str]:
    """Return the layouts in which an operator is tried with tensors of a type."""
    several = len(TENSORS[operator]) > 1
    if operator not in (*ENGINES, *SUMMING):
        some = [*SOME, *SECOND] if operator in HALVED else SOME
        return [layout for layout in some if _fits(operator, layout)] if kind == "float32" else []
    if kind in ("float16", "float64"):
        return ["sliced", "out transposed", "in place 0", "unaligned"]
    return [
        layout for layout in LAYOUTS
        if layout != "crossed"
        and (operator in SUMMING or layout not in SUMS)
        and (operator not in ELEMENTWISE or operator in BROADCASTING or layout not in BROADCASTS)
        and (several or layout not in SECOND)
    ]  # fmt: skip


def _fits(operator: str, layout: str) -> bool:
    """Tell whether an operator takes the rank, and results in the place of a tensor."""
    declared, place = ar.OPERATORS[operator], LAYOUTS[layout].in_place
    if place is not None:
        params = declared.tensors
        return place < len(params) and params[place].view is declared.result_view
    return operator not in HALVED or bool(LAYOUTS[layout].shape)


def _values() -> list[Case]:
    """Return the rows with contiguous arrays."""
    rows: list[Case] = []
    for operator, names in TENSORS.items():
        same = [(kind,) * len(names) for kind in FLOATS]
        rows += [Case(operator, types) for types in same]
        rows += [
            Case(operator, types, compute=compute)
            for types, compute in product(same, COMPUTES)
            if compute != compute_type(types)
            and (operator not in SUMMING or (types[0], compute) in SUM_TYPES)
        ]
        last = ar.OPERATORS[operator].tensors[-1].types
        integers = [kind.name for kind in last if kind.name not in FLOATS]
        if ar.OPERATORS[operator].integers:  # results are integers, too
            same = [(kind,) * len(names) for kind in integers]
            rows += [Case(operator, types) for types in same]
            rows += [Case(operator, types, compute=c) for types, c in product(same, FLOATS)]
            continue
        rows += [Case(operator, types) for types in product(FLOATS, integers)]
        if "int64" in integers:
            rows += [
                Case(operator, ("float32", "int64"), compute=compute)
                for compute in ("float16", "bfloat16", "float64")
            ]
    for operator in ENGINES:
        count = len(TENSORS[operator]) - 1
        mixed = [(first, *[other] * count) for first, other in product(FLOATS, FLOATS)]
        if count > 1:
            mixed += [("float16", "float16", "bfloat16"), ("bfloat16", "bfloat16", "float64")]
        rows += [Case(operator, types) for types in mixed]
        rows += [
            Case(operator, (kind,) * (count + 1), out=out)
            for kind, out in product(FLOATS, FLOATS)
            if out != kind
        ]
        # a mixture rounds to its own type before it is cast
        mixed = [("float16", "float64"), ("bfloat16", "float16"), ("float32", "bfloat16")]
        rows += [
            Case(operator, (first, *[other] * count), "crossed", compute, out)
            for first, other in mixed
            for compute, out in (("float64", "bfloat16"), ("float16", "float32"))
        ]
    for operator in SUMMING:
        rows += [
            Case(operator, (kind,) * 3, "long", compute, weight=weight)
            for (kind, compute), weight in product(SUM_TYPES, ("one", "per channel"))
        ]
    return list(dict.fromkeys(rows))


def _placed() -> list[Case]:
    """Return the rows with arrays that lie in memory in other ways."""
    rows = [
        Case(operator, (kind,) * len(names), layout)
        for operator, names in TENSORS.items()
        for kind in FLOATS
        for layout in _layouts(operator, kind)
    ]
    rows += [
        Case(operator, (kind.name,) * len(names), layout)
        for operator, names in TENSORS.items()
        if ar.OPERATORS[operator].integers
        for kind in ar.OPERATORS[operator].tensors[0].types
        if not kind.floating
        for layout in (*SOME, "reversed", *(() if kind.numpy.itemsize == 1 else ("unaligned",)))
    ]
    rows += [
        Case("softplus_backward", ("float16", kind), layout)
        for kind, layout in product(("int64", "bool"), ("sliced", "reversed"))
    ]
    rows += [
        Case(operator, ("float32",) * 3, layout, weight=weight)
        for operator in SUMMING
        for layout, weight in product(("rank 8", *SUMS), WEIGHTS)
        if weight != "per channel"
    ]
    return rows


VALUES = _values()
PLACED = _placed()
CASES = [*VALUES, *PLACED]


def special_values(kind: str) -> Any:
    """Return the special values of an element type: edges, thresholds, ties, subnormals."""
    if kind == "bool":
        return np.array([False, True])
    if kind not in FORMATS:
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        wanted = [0, 1, -1, 2, 5, 20, 21, -40, 89, -104, low, low + 1, high, high - 1]
        # ties and near ties of float16, bfloat16, float32 and float64
        wanted += [2049, 257, 259, 2**24 + 1, 2**24 + 3, 2**53 + 1, 2**54 + 2**46 + 1]
        wanted += [2**62 + 2**54, 2**62 + 2**54 + 1, -(2**62) - 2**54 - 1]
        return np.array([value for value in wanted if low <= value <= high], kind)
    form = FORMATS[kind]
    u = 2.0**-form.fraction
    top = 2.0**form.bias
    tiny = 2.0 ** (1 - form.bias)
    values = [0.0, 0.5, 0.5 + u, 0.5 - u / 2, 1.0, 1 + u, 1 - u / 2, 2.0]
    values += [20.0, 20 * (1 + u), 19.875]
    values += [0.1, 0.25, 0.3, 0.9, 0.99, 3.7, 11.0, 17.4, 88.0, 89.5, 104.0, 1000.0]
    values += [tiny, tiny * u, 3 * tiny * u, tiny * (1 - u), 2.0**-126, 2.0**-133, 2.0**-149]
    values += [top, top * (2 - u), 65504.0, 65519.0, 65520.0]
    # ties of the narrower types, and their neighbours
    values += [1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, 1 + 2.0**-8 + 2.0**-23]
    values += [1 + 2.0**-24, 1 + 2.0**-8 + 2.0**-40, 2.0**-25, 2.0**-25 + 2.0**-47, inf]
    with np.errstate(over="ignore"):
        return array_of(kind, np.array([nan, *values, *(-value for value in values)]))


def numbers(kind: str, shape: tuple[int, ...], seed: int, *, tame: bool = False) -> Any:
    """Return reproducible data of a type: special values among random ones, or none of them."""
    return _numbers(kind, shape, seed, tame).copy()


@lru_cache(64)
def _numbers(kind: str, shape: tuple[int, ...], seed: int, tame: bool) -> Any:
    rng = np.random.default_rng([seed, sum(shape), prod(shape)])
    if kind not in FORMATS:
        return rng.choice(special_values(kind), shape)
    plain = rng.standard_normal(shape)
    if tame:
        return array_of(kind, plain)
    wide = rng.uniform(-1, 1, shape) * 2.0 ** rng.integers(-30, 30, shape)
    which = rng.integers(0, 4, shape)
    values = np.choose(np.minimum(which, 2), [plain, wide, rng.uniform(0, 1, shape)])
    return np.where(which == 3, rng.choice(special_values(kind), shape), array_of(kind, values))


def crossed(types: tuple[str, ...]) -> list[Any]:
    """Return arrays in which every special value of the first type meets all of the second's."""
    first = special_values(types[0])
    if len(types) == 1:
        return [first]
    second = special_values(types[1])
    shape = (len(second), len(first))
    arrays = [np.broadcast_to(first, shape).copy(), np.broadcast_to(second[:, None], shape).copy()]
    row, column = np.indices(shape)
    for place, kind in enumerate(types[2:], 3):
        values = special_values(kind)
        arrays.append(values[(place * row + (place + 2) * column) % len(values)])
    return arrays


def _contiguous(case: Case) -> tuple[list[Any], tuple[int, ...]]:
    """Return contiguous tensors of a row, and the shape of its first result."""
    declared, layout = ar.OPERATORS[case.operator], LAYOUTS[case.layout]
    sums = case.operator in SUMMING
    if case.layout != "crossed":
        shapes, result = whole_shapes(case.operator, layout.shape, case.weight)
        if layout.shapes and len(shapes) > 1:
            shapes = [*layout.shapes[: len(shapes) - sums], *shapes[len(shapes) - sums :]]
        arrays = [
            numbers(kind, size, seed, tame=layout.tame)
            for seed, (kind, size) in enumerate(zip(case.types, shapes, strict=True))
        ]
        return arrays, result
    operands = crossed(declared.each_operand(case.types))
    shape = operands[0].shape
    if sums:  # the weight has an element for each channel
        (channels,) = WEIGHTS[case.weight](shape[1])
        return [*operands[:2], numbers(case.types[2], (channels,), 2)], shape
    if any(param.view is PER_CHANNEL for param in declared.tensors):  # every element is one
        shape = (1, operands[0].size)
    arrays = [operand.reshape(shape) for operand in operands]
    if declared.is_viewed:
        arrays = list(declared.joined(np, arrays, SCALARS[case.operator][0]))
    return arrays, whole_shapes(case.operator, shape)[1]


def build(case: Case) -> tuple[list[Any], Any]:
    """Return the tensors of a row, and its output or None."""
    layout, sums = LAYOUTS[case.layout], case.operator in SUMMING
    arrays, result = _contiguous(case)
    tensors = []
    # some arrangements need an axis, or two, that rank 0 and prelu's weight do not have
    needs = {"swapped": 2, "repeated": 1}.get(layout.inputs, 0)
    for param, array in zip(ar.OPERATORS[case.operator].tensors, arrays, strict=True):
        suits = array.ndim >= needs and not (param.view is PER_CHANNEL and needs)
        tensors.append(ARRANGEMENTS[layout.inputs](array) if suits else array.copy())
    kind = case.out or (None if layout.out is None else case.types[0])
    out: Any = None
    if layout.in_place is not None:
        out = tensors[layout.in_place]
        if sums:
            out = (out, tensors[2])  # the sums replace the weight
    elif kind is not None:
        place = ARRANGEMENTS[layout.out or "contiguous"]
        out = place(np.full(result, 77, ELEMENT_TYPES[kind].numpy))
        if sums:
            weight = arrays[2]
            totals = weight.shape if weight.size == 1 else (weight.size,)
            out = (out, _sliced(np.full(totals, 77, FORMATS[kind].dtype)))
    return tensors, out
