"""Calls of operators that PyTorch computes, beside what their judges compute."""

from collections.abc import Iterator
from functools import cache
from math import prod
from typing import Any

import ml_dtypes
import numpy as np

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import Borrowed, Parameter, borrowed
from ascendref.core.dtypes import DataType

from .judges import JUDGES
from .judges.judge import Judge, Type

#: scalars of elementwise functions by name; others are 2
SCALARS = {
    "dtype": Type, "rtol": 1e-3, "atol": 1e-2, "equalNan": True, "clipValueMin": 1,
    "posinf": 3, "neginf": -3,
}  # fmt: skip
TOLERANCES = {"float32": 4e-6, "float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-12}
#: shape of the tensors of elementwise functions
SHAPE = (3, 5)
#: floats that the first tensor begins with
FLOATS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan)


@cache
def device() -> ar.Device:
    """Return the device of all calls."""
    return ar.Device("Atlas A2")


def judge_of(operator: Borrowed) -> Judge:
    """Return the judge of an operator."""
    name = operator.api.removeprefix("aclnn")
    return JUDGES[name] if name in JUDGES else JUDGES[name.replace("Inplace", "")]


def numpy_type(kind: DataType) -> Any:
    """Return NumPy's type for that of a tensor."""
    return np.dtype(ml_dtypes.bfloat16) if kind is DataType.ACL_BF16 else kind.numpy


def wide(array: Any) -> Any:
    """Return an array in the type in which a judge computes."""
    if array.dtype == bool:
        return array
    kinds = {"i": np.int64, "u": np.int64, "c": np.complex128}
    return array.astype(kinds.get(array.dtype.kind, np.float64))


