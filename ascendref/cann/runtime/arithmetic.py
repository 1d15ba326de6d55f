"""Functions of the C library that compute: reductions in copies, and random numbers."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import DataType
from ...core.products import Product
from ...device.device import Device
from ...device.memory.copies import Location, locate, prepare_copy
from ...device.streams.stream import Stream
from ..structures import RandomParameter, RandomTask
from .arguments import check_given, check_zero, invalid, rt_invalid, unsupported
from .process import process

_REDUCTIONS: Final[dict[int, Callable[..., Any]]] = {10: np.add, 11: np.maximum, 12: np.minimum}
_SUM, _EQUAL = 10, 13
_ALL: Final = ("ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_FLOAT16", "ACL_FLOAT", "ACL_BF16")
#: architecture -> element types that its reductions take
_REDUCED: Final = {
    3510: (*_ALL, "ACL_UINT32"),
    2201: _ALL,
    3002: ("ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_FLOAT16", "ACL_FLOAT"),
    2002: ("ACL_INT16", "ACL_FLOAT16", "ACL_FLOAT"),
    1001: ("ACL_FLOAT",),
}
#: architectures whose only reduction is the sum
_ONLY_SUMS: Final = (2002, 1001)


def aclrtReduceAsync(
    dst: int, src: int, count: int, kind: int, data_type: int, stream: Stream | None, reserve: int
) -> None:
    """Queue a reduction: every element of the target is combined with that of the source."""
    check_given(dst=dst, src=src)
    check_zero("NULL", reserve=reserve)
    device = process.current().device
    queue = process.own_stream(stream)
    reduced, dtype = _reduction(device.product, kind, data_type)
    if count % dtype.itemsize:
        rt_invalid(
            f"count is {count}; a multiple of {dtype.itemsize} bytes, the size of an element, is"
            " expected"
        )
    copy = prepare_copy(device.address_space, dst, src, count)
    if copy is None:
        return
    target, source = copy.dst, copy.src
    assert source is not None

    def run() -> None:
        values = source.bytes(count).view(dtype)
        result = target.bytes(count).view(dtype)
        with np.errstate(all="ignore"):
            reduced(result, values, out=result)

    reads = (*copy.reads, *copy.writes)
    device.launch(queue, run, reads, copy.writes, "aclrtReduceAsync")


def _reduction(product: Product, kind: int, data_type: int) -> tuple[Callable[..., Any], Any]:
    if kind not in (*_REDUCTIONS, _EQUAL):
        invalid(f"kind is {kind}; a number from 10 to 13 is expected")
    reduced = _REDUCTIONS.get(kind)
    if reduced is None or (kind != _SUM and product.npu_arch in _ONLY_SUMS):
        unsupported(f"kind is {kind}, which {product.name} does not have")
    return reduced, _checked_type(product, data_type, _REDUCED[product.npu_arch])


def _checked_type(product: Product, data_type: int, allowed: tuple[str, ...]) -> Any:
    names = {int(DataType[name]): name for name in allowed}
    if data_type not in names:
        invalid(f"the data type is {data_type}; {product.name} takes {', '.join(allowed)}")
    return DataType(data_type).numpy


# ---- random numbers

_DROPOUT, _UNIFORM, _NORMAL, _TRUNCATED = range(4)
_DRAWN: Final = tuple(
    f"ACL_{name}" for name in "INT32 INT64 UINT32 UINT64 BF16 FLOAT16 FLOAT".split()
)
_HAS_RANDOM: Final = 2201
#: bytes of the generator's counter
_COUNTER: Final = 16


class _Parameter(NamedTuple):
    """A parameter of a task: a number, or its location on the device."""

    dtype: Any
    given: bytes
    location: Location | None

    def value(self) -> Any:
        size = self.dtype.itemsize
        found = self.given if self.location is None else self.location.bytes(size).tobytes()
        return np.frombuffer(found[:size], self.dtype)[0]


def aclrtRandomNumAsync(task: int, stream: Stream | None, reserve: int) -> None:
    """Queue the generation of random numbers with the generator Philox of NumPy."""
    check_given(taskInfo=task)
    check_zero("NULL", reserve=reserve)
    device = process.current().device
    queue = process.own_stream(stream)
    product = device.product
    if product.npu_arch != _HAS_RANDOM:
        unsupported(f"{product.name} generates no random numbers; Atlas A2 and A3 do")
    given = RandomTask.from_buffer_copy(RandomTask.from_address(task))
    dtype = _checked_type(product, given.data_type, _DRAWN)
    if not _DROPOUT <= given.function <= _TRUNCATED:
        invalid(
            f"funcType is {given.function}; a number from {_DROPOUT} to {_TRUNCATED} is expected"
        )
    floats = dtype.kind not in "iu"
    if given.function != _UNIFORM and not floats:
        invalid(
            f"the data type is {given.data_type}; a floating-point type is expected (integers"
            " can only be drawn from uniform distributions)"
        )
    count_given = _parameter(device, "randomNum", given.count, np.dtype(np.uint64))
    if count_given.location is not None:
        unsupported("randomNum is an address; the count must be a value known at the call")
    count = int(count_given.value())
    seed = _parameter(device, "randomSeed", given.seed, np.dtype(np.uint64))
    parameters = [
        _parameter(device, "paramInfo", parameter, dtype)
        for parameter in given.parameters[: 1 if given.function == _DROPOUT else 2]
    ]
    nbytes = -(-count // 8) if given.function == _DROPOUT else count * dtype.itemsize
    counter = locate(device.address_space, "randomCounterAddr", given.counter_address, _COUNTER)
    if not count:
        return
    result = locate(device.address_space, "randomResultAddr", given.result_address, nbytes)

    def run() -> None:
        generator = np.random.Generator(
            np.random.Philox(
                key=int(seed.value()), counter=int.from_bytes(counter.bytes(_COUNTER), "little")
            )
        )
        numbers = _drawn(generator, given.function, dtype, count, [p.value() for p in parameters])
        result.bytes(nbytes, overwrite=True)[:] = numbers.view(np.uint8)

    read = [p.location.accesses(p.dtype.itemsize, "paramInfo")
            for p in (seed, *parameters) if p.location is not None]  # fmt: skip
    reads = (*counter.accesses(_COUNTER, "randomCounterAddr"), *[x for xs in read for x in xs])
    writes = result.accesses(nbytes, "randomResultAddr")
    device.launch(queue, run, reads, writes, "aclrtRandomNumAsync")


def _parameter(device: Device, name: str, given: RandomParameter, dtype: Any) -> _Parameter:
    raw = bytes(given.value)
    if given.is_address:
        address = int.from_bytes(raw, "little")
        return _Parameter(dtype, b"", locate(device.address_space, name, address, dtype.itemsize))
    if given.size > len(raw):
        invalid(f"the size of {name} is {given.size}; at most {len(raw)} bytes are expected")
    return _Parameter(dtype, raw[: given.size].ljust(len(raw), b"\0"), None)


def _drawn(
    generator: np.random.Generator, function: int, dtype: Any, count: int, values: list[Any]
) -> NDArray[Any]:
    if function == _DROPOUT:
        return np.packbits(generator.random(count) >= float(values[0]), bitorder="little")
    first, second = values
    if function == _UNIFORM and dtype.kind in "iu":
        if first >= second:
            return np.full(count, first, dtype)
        return generator.integers(first, second, count, dtype)
    one, other = float(first), float(second)
    if function == _UNIFORM:
        drawn = one + (other - one) * generator.random(count)
    else:
        drawn = generator.standard_normal(count)
        if function == _TRUNCATED:
            while (outside := np.abs(drawn) > 2).any():
                drawn[outside] = generator.standard_normal(int(outside.sum()))
        drawn = one + other * drawn
    return drawn.astype(dtype)
