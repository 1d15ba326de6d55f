"""The types of the array functions, as a type checker reads them."""

from pathlib import Path

import pytest

from ..support.type_checking import assert_types

pytestmark = pytest.mark.full

PROGRAM = '''
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

import ascendref as ar


class Tensor:
    """A tensor of another library."""

    def __dlpack__(self, *, stream: int | None = None) -> Any: ...


t, x = Tensor(), np.ones(3, np.float32)
half: NDArray[Any] = x.astype(ml_dtypes.bfloat16)

# the kind of array that comes is the kind that is returned
reveal_type(ar.hardshrink_backward(t, t, 0.5, out=t))  # note: "program.Tensor"
reveal_type(ar.prelu_backward(t, t, t))  # note: "tuple[program.Tensor, program.Tensor]"
reveal_type(ar.cast(t, "float16"))  # note: "program.Tensor"
reveal_type(ar.softplus_backward(x, half))  # note: "numpy.ndarray[
reveal_type(ar.cast(x, np.float16))  # note: "numpy.ndarray[tuple[Any, ...], numpy.dtype[Any]]"
reveal_type(ar.logit_grad(x, t))  # note: SupportsDLPack

# what the functions take
ar.smooth_l1_loss_backward(np.float32(1), x, half, "sum", np.int8(1), compute_dtype="float64")
ar.smooth_l1_loss_backward(x, x, x, 2, beta=np.array(0.5), compute_dtype=np.float64)
ar.logit_grad(x, x, None, out=np.empty(3), compute_dtype=ml_dtypes.bfloat16)
ar.hardshrink_backward(x, x, compute_dtype=27)

# and what they do not take
ar.hardshrink_backward(x, x, lambda_=0.5)  # error: Unexpected keyword argument "lambda_"
ar.hardshrink_backward([1.0], x)  # error: Value of type variable "ArrayT"
ar.hardshrink_backward(x, x, "0.5")  # error: incompatible type "str"
ar.prelu_backward(x, x)  # error: Missing positional argument "weight"
ar.prelu_backward(x, x, x, out=x)  # error: Argument "out"
ar.smooth_l1_loss_backward(x, x, x, "average")  # error: Literal['none', 'mean', 'sum']
ar.softplus_backward(x, x, compute_dtype=0.5)  # error: Argument "compute_dtype"
ar.cast(x, "float16", "nearest")  # error: No overload variant
ar.hardshrnk_backward(x, x)  # error: Module has no attribute "hardshrnk_backward"
'''


def test_a_type_checker_knows_the_array_functions(tmp_path: Path) -> None:
    assert_types(PROGRAM, tmp_path)