def numbers(dtype: Any, shape: tuple[int, ...], data: str, rng: Any, *, special: bool) -> Any:
    """Return data of a type: any, divisors or positive."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape) >= (1 if data == "any" else 0)
    if dtype.kind in "iu":
        low = 0 if data == "positive" or dtype.kind == "u" else -4
        found = rng.integers(low, 5, shape)
        return (np.where(found == 0, 3, found) if data == "divisors" else found).astype(dtype)
    found = rng.uniform(-2.5, 2.5, shape)
    if dtype.kind == "c":
        return (found + 1j * rng.uniform(-2.5, 2.5, shape)).astype(dtype)
    if special and data == "any" and found.size > len(FLOATS):
        found.flat[: len(FLOATS)] = FLOATS
    return np.asarray(abs(found) + 0.1 if data == "positive" else found).astype(dtype)


def array(text: str, kind: DataType, rng: Any, rows: int) -> Any:
    """Return the data of a tensor.

    The text has the sizes, of which N stands for a number of rows, and then, if anything,
    ``<n`` for integers from 0 to n - 1, ``~n`` for the same with no two equal along the last axis,
    ``!`` for numbers of which no two are equal, ``+`` for positive ones.
    """
    sizes = [word for word in text.split() if word[0] not in "<~!+"]
    marks = "".join(word for word in text.split() if word[0] in "<~!+")
    shape = tuple([rows if size == "N" else int(size) for size in sizes])
    dtype = numpy_type(kind)
    if marks.startswith("<"):
        return rng.integers(0, int(marks[1:]), shape).astype(dtype)
    if marks.startswith("~"):
        every = np.tile(np.arange(int(marks[1:])), (*shape[:-1], 1))
        return rng.permuted(every, axis=-1)[..., : shape[-1]].astype(dtype)
    if marks == "!":
        found = rng.permutation(prod(shape)).reshape(shape)
        floats = dtype.kind not in "iub"
        return (found / 4 - prod(shape) // 8 if floats else found).astype(dtype)
    return numbers(dtype, shape, "positive" if marks == "+" else "any", rng, special=False)


class Call:
    """A call of an operator with tensors of a type, in C order or another layout."""

    def __init__(
        self,
        operator: Borrowed,
        kind: DataType,
        given: tuple[Any, ...] = (),
        *,
        strided: bool = False,
        rows: int = 2,
    ) -> None:
        self.operator, self.judge, self.strided = operator, judge_of(operator), strided
        self.dev = device()
        self.kind, self.rows, self.rng = kind, rows, np.random.default_rng(0)
        self.arguments: dict[str, Any] = {}
        reading = [param for param in operator.parameters if param.is_read]
        values = given or [self._default(k, param) for k, param in enumerate(reading)]
        read = [self._given(*pair) for pair in zip(reading, values, strict=True)]
        if self.judge.result == "float":
            read = [np.float64(x) if isinstance(x, np.ndarray) else x for x in read]
        with np.errstate(all="ignore"):
            want = self.judge.value(*read)
        self.written = [param for param in operator.parameters if param.is_written]
        wants = (want,) if len(self.written) == 1 else want
        self.want = dict(zip([param.name for param in self.written], wants, strict=True))
        for param in self.written:
            if not param.is_read:
                self.arguments[param.name] = self._result(param, self.want[param.name])
        for name, value in self.arguments.items():
            if value is Type:
                result = self.arguments[self.written[0].name]
                self.arguments[name] = int(result.data_type)

    def _default(self, place: int, param: Parameter) -> Any:
        """Return what an elementwise function is given."""
        if not param.is_tensor:
            return SCALARS.get(param.name, 2)
        shape = SHAPE if self.rows else (0, 3)
        if param.name == "value":
            shape = ()
        elif place and self.strided and not param.is_written:
            shape = (shape[0], 1)
        dtype = numpy_type(self._kind(param))
        rng = np.random.default_rng(place)
        return lambda _: numbers(dtype, shape, self.judge.data, rng, special=place == 0)

    def _kind(self, param: Parameter) -> DataType:
        if param.name in ("indices", "sorter") and DataType.ACL_FLOAT in param.types:
            return DataType.ACL_INT64
        return self.kind if self.kind in param.types else param.types[0]

    def _given(self, param: Parameter, value: Any) -> Any:
        """Set the argument for a parameter; return what the judge gets for it."""
        if not param.is_tensor or value is None:
            self.arguments[param.name] = value
            return value
        arrays = [self._array(param, each) for each in (value if param.is_list else [value])]
        tensors = [self._tensor(each) for each in arrays]
        self.arguments[param.name] = tensors if param.is_list else tensors[0]
        return [wide(each) for each in arrays] if param.is_list else wide(arrays[0])

    def _array(self, param: Parameter, value: Any) -> Any:
        kind = self._kind(param)
        if callable(value):
            with np.errstate(invalid="ignore"):  # NaN, as an integer
                return np.asarray(value(self.rng)).astype(numpy_type(kind))
        return array(value, kind, self.rng, self.rows)

    def _result(self, param: Parameter, want: Any) -> Any:
        if param.is_list:
            return [
                self._tensor(np.zeros(each.shape, self.result_type(param, each))) for each in want
            ]
        want = np.asarray(want)
        dtype = self.result_type(param, want)
        if param.name in self.operator.found:  # room for more
            return self.dev.empty((want.shape[0] + 3, *want.shape[1:]), dtype)
        return self._tensor(np.zeros(want.shape, dtype))

    def _tensor(self, data: Any) -> ar.Tensor:
        if not self.strided or not data.size or not data.ndim:
            return self.dev.tensor(data) if data.size else self.dev.empty(data.shape, data.dtype)
        strides = tuple([2 * prod(data.shape[:k]) for k in range(data.ndim)])
        memory = self.dev.malloc(data.itemsize * (2 * data.size + 1))
        tensor = ar.Tensor(memory, data.shape, data.dtype, strides, 1)
        tensor.view()[...] = data
        return tensor

    def result_type(self, param: Parameter, want: Any) -> Any:
        """Return the type of a result: one of the few that it may have, or by PyTorch's rules."""
        want, dtype = np.asarray(want), numpy_type(self.kind)
        if len(param.types) < 3:
            return numpy_type(self._kind(param))
        floats = dtype.kind not in "iub"
        if dtype.kind == "c":
            return np.empty(0, dtype).real.dtype
        if self.judge.result == "bool" or (want.dtype == bool and self.judge.calls):
            return np.dtype(bool)
        if self.judge.result == "index" or "ndices" in param.name:
            return np.dtype(np.int64)
        if self.operator.api == "aclnnCast":
            return np.dtype(np.float32)
        if not floats and (self.judge.result == "float" or want.dtype.kind == "f"):
            return np.dtype(np.float32)
        if self.judge.calls:
            return (
                np.dtype(np.int64) if want.dtype.kind == "i" and dtype.kind not in "iu" else dtype
            )
        scalars = any(other.kind == "S" for other in self.operator.parameters)
        return np.dtype(np.int64) if dtype.kind == "b" and scalars else dtype

    def run(self) -> None:
        """Run both phases."""
        phase_1 = getattr(aclnn, f"{self.operator.api}GetWorkspaceSize")
        size, executor = phase_1(**self.arguments)
        workspace = self.dev.malloc(size) if size else None
        getattr(aclnn, self.operator.api)(workspace, size, executor, None)
        self.dev.synchronize()

    def check(self) -> None:
        """Compare the results with the judge's."""
        self.run()
        named = {
            name: (self.arguments[name], want)
            for name, want in self.want.items()
            if self.arguments[name] is not None and want is not None
        }
        found = [
            [one.numpy() for one in tensors] if isinstance(tensors, list) else tensors.numpy()
            for tensors, _ in named.values()
        ]
        wants = [want for _, want in named.values()]
        choose = self.judge.chosen
        for one, want in zip(choose(found), choose(wants), strict=True):
            compare(one, want)


