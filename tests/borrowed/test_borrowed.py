"""Operators that PyTorch computes: every row of the table beside its judge."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import Borrowed, Parameter, borrowed
from ascendref.core.dtypes import DataType

from .judges import JUDGES, Judge

ROWS = list(borrowed())
pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")
#: arguments by the name of the parameter; other scalars are 2
SCALARS = {"dtype": 0, "rtol": 1e-3, "atol": 1e-2, "equalNan": True, "clipValueMin": 1}
TOLERANCES = {"float32": 4e-6, "float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-12}
SHAPE = (3, 5)
#: floats that the first tensor begins with
FLOATS = (0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan)


def judge_of(operator: Borrowed) -> Judge:
    """Return the judge of an operator."""
    return JUDGES[operator.api.removeprefix("aclnn").replace("Inplace", "")]


def numpy_type(kind: DataType) -> Any:
    """Return NumPy's type for that of a tensor."""
    return np.dtype(ml_dtypes.bfloat16) if kind is DataType.ACL_BF16 else kind.numpy


def numbers(kind: DataType, shape: tuple[int, ...], judge: Judge, seed: int) -> Any:
    """Return data of a type."""
    rng, dtype = np.random.default_rng(seed), numpy_type(kind)
    if kind is DataType.ACL_BOOL:
        found = rng.integers(0, 2, shape) >= (1 if judge.data == "any" else 0)
    elif dtype.kind in "iu":
        low = 0 if judge.data == "positive" or dtype.kind == "u" else -4
        found = rng.integers(low, 5, shape)
        if judge.data == "divisors":
            found = np.where(found == 0, 3, found)
    else:
        found = rng.uniform(-2.5, 2.5, shape)
        if judge.data == "any" and found.size > len(FLOATS) and seed == 0:
            found.flat[: len(FLOATS)] = FLOATS
        if judge.data == "positive":
            found = abs(found) + 0.1
    return np.asarray(found).astype(dtype)


def wide(array: Any) -> Any:
    """Return an array in the type in which a judge computes."""
    if array.dtype == bool:
        return array
    return array.astype(np.int64 if array.dtype.kind in "iu" else np.float64)


class Call:
    """A call of an operator with tensors of a type; in any layout, the later ones broadcast."""

    def __init__(
        self, operator: Borrowed, kind: DataType, shape: tuple[int, ...], *, strided: bool = False
    ) -> None:
        self.operator, self.judge, self.strided = operator, judge_of(operator), strided
        self.dev = ar.Device("Atlas A2")
        self.arguments: dict[str, Any] = {}
        read = []
        for seed, param in enumerate(operator.parameters):
            if not param.is_tensor:
                self.arguments[param.name] = SCALARS.get(param.name, 2)
                read.append(self.arguments[param.name])
            elif param.is_read:
                array = self._array(param, kind, shape, seed)
                self.arguments[param.name] = self._tensor(array)
                read.append(wide(array))
        if self.judge.result == "float":
            read = [np.float64(x) if isinstance(x, np.ndarray) else x for x in read]
        with np.errstate(all="ignore"):
            self.want = np.asarray(self.judge.value(*read))
        self.written = next(param for param in operator.parameters if param.is_written)
        if not self.written.is_read:
            result = np.zeros(self.want.shape, self.result_type(kind))
            self.arguments[self.written.name] = self._tensor(result)

    def _array(self, param: Parameter, kind: DataType, shape: tuple[int, ...], seed: int) -> Any:
        if param.types == (DataType.ACL_BOOL,):
            kind = DataType.ACL_BOOL
        if param.name == "value":
            shape = ()
        elif seed and self.strided and not param.is_written:
            shape = (shape[0], 1)
        return numbers(kind, shape, self.judge, seed)

    def _tensor(self, array: Any) -> ar.Tensor:
        if not self.strided or array.ndim < 2:
            return (
                self.dev.tensor(array) if array.size else self.dev.empty(array.shape, array.dtype)
            )
        rows, columns = array.shape
        memory = self.dev.malloc(array.itemsize * (2 * rows * columns + 2 * rows + 1))
        tensor = ar.Tensor(memory, array.shape, array.dtype, (2, 2 * rows), 1)
        tensor.view()[...] = array
        return tensor

    def result_type(self, kind: DataType) -> Any:
        """Return the type of the result, by PyTorch's rules."""
        dtype = numpy_type(kind)
        if self.judge.result == "bool":
            return np.dtype(bool)
        floats = dtype.kind not in "iub"
        if self.operator.api == "aclnnCast" or (self.judge.result == "float" and not floats):
            return np.dtype(np.float32)
        scalars = any(param.kind == "S" for param in self.operator.parameters)
        return np.dtype(np.int64) if dtype.kind == "b" and scalars else dtype

    def result(self) -> Any:
        """Run both phases and return what was written."""
        phase_1 = getattr(aclnn, f"{self.operator.api}GetWorkspaceSize")
        size, executor = phase_1(**self.arguments)
        workspace = self.dev.malloc(size) if size else None
        getattr(aclnn, self.operator.api)(workspace, size, executor, None)
        self.dev.synchronize()
        return self.arguments[self.written.name].numpy()

    def check(self) -> None:
        """Compare the result with the judge's."""
        found = self.result()
        if found.dtype.kind in "iub":
            np.testing.assert_array_equal(found, self.want.astype(found.dtype))
            return
        near = TOLERANCES[str(found.dtype)]
        np.testing.assert_allclose(found.astype(np.float64), self.want, rtol=near, atol=near)


def types_of(operator: Borrowed) -> tuple[DataType, ...]:
    """Return the types of an operator's data."""
    read = [param.types for param in operator.parameters if param.is_tensor and param.is_read]
    return max(read, key=len)


@pytest.mark.parametrize("api", ROWS)
def test_results_are_those_of_the_judge(api: str) -> None:
    operator = borrowed()[api]
    for kind in types_of(operator):
        for shape, strided in ((SHAPE, False), (SHAPE, True), ((0, 3), False)):
            Call(operator, kind, shape, strided=strided).check()
