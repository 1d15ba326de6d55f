"""Modules with ascendref's gradients."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

from ..core.errors import ArgumentTypeError, shown
from . import ops

ModuleT = TypeVar("ModuleT", bound=Any)


class PReLU(torch.nn.PReLU):  # type: ignore[misc]
    """``torch.nn.PReLU`` with ascendref's gradients, independent of `enable`.

    It has the same parameters and state as PyTorch's class.

    Parameters
    ----------
    num_parameters : int, optional
        Number of weights: 1, or the number of channels (axis 1) of the input.
    init : float, optional
        Initial value of the weights.
    device, dtype : optional
        Device and type of the weight.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> layer = at.PReLU()
    >>> layer(torch.tensor([-4.0, 2.0])).sum().backward()
    >>> layer.weight.grad
    tensor([-4.])
    """

    def forward(self, input: Any) -> Any:
        """Return the input where it is positive, else the input times the weight."""
        return ops.prelu(input, self.weight)


def replace_modules(model: ModuleT) -> ModuleT:
    """Turn every ``torch.nn.PReLU`` of a model into a `PReLU`.

    The modules keep their identity, parameters, hooks and names; only their class changes.
    Subclasses of PyTorch's class are not changed.

    Parameters
    ----------
    model : torch.nn.Module
        The model, changed in place.

    Returns
    -------
    torch.nn.Module
        The same model.

    Raises
    ------
    ArgumentTypeError
        If it is not a module.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> at.replace_modules(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.PReLU()))
    Sequential(
      (0): Linear(in_features=2, out_features=2, bias=True)
      (1): PReLU(num_parameters=1)
    )
    """
    if not isinstance(model, torch.nn.Module):
        raise ArgumentTypeError("model", f"is {shown(model)}; a torch.nn.Module is expected")
    for module in model.modules():
        if type(module) is torch.nn.PReLU:
            module.__class__ = PReLU
    return model
