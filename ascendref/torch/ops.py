"""PyTorch's functions with our gradients, as custom operators for compiled programs.

``torch.compile`` and ``torch.export`` see two operators per function: ``torch.ops.ascendref.NAME``
computes the same as PyTorch's own function, and ``NAME_backward`` computes its gradient with
ascendref's kernels. Both have rules for fake tensors, for autograd of any order and for
``torch.func.vmap``. ``torch.func.grad`` does not accept custom operators with an autograd rule. On
devices other than the CPU, and for calls that `enable` would leave to PyTorch, the gradient is
PyTorch's. Where only a function's value is an operator, ``NAME`` computes that with our kernel, and
PyTorch differentiates its formula. ``ops.pyi`` has the signatures for type checkers and editors.
"""

from __future__ import annotations

from .custom_operators import public_functions

_FUNCTIONS = public_functions()
globals().update(_FUNCTIONS)
__all__ = list(_FUNCTIONS)
