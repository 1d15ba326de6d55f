"""Functions for JAX whose gradients are computed by ascendref's kernels.

Each operator has one: ``hardshrink``, ``softplus``, ``prelu`` and so on are ordinary functions for
``jax.jit``, ``jax.vmap`` and ``jax.grad``. Their results are computed by JAX. Their gradients have
the same bits as the array functions (``ascendref.softplus_backward`` and so on), except that
scalars are F64 for F64 data. A function whose value alone is an operator is computed by that
operator's kernel, and differentiated by JAX.

Examples
--------
>>> import jax
>>> import ascendref.jax
>>> jax.jit(jax.grad(ascendref.jax.softplus))(2.0)
Array(0.8807971, dtype=float32, weak_type=True)
"""

from importlib.util import find_spec

from ..core.extras import install_command

if find_spec("jax") is None:
    raise ImportError(f"ascendref.jax needs JAX, which is not installed: {install_command('jax')}")

from .functions import public_functions

_FUNCTIONS = public_functions()
globals().update(_FUNCTIONS)
__all__ = list(_FUNCTIONS)
