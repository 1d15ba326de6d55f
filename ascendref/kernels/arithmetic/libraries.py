"""The functions of NumPy, JAX and PyTorch that formulas on arrays call, and their derivatives.

A library differentiates both values of a selection, and multiplies what it finds by 0 where the
value is not chosen: NaN, if a derivative there is infinite. So functions are differentiated only
inside their domain (`Library.inside`); outside they have the value that IEEE 754 gives, and the
derivative 0.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np


class Library:
    """NumPy, and other libraries' names for its functions, by the module of the functions."""

    def __init__(self, namespace: Any) -> None:
        self.namespace = namespace

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Select; at most one of both is a constant."""
        return self.namespace.where(condition, yes, no)

    def quotient(self, left: Any, right: Any) -> Any:
        return left / right

    def inside(
        self, function: Callable[[Any], Any], array: Any, domain: Any, instead: float
    ) -> Any:
        """Return a function of an array, differentiated in a domain only: instead, at a number."""
        return function(array)

    def largest_exponent(self, array: Any) -> float:
        """Return a number up to which the exponential is finite."""
        return math.log(float(self.namespace.finfo(array.dtype).max)) - 1e-3

    def single(self, array: Any) -> Any:
        return array.astype(np.float32).astype(array.dtype)

    def sigmoid(self, x: Any) -> Any:
        power = np.exp(-abs(x))
        return np.where(x < 0, power, 1) / (1 + power)

    def softplus(self, x: Any) -> Any:
        return self.namespace.logaddexp(x, 0)

    def erfc(self, x: Any) -> Any:
        """Return the complementary error function; of a wider type, at F64 numbers."""
        return np.asarray(_erfc(x), x.dtype)

    def normal_cdf(self, x: Any) -> Any:
        return 0.5 * self.erfc(-math.sqrt(0.5) * x)

    def normal_pdf(self, x: Any) -> Any:
        return self.namespace.exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi))

    def sign(self, x: Any) -> Any:
        return self.namespace.sign(x)


_erfc: Final = np.frompyfunc(math.erfc, 1, 1)


class _Differentiable(Library):
    def constant(self, array: Any) -> Any:
        raise NotImplementedError

    def inside(
        self, function: Callable[[Any], Any], array: Any, domain: Any, instead: float
    ) -> Any:
        """Differentiate the function at a number in the domain where the argument is not."""
        value = function(self.constant(array))
        return self.where(domain, function(self.where(domain, array, instead)), value)

    def quotient(self, left: Any, right: Any) -> Any:
        """Do not differentiate a division by 0."""
        if isinstance(right, float):
            return left / right if right else self.constant(left) / right
        fixed = left if isinstance(left, float) else self.constant(left)
        value, zero = fixed / self.constant(right), right == 0
        return self.where(zero, value, left / self.where(zero, 1.0, right))


class _Jax(_Differentiable):
    def __init__(self, namespace: Any) -> None:
        import jax

        super().__init__(namespace)
        self._jax = jax

    def constant(self, array: Any) -> Any:
        return self._jax.lax.stop_gradient(array)

    def sigmoid(self, x: Any) -> Any:
        return self._jax.nn.sigmoid(x)

    def erfc(self, x: Any) -> Any:
        return self._jax.lax.erfc(x)


class _Torch(_Differentiable):
    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Fill in constants: ``torch.where`` makes tensors of them, unlike fake tensors."""
        if isinstance(yes, float):
            return no.masked_fill(condition, yes)
        if isinstance(no, float):
            return yes.masked_fill(~condition, no)
        return self.namespace.where(condition, yes, no)

    def constant(self, array: Any) -> Any:
        return array.detach()

    def single(self, array: Any) -> Any:
        return array.to(self.namespace.float32).to(array.dtype)

    def sigmoid(self, x: Any) -> Any:
        return self.namespace.sigmoid(x)

    def softplus(self, x: Any) -> Any:
        # torch.nn.functional.softplus is x itself from 20 on; the second derivative of logaddexp
        # is NaN where an exponential overflows
        return -self.namespace.nn.functional.logsigmoid(-x)

    def erfc(self, x: Any) -> Any:
        return self.namespace.erfc(x)

    def sign(self, x: Any) -> Any:
        # torch's is 0 for NaN
        return self.where(x.isnan(), x, self.namespace.sign(x))


#: NumPy's functions, which scalars use with every library
NUMPY: Final = Library(np)


def library(namespace: Any) -> Library:
    """Return the library of ``numpy``, ``jax.numpy`` or ``torch``."""
    name = namespace.__name__
    return {"jax.numpy": _Jax, "torch": _Torch}.get(name, Library)(namespace)