def compare(found: Any, want: Any) -> None:
    """Compare a result, or a list of them, with a judge's."""
    if isinstance(found, list):
        for one, wanted in zip(found, want, strict=True):
            compare(one, wanted)
        return
    want = np.asarray(want)
    assert found.shape == want.shape
    if found.dtype.kind == "c":
        compare(found.view(found.real.dtype), np.complex128(want).view(np.float64))
        return
    if found.dtype.kind in "iub":
        np.testing.assert_array_equal(found, want.astype(found.dtype))
        return
    near = TOLERANCES[str(found.dtype)]
    np.testing.assert_allclose(found.astype(np.float64), want, rtol=near, atol=near)


def types_of(operator: Borrowed) -> tuple[DataType, ...]:
    """Return the types of an operator's data."""
    params = [x for x in operator.parameters if x.is_tensor and x.is_read and not x.is_refused]
    read = [param.types for param in params]
    data = [types for types in read if types not in BESIDES] or read
    return max(data, key=len) if data else (DataType.ACL_FLOAT, DataType.ACL_INT32)


#: types of indices, masks and packed weights, beside which an operator has data
BESIDES = (
    (DataType.ACL_INT64, DataType.ACL_INT32),
    (DataType.ACL_BOOL,),
    (DataType.ACL_INT8, DataType.ACL_INT4, DataType.ACL_INT32),
)


def calls(operator: Borrowed, kind: DataType) -> Iterator[Call]:
    """Yield calls with data of a type, in several layouts, and without elements."""
    for given in judge_of(operator).calls or ((),):
        yield Call(operator, kind, given)
        if (call := in_place(Call(operator, kind, given))) is not None:
            yield call
        if judge_of(operator).strided:
            yield Call(operator, kind, given, strided=True)
        if not given or "N" in str(given):
            yield Call(operator, kind, given, rows=0)


def in_place(call: Call) -> Call | None:
    """Return a call whose result takes the place of a tensor that is read, where one fits."""
    result = call.written[0]
    own = call.arguments[result.name]
    for param in call.operator.parameters:
        other = call.arguments[param.name]
        if (
            param.kind == result.kind == "T"
            and not result.is_read
            and not param.is_written
            and other is not None
            and own is not None
            and (other.shape, other.data_type) == (own.shape, own.data_type)
        ):
            call.arguments[result.name] = other
            return call
    return None


def good_call(api: str) -> Call:
    """Return a call that phase 1 takes."""
    operator = borrowed()[api]
    return Call(operator, types_of(operator)[0], (judge_of(operator).calls or ((),))[0])
