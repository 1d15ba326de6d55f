"""The references of all operators, a file for each."""

from __future__ import annotations

from typing import Final

from ...declaration.operator import find_operator
from ..oracles.reference import Reference
from . import (
    hardshrink_backward,
    logit_grad,
    prelu_backward,
    smooth_l1_loss_backward,
    softplus_backward,
)

#: by the name of the operator
REFERENCES: Final[dict[str, Reference]] = {
    module.REFERENCE.name: module.REFERENCE
    for module in (
        hardshrink_backward,
        softplus_backward,
        prelu_backward,
        smooth_l1_loss_backward,
        logit_grad,
    )
}


def find_reference(name: str) -> Reference:
    """Return an operator's reference by its function's or the vendor's name."""
    return REFERENCES[find_operator(name).name]
