"""Numbers in calls of operators that change a tensor are not rounded before they are used."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import ascendref as ar
from ascendref.borrowed.table import borrowed
from ascendref.core.dtypes import DataType

from ..support.two_phase import launch, refused
from .calls import device

#: that change when they are rounded to F16, BF16 or any float
NUMBERS = (0.1, -3, 70000, 1e-8, 257, 2049, 16777217, 2**31 + 1, 2**53 + 1)
#: rows with a tensor that is changed, and a number
ROWS = [
    api
    for api, row in borrowed().items()
    if [param.kind for param in row.parameters] == ["T", "S"]
    and row.parameters[0].is_written
    and row.expression.startswith("aten.")
    and DataType.ACL_FLOAT16 in row.parameters[0].types
]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32])
@pytest.mark.parametrize("api", ROWS)
def test_a_number_has_the_effect_that_it_has_in_a_program(api: str, dtype: Any) -> None:
    row, dev = borrowed()[api], device()
    name = row.expression.partition("(")[0].split(".")[1]
    method = getattr(torch.Tensor, name)
    data = np.random.default_rng(1).uniform(0.001, 3, 999).astype(dtype)
    kind = getattr(torch, str(data.dtype))
    for number in NUMBERS:
        # exact: each element of a small type is one of F32
        want = torch.from_numpy(data.astype(np.float32)).to(kind)
        try:
            method(want, number)
        except RuntimeError:  # PyTorch refuses a number that the type does not hold
            continue
        tensor = dev.tensor(data)
        launch(dev, api, tensor, number)
        dev.synchronize()
        found = tensor.numpy().astype(np.float64)
        np.testing.assert_array_equal(found, want.double().numpy(), err_msg=f"{number}")


@pytest.mark.parametrize(
    ("dtype", "most"), [("int8", 128), ("uint8", 256), ("int16", 2**15), ("float16", 2049)]
)
def test_permutations_longer_than_a_type_are_refused(dtype: str, most: int) -> None:
    dev = ar.Device("Atlas A2")
    for n in (most, most + 1, most + 300):
        out = dev.empty((n,), dtype)
        status, message = refused("aclnnRandperm", n, 1, 0, out)
        assert (status == 0) == (n == most), message
        assert n == most or f"n is {n}; torch.{dtype} allows up to {most}" in message


@pytest.mark.parametrize("dtype", ["int8", "int16", "float16", "int32", "int64"])
def test_indices_need_a_type_that_holds_them(dtype: str) -> None:
    dev = ar.Device("Atlas A2")
    x = dev.tensor(np.arange(300, dtype=np.float32))
    values = dev.empty((300,), "float32")
    for status, message in (
        refused("aclnnArgMax", x, 0, False, dev.empty((), dtype)),
        refused("aclnnSort", x, True, 0, False, values, dev.empty((300,), dtype)),
    ):
        assert (status == 0) == (dtype in ("int32", "int64"))
        assert not status or "allowed are ACL_INT64, ACL_INT32" in message
