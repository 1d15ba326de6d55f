"""`ascendref warmup`: what it compiles, and that later calls find it."""

import json
from pathlib import Path

import pytest

import ascendref as ar
from ascendref.kernels.loops.elementwise import ElementwiseKernel
from ascendref.kernels.loops.reduction_kernel import ReductionKernel
from ascendref.kernels.runtime.kernel import Kernel

from ..support.processes import run
from .command_line import call

PROGRAM = """
import sys
import numpy as np, ascendref as ar
from ascendref.cli.app import app
app(sys.argv[1:], standalone_mode=False)
before = len(ar.kernel_statistics())
for shape in ((40, 40, 40), (3, 3, 3), (64, 1024), (3, 3)):
    x = np.linspace(0.1, 0.9, np.prod(shape)).astype(np.float16).reshape(shape)
    for seen in (x, x[::-1]):
        if "aclnnLogitGrad" in sys.argv:
            ar.logit_grad(seen, x)
        else:
            ar.prelu_backward(seen, x, np.ones(shape[1], x.dtype))
print(len(ar.kernel_statistics()) - before)
"""


@pytest.mark.full
@pytest.mark.parametrize(
    ("operator", "kernel"),
    [
        ("logit_grad", ElementwiseKernel),
        pytest.param("prelu_backward", ReductionKernel, marks=pytest.mark.exhaustive),
    ],
)
def test_calls_after_it_compile_nothing(
    operator: str, kernel: type[Kernel], tmp_path: Path
) -> None:
    command = ("warmup", ar.OPERATORS[operator].api, "--dtype", "float16", "--json")
    found = []
    for _ in range(2):
        out = run("-c", PROGRAM, *command, NUMBA_CACHE_DIR=str(tmp_path))
        rows, _, rest = out.rpartition("]")
        assert rest.strip() == "0"
        found += json.loads(rows + "]")
    first, second = found
    for row in found:
        assert (row["operator"], row["dtype"]) == (operator, "float16")
        assert row["compute_dtype"] == "float32"
        assert row["seconds"] > 0
    # every layout has a kernel, and there is what launches them
    assert first["compiled"] > len(kernel.pieces())
    assert (first["cached"], second["compiled"]) == (0, 0)
    assert second["cached"] == first["compiled"]


def test_a_table() -> None:
    done = call("warmup", "logit_grad", "--dtype", "float32", "--attr", "eps=0")
    assert done.exit_code == 0
    for text in ("logit_grad", "float32", "compiled"):
        assert text in done.stdout
