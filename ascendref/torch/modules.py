"""Modules with ascendref's gradients."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

from . import ops

ModuleT = TypeVar("ModuleT", bound=Any)


class PReLU(torch.nn.PReLU):  # type: ignore[misc]
    """``torch.nn.PReLU`` with ascendref's gradients, whether `enable` was called or not.

    It takes the parameters of PyTorch's class and has its state.

    Parameters
    ----------
    num_parameters : int, optional
        Number of weights: 1, or as many as the input has channels, axis 1.
    init : float, optional
        What they begin with.
    device, dtype : optional
        Where the weight is, and its type.

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
    """Let every ``torch.nn.PReLU`` of a model be a `PReLU`.

    The modules stay what they are, with their parameters, hooks and names; only their class is
    another one. Modules of classes derived from PyTorch's are left alone.

    Parameters
    ----------
    model : torch.nn.Module
        The model, which is changed.

    Returns
    -------
    torch.nn.Module
        The model itself.

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
    for module in model.modules():
        if type(module) is torch.nn.PReLU:
            module.__class__ = PReLU
    return model
