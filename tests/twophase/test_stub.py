"""The stub of ``aclnn``: it follows from the declarations, and a type checker reads it."""

from pathlib import Path

import pytest

from ascendref import aclnn

from ..support.type_checking import assert_types
from .aclnn_stub import PATH, stub

PROGRAM = """
import numpy as np

from ascendref import Device, Scalar, aclnn

dev = Device("Atlas A2")
stream = dev.create_stream()
x, out = dev.tensor(np.ones(3)), dev.empty(3, "float32")
size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(x, x, 0.5, out)
aclnn.aclnnHardshrinkBackward(dev.malloc(size) if size else None, size, executor, stream)
aclnn.aclnnHardshrinkBackward(4096, size, executor, stream=None)
aclnn.aclnnLogitGradGetWorkspaceSize(x=x, dy=x, eps=Scalar(1, "float32"), out=out)
aclnn.aclnnLogitGradGetWorkspaceSize(x, x, np.float16(-1), out)
aclnn.aclnnAmaxGetWorkspaceSize(x, [0], keepDim=False, out=out)
aclnn.aclnnCatGetWorkspaceSize((x, x), 0, out)
reveal_type(size)  # note: "int"
reveal_type(executor)  # note: "ascendref.twophase.executor.Executor"

aclnn.aclnnLogitGradGetWorkspaceSize(x, x, -1.0, out, lambd=1)  # error: Unexpected keyword
aclnn.aclnnLogitGradGetWorkspaceSize(x=x, eps=-1.0, out=out)  # error: Missing positional argument
aclnn.aclnnLogitGradGetWorkspaceSize(x, np.ones(3), -1.0, out)  # error: Argument 2
aclnn.aclnnLogitGrad(None, size, None, stream)  # error: Argument 3
aclnn.aclnnAmaxGetWorkspaceSize(x, 0, False, out)  # error: Argument 2
aclnn.aclnnLogitGradient(None, size, executor, stream)  # error: Module has no attribute
"""


def test_the_stub_follows_from_the_declarations() -> None:
    if not PATH.exists() or PATH.read_text(encoding="utf-8") != stub():
        pytest.fail(f"{PATH} is missing or old: python -m tests.twophase.aclnn_stub writes it")


@pytest.mark.full
def test_a_type_checker_knows_the_functions(tmp_path: Path) -> None:
    assert_types(PROGRAM, tmp_path)


@pytest.mark.parametrize("name", aclnn.__all__)
def test_functions_are_pickled_by_their_names(name: str) -> None:
    function = getattr(aclnn, name)
    assert (function.__module__, function.__qualname__) == ("ascendref.aclnn", name)
