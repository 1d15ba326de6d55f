"""The same bits on every machine: digests of a table of results, compared with the stored ones.

``python -m tests.portability`` computes every row of the table on this machine and names those
whose digest is not the one in ``portability.json``; exit status 1 means that there are some. Data
are made of integers alone, so that no library's mathematics or random numbers are between them and
the results. A NaN counts as a NaN, whatever its sign and payload. The table needs nothing but what
the package itself needs: it runs on an emulated machine, too.
"""

import argparse
import json
import platform
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

import ascendref as ar

from .support.calls import call
from .support.cases import BROADCASTING, LAUNCHED, SCALARS, SUMMING, whole_shapes
from .support.daily import todays
from .support.programs import without_copies
from .support.rounding import FORMATS, bits_of, digest
from .support.two_phase import place, plain, queue

#: the digests, by row
STORED: Final = Path(__file__).with_name("portability.json")
KINDS: Final = tuple(FORMATS)

TENSORS: Final = {name: len(operator.tensors) for name, operator in ar.OPERATORS.items()}
#: number of tensors -> their shapes in the layout "broadcast"
BROADCAST: Final = {
    2: [(5, 1, 37), (33, 1)],
    3: [(37,), (5, 33, 1), (33, 37)],
    4: [(37,), (5, 33, 1), (33, 37), (5, 1, 1)],
}

#: the product on whose device the rows of the two-phase API are computed
PRODUCT: Final = ar.Product.find("Atlas A2")

#: layout -> shape; threads share the work of the parallel ones, and non-temporal stores begin at
#: 16 MiB of results
SHAPES: Final = {
    "dense": (3, 7, 37),
    "transposed": (5, 33, 37),
    "reversed": (5, 33, 37),
    "broadcast": (5, 33, 37),
    "parallel": (40, 16, 129),
    "parallel, transposed": (40, 33, 65),
    "streamed": (9, 1024, 1024),
}
#: operators with rows for layouts, mixed types and the device; the formulas of others are computed
#: on dense arrays of one type
LAID_OUT: Final = dict.fromkeys((*LAUNCHED, "softplus_backward", "logit_grad"))


