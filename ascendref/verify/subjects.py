"""What is known about each operator here: how it is called, its oracles, the settings to try."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import operators
from ..declaration.accuracy import Bound
from ..declaration.operator import OPERATORS, Operator, find_operator
from ..declaration.scalars import ScalarParam, check_scalar, single
from . import exact, truth

#: the other tensor: a number, or what it is made of
Other = float | str | None


class Setting(NamedTuple):
    """What stays the same in a sweep."""

    #: scalars by name
    scalars: Mapping[str, float | str]
    #: the third tensor where there is one: a number for all elements, ``"self"`` for the datum
    #: itself or ``"-self"`` for its negative
    other: Other = None

    def third(self, data: NDArray[Any]) -> NDArray[Any]:
        """Return an element of the third tensor for each datum."""
        if isinstance(self.other, str):
            return data if self.other == "self" else -data
        return np.full_like(data, self.other or 0.0)


@dataclass(frozen=True, eq=False)
class Subject:
    """One operator."""

    operator: Operator
    #: name of the tensor of data; the gradient is the first of the other two
    data: str
    gradient: str
    #: what the oracles get besides the tensors: float64 numbers from the scalars as FLOAT and the
    #: number of results
    prepare: Callable[..., tuple[float, ...]]
    #: the oracles
    factors: Any
    exact: Callable[..., exact.Factor]
    #: the scalars to sweep, and the values of the third tensor
    settings: tuple[Setting, ...]
    #: name of the third tensor
    other: str | None = None
    #: the same operator in PyTorch: ``(torch, gradient, data, other, **scalars) -> result``
    peer: Callable[..., Any] = field(kw_only=True)

    def call(
        self,
        setting: Setting,
        compute: str,
        gradient: NDArray[Any],
        data: NDArray[Any],
        third: NDArray[Any],
    ) -> NDArray[Any]:
        """Return the operator's first result; all tensors have one shape of rank 2."""
        tensors = {self.gradient: gradient, self.data: data}
        if self.other is not None:
            tensors[self.other] = third
        if isinstance(setting.other, str):  # what depends on the datum is one for each channel
            tensors = {name: array[None] for name, array in tensors.items()}
            tensors[self.other or ""] = np.ascontiguousarray(third[:, 0])
        function = getattr(operators, self.operator.name)
        value = function(**tensors, **setting.scalars, compute_dtype=compute)
        result: NDArray[Any] = value[0] if isinstance(value, tuple) else value
        return result.reshape(data.shape)

    def given(self, attributes: Mapping[str, float | str]) -> tuple[Setting, ...]:
        """Return the settings in which some scalars have given values, the others their first."""
        others = tuple(dict.fromkeys(setting.other for setting in self.settings))
        scalars = dict(self.settings[0].scalars) | dict(attributes)
        for param in self.operator.scalars:
            value = check_scalar(param, self._number(param, scalars[param.name]))
            names = {number: name for name, number in (param.choices or {}).items()}
            scalars[param.name] = names.get(int(value), value) if names else value
        return tuple(Setting(scalars, other) for other in others)

    def allowed(
        self, bound: Bound, data: NDArray[np.float64], other: NDArray[np.float64]
    ) -> NDArray[np.float64] | float:
        """Return the largest error that a bound allows for each datum; infinite for any."""
        if bound.more is None:
            return bound.ulp
        return bound.ulp + bound.more(*((data,) if self.other is None else (data, other)))

    def label(self, setting: Setting) -> str:
        """Return a setting in one line."""
        parts = [
            f"{name}={value if isinstance(value, str) else format(value, 'g')}"
            for name, value in setting.scalars.items()
        ]
        if self.other is not None:
            other = setting.other
            parts.append(f"{self.other}={other if isinstance(other, str) else format(other, 'g')}")
        return " ".join(parts)

    def numbers(self, setting: Setting, size: int) -> tuple[float, ...]:
        """Return what the oracles get besides the tensors."""
        values = []
        for param in self.operator.scalars:
            values.append(single(self._number(param, setting.scalars[param.name])))
        return self.prepare(*values, size)

    @staticmethod
    def _number(param: ScalarParam, value: float | str) -> float:
        """Return a scalar's value as a number."""
        return (param.choices or {})[value] if isinstance(value, str) else value


def _hardshrink(lambd: float, size: int) -> tuple[float, ...]:
    return (0.0 if lambd < 0 else lambd,)


def _softplus(beta: float, threshold: float, size: int) -> tuple[float, ...]:
    return beta, threshold


def _prelu(size: int) -> tuple[float, ...]:
    return ()


def _smooth_l1(reduction: float, beta: float, size: int) -> tuple[float, ...]:
    return beta, float(size) if reduction == 1 else 1.0


def _logit(eps: float, size: int) -> tuple[float, ...]:
    return eps, float(np.float32(1) - np.float32(eps))


#: every operator, by name
SUBJECTS: Final = {
    subject.operator.name: subject
    for subject in (
        Subject(
            OPERATORS["hardshrink_backward"],
            "self",
            "grad_output",
            _hardshrink,
            truth.hardshrink_factors,
            exact.hardshrink,
            tuple(Setting({"lambd": lambd}) for lambd in (0.5, 0.0, 2.0)),
            peer=lambda torch, g, x, other, lambd: torch.ops.aten.hardshrink_backward(g, x, lambd),
        ),
        Subject(
            OPERATORS["softplus_backward"],
            "self",
            "grad_output",
            _softplus,
            truth.softplus_factors,
            exact.softplus,
            tuple(
                Setting({"beta": beta, "threshold": threshold})
                for beta, threshold in ((1.0, 20.0), (0.5, 20.0), (3.0, 20.0), (1.0, 1.0))
            ),
            peer=lambda torch, g, x, other, beta, threshold: torch.ops.aten.softplus_backward(
                g, x, beta, threshold
            ),
        ),
        Subject(
            OPERATORS["prelu_backward"],
            "self",
            "grad_output",
            _prelu,
            truth.prelu_factors,
            exact.prelu,
            # a datum meets its own bits as the weight: both signs together are every weight
            (Setting({}, "self"), Setting({}, "-self")),
            other="weight",
            peer=lambda torch, g, x, other: torch.ops.aten._prelu_kernel_backward(g, x, other)[0],
        ),
        Subject(
            OPERATORS["smooth_l1_loss_backward"],
            "self",
            "grad_out",
            _smooth_l1,
            truth.smooth_l1_factors,
            exact.smooth_l1,
            tuple(
                Setting({"reduction": reduction, "beta": beta}, target)
                for reduction, beta, target in (
                    ("none", 1.0, 0.3),
                    ("none", 1.0, 0.0),
                    ("none", 0.7, 0.3),
                    ("none", 0.0, 0.3),
                    ("mean", 1.0, 0.3),
                    ("mean", 0.7, 0.3),
                )
            ),
            other="target",
            peer=lambda torch, g, x, other, reduction, beta: torch.ops.aten.smooth_l1_loss_backward(
                g, x, other, ("none", "mean", "sum").index(reduction), beta
            ),
        ),
        Subject(
            OPERATORS["logit_grad"],
            "x",
            "dy",
            _logit,
            truth.logit_factors,
            exact.logit,
            tuple(Setting({"eps": eps}) for eps in (-1.0, 0.0, 1e-3)),
            peer=lambda torch, g, x, other, eps: torch.ops.aten.logit_backward(
                g, x, None if eps < 0 else eps
            ),
        ),
    )
}


def find_subject(name: str) -> Subject:
    """Return an operator by its function's or the vendor's name."""
    return SUBJECTS[find_operator(name).name]
