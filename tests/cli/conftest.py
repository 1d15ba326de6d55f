"""What tests of the command line are given."""

from pathlib import Path

import numpy as np
import pytest

from .command_line import G, X


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """A file with the two tensors of most operators."""
    path = tmp_path / "in.npz"
    np.savez(path, grad_output=G, self=X)
    return path