class Row(NamedTuple):
    """One row of the table."""

    operator: str
    kinds: tuple[str, ...]
    layout: str = "dense"
    compute: str | None = None
    out: str | None = None
    #: whether the two-phase API computes it
    two_phase: bool = False

    def __str__(self) -> str:
        kinds = self.kinds[:1] if len(set(self.kinds)) == 1 else self.kinds
        parts = [self.operator, "+".join(kinds)]
        parts += [f"in {self.compute}"] if self.compute else []
        parts += [f"to {self.out}"] if self.out else []
        parts += [f"on {PRODUCT.name}"] if self.two_phase else []
        return ", ".join([" ".join(parts), self.layout])

    def arrays(self) -> Iterator[Any]:
        """Yield the results of a row."""
        if self.operator == "cast":
            assert self.out is not None
            modes = ("rint", "trunc", "floor", "ceil", "round", "odd")
            given = numbers(self.kinds[0], SHAPES[self.layout], 0)
            for mode in modes if self.out == "float16" else modes[:1]:
                yield ar.cast(given, self.out, mode)
            return
        tensors = self.tensors()
        scalars = SCALARS[self.operator]
        for given in scalars if self.layout == "dense" else scalars[:1]:
            if self.two_phase:
                yield from self.on_device(tensors, given)
                continue
            out = None
            if self.out is not None:
                _, shape = whole_shapes(self.operator, SHAPES[self.layout])
                out = np.empty(shape, FORMATS[self.out].dtype)
            yield from call(self.operator, *tensors, *given, out=out, compute_dtype=self.compute)

    def on_device(self, tensors: list[Any], scalars: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the results that the two-phase API gives, in tensors with the data's strides."""
        device = ar.Device(PRODUCT)
        inputs = [place(device, tensor) for tensor in tensors]
        # the first result is laid out like a tensor of its shape, grad_weight like the weight
        _, shape = whole_shapes(self.operator, SHAPES[self.layout])
        like = next((array for array in tensors if array.shape == shape), None)
        written = [np.zeros(shape, tensors[0].dtype) if like is None else np.zeros_like(like)]
        if self.operator in SUMMING:
            written.append(np.zeros_like(tensors[2]))
        results = [place(device, array) for array in written]
        queue(device, self.operator, *inputs, *plain(self.operator, scalars), *results)
        device.synchronize()
        for result in results:
            yield result.numpy()

    def tensors(self) -> list[Any]:
        """Return the tensors of a row."""
        shape = SHAPES[self.layout]
        sums, count = self.operator in SUMMING, TENSORS[self.operator]
        shapes, _ = whole_shapes(self.operator, shape)
        if self.layout == "broadcast":
            shapes = [(33, 1), *shapes[1:]] if sums else BROADCAST[count]
        found = []
        for seed, (kind, size) in enumerate(zip(self.kinds, shapes, strict=True)):
            array = numbers(kind, size, seed, tame=sums)
            if sums and size == shape:  # what is no number is in one channel's sum alone
                array[:, :1] = numbers(kind, (size[0], 1, size[2]), seed)
            if "transposed" in self.layout and array.ndim == 3 and seed != 1:
                array = np.ascontiguousarray(array.transpose(2, 0, 1)).transpose(1, 2, 0)
            elif self.layout == "reversed":
                array = np.ascontiguousarray(array[..., ::-1])[..., ::-1]
            found.append(array)
        return found


def table() -> list[Row]:
    rows = []
    for operator, count in TENSORS.items():
        same = [(kind,) * count for kind in KINDS]
        for kinds in same:
            default = "float64" if kinds[0] == "float64" else "float32"
            computed = [None, *(name for name in KINDS if name != default)]
            rows += [Row(operator, kinds, compute=compute) for compute in computed]
            if operator in LAID_OUT:
                rows += [Row(operator, kinds, layout) for layout in ("transposed", "parallel")]
        if operator not in LAID_OUT:
            continue
        for kind in ("bfloat16", "float32"):
            layouts = ["reversed", "parallel, transposed", "streamed"]
            if operator in BROADCASTING or operator in SUMMING:
                layouts.append("broadcast")
            rows += [Row(operator, (kind,) * count, layout) for layout in layouts]
        rows.append(Row(operator, ("float32",) * count, "parallel", "float64"))
    for operator in LAID_OUT:
        last = TENSORS[operator] - 1
        if not last or ar.OPERATORS[operator].same_type:
            continue
        for first, others, out in (
            ("float16", "bfloat16", None), ("bfloat16", "float32", "float16"),
            ("float64", "float16", "bfloat16"), ("float32", "float64", "float32"),
        ):  # fmt: skip
            rows.append(Row(operator, (first, *[others] * last), out=out))
    for kind in ("int64", "uint8", "bool"):
        rows.append(Row("softplus_backward", ("float16", kind)))
        rows.append(Row("softplus_backward", ("float32", kind), compute="float64"))
    rows += [Row("cast", (kind,), out=out) for kind in KINDS for out in KINDS if kind != out]
    for operator in LAID_OUT:
        params = ar.OPERATORS[operator].on(PRODUCT)
        assert params is not None
        rows += [
            Row(operator, (kind,) * TENSORS[operator], layout, two_phase=True)
            for kind in ("float16", "bfloat16", "float32")
            if all(kind in [allowed.name for allowed in param.types] for param in params)
            for layout in ("dense", "transposed")
        ]
    return rows


def quick() -> list[Row]:
    """Return the rows with default compute types on dense arrays, and one with others."""
    return [
        row
        for row in table()
        if row.compute is row.out is None and (row.layout == "dense" or row.kinds[0] == "float32")
    ]


def integers(shape: tuple[int, ...], seed: int) -> Any:
    """Return 64-bit numbers in which every bit is as good as random (splitmix64)."""
    count = int(np.prod(shape, dtype=np.int64))
    z = (np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed << 40)) * np.uint64(
        0x9E3779B97F4A7C15
    )
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).reshape(shape)


