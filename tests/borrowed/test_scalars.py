"""Numbers in borrowed operators: rounded where PyTorch's methods round them, and never wrapped."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar
from ascendref import aclnn
from ascendref.borrowed.table import borrowed

from ..support.two_phase import refusal

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is in the torch extra")

#: overwriting functions of a tensor and a scalar, and the methods that users of PyTorch call
METHODS: dict[str, Callable[[Any, float], Any]] = {
    "Adds": lambda x, s: x.add_(s),
    "Subs": lambda x, s: x.sub_(s),
    "Muls": lambda x, s: x.mul_(s),
    "Divs": lambda x, s: x.div_(s),
    "FloorDivides": lambda x, s: x.floor_divide_(s),
    "FmodScalar": lambda x, s: x.fmod_(s),
    "RemainderTensorScalar": lambda x, s: x.remainder_(s),
    "PowTensorScalar": lambda x, s: x.pow_(s),
    "XLogYScalarOther": lambda x, s: x.xlogy_(s),
    "EqScalar": lambda x, s: x.eq_(s),
    "NeScalar": lambda x, s: x.ne_(s),
    "GtScalar": lambda x, s: x.gt_(s),
    "LtScalar": lambda x, s: x.lt_(s),
    "GeScalar": lambda x, s: x.ge_(s),
    "LeScalar": lambda x, s: x.le_(s),
}
SCALARS = (0.1, 0.7, 3.0, -2.0, 1e-3, 6e4, 7e4)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32], ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_scalars_of_functions_that_overwrite_are_those_of_pytorchs_methods(
    name: str, dtype: Any
) -> None:
    import torch

    operator = f"aclnnInplace{name}"
    dev = ar.Device("Atlas A2")
    x = np.linspace(0.1, 3, 500).astype(np.float32).astype(dtype)
    x[:3] = 0.1, 0.7, 3.0
    kind = {np.float16: torch.float16, np.float32: torch.float32}.get(dtype, torch.bfloat16)
    for scalar in map(float, np.float32(SCALARS)):
        if name == "PowTensorScalar" and scalar > 65504:
            continue  # PyTorch refuses it for float16
        tensor = dev.tensor(x)
        given = torch.tensor(x.astype(np.float32)).to(kind)
        expected = METHODS[name](given, scalar).float().numpy()
        arguments = [tensor, ar.Scalar(scalar, "float32")]
        if name in ("Adds", "Subs"):
            arguments.append(ar.Scalar(1.0, "float32"))
        size, executor = getattr(aclnn, f"{operator}GetWorkspaceSize")(*arguments)
        workspace = dev.malloc(size) if size else None
        getattr(aclnn, operator)(workspace, size, executor, dev.default_stream)
        dev.synchronize()
        np.testing.assert_array_equal(tensor.numpy().astype(np.float32), expected, str(scalar))


def test_every_overwriting_function_of_a_scalar_is_compared() -> None:
    rows = [api for api, row in borrowed().items() if re.search(r"aten\.\w+_\.Scalar\b", str(row))]
    assert {api.removeprefix("aclnnInplace") for api in rows} - METHODS.keys() <= {
        "FillScalar", "Lerps", "BitwiseAndScalar", "BitwiseOrScalar", "BitwiseXorScalar",
        "MaskedFillScalar",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16])
def test_permutations_longer_than_a_type_are_refused(dtype: Any) -> None:
    dev, limit = ar.Device("Atlas A2"), int(np.iinfo(dtype).max)
    for n in (limit, limit + 1, limit + 300):
        out = dev.empty((n,), dtype)
        status, message = refusal(aclnn.aclnnRandpermGetWorkspaceSize, n, 1, 0, out)
        assert (status == 0) == (n == limit), message
        assert n == limit or f"n is {n}" in message