def numbers(kind: str, shape: tuple[int, ...], seed: int, *, tame: bool = False) -> Any:
    """Return numbers of a type: most between 2⁻⁹ and 2⁷, some of any bits, some special.

    Tame ones are all finite and between these limits.
    """
    z = integers(shape, seed)
    if kind == "bool":
        return z % np.uint64(2) == 1
    if kind not in FORMATS:
        return z.astype(kind)
    form = FORMATS[kind]
    fraction, raw = form.fraction, form.raw
    field = np.uint64(form.bias - 9) + ((z >> np.uint64(52)) & np.uint64(15))
    usual = (field << np.uint64(fraction)) | (z & np.uint64((1 << fraction) - 1))
    usual |= (z >> np.uint64(63)) * np.uint64(form.sign)
    if tame:
        return usual.astype(raw).view(form.dtype)
    one = form.bias << fraction
    top = form.infinity
    edges = [0, 1, (1 << fraction) - 1, 1 << fraction, one, one - 1, one + 1, one - (1 << fraction),
             top - 1, top, top + (1 << (fraction - 1))]  # fmt: skip
    edges += [edge | form.sign for edge in edges]
    which = (z >> np.uint64(8)) % np.uint64(64)
    bits = np.where(which < 4, (z >> np.uint64(16)).astype(raw).astype(np.uint64), usual)
    special = np.array(edges, np.uint64)[(z >> np.uint64(16)) % np.uint64(len(edges))]
    return np.where(which == 4, special, bits).astype(raw).view(form.dtype)


def canonical(array: Any) -> Any:
    """Return an array in which all NaN have the same bits."""
    form, bits = FORMATS[array.dtype.name], bits_of(array)
    magnitude = form.raw.type(form.sign - 1)
    nan = (bits & magnitude) > form.raw.type(form.infinity)
    return np.where(nan, magnitude, bits).view(form.dtype)


def digest_of(arrays: Iterable[Any]) -> str:
    """Return a digest of the types, shapes and bits of arrays, in which all NaN are the same."""
    return digest(map(canonical, arrays))


def stored() -> dict[str, str]:
    """Return the digests of the repository, by row."""
    operators = json.loads(STORED.read_text(encoding="utf-8"))
    return {
        f"{name} {row}": value for name, rows in operators.items() for row, value in rows.items()
    }


def store(digests: dict[str, str]) -> None:
    """Write the digests of all rows, an operator a line."""
    operators: dict[str, dict[str, str]] = {}
    for row in table():
        if (name := str(row)) in digests:
            _, _, rest = name.partition(" ")
            operators.setdefault(row.operator, {})[rest] = digests[name]
    lines = [f"{json.dumps(name)}: {json.dumps(rows)}" for name, rows in operators.items()]
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def fraction(text: str) -> tuple[int, int]:
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError
    return part, parts


def main(arguments: list[str] | None = None) -> int:
    """Compute rows, compare or write their digests; return the exit status."""
    without_copies()
    parser = argparse.ArgumentParser(prog="python -m tests.portability", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a quarter of the rows, with default compute types"
    )
    parser.add_argument(
        "--part",
        type=fraction,
        default=(1, 1),
        metavar="K/N",
        help="the K-th of N parts of the rows",
    )
    parser.add_argument(
        "--daily", action="store_true", help="a sixteenth of them, another one every day"
    )
    parser.add_argument("--write", action="store_true", help="store the digests of this machine")
    parser.add_argument("operators", nargs="*", help="the operators to compute; all by default")
    options = parser.parse_args(arguments)
    if unknown := set(options.operators) - {*TENSORS, "cast"}:
        parser.error(f"unknown operators: {', '.join(sorted(unknown))}")
    part, parts = options.part
    rows = quick() if options.quick else table()
    if options.operators:
        rows = [row for row in rows if row.operator in options.operators]
    rows = (todays(rows, 16) if options.daily else rows)[part - 1 :: parts]
    found = {}
    for row in rows:
        found[str(row)] = digest_of(row.arrays())
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {len(rows)}", end="\r", file=sys.stderr)
    wanted = stored()
    if options.write:
        store(wanted | found)
        return 0
    differing = [name for name, value in found.items() if wanted.get(name) != value]
    for name in differing:
        print(f"differs: {name}")
    print(f"{platform.machine()}: {len(found)} rows, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
