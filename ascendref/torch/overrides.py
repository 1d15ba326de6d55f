"""Overrides: which of PyTorch's operators are computed by our kernels, and while which setting.

PyTorch's dispatcher has one table per process. Settings are kept in a list; the most recently
entered one that has not ended applies. Only the operators of this setting are registered, so an
override that has ended leaves nothing behind.

The dispatcher frees a kernel when its registration ends, even while another thread runs it. The
most recent kernels are therefore kept alive for longer.

An interrupt may come at any instruction. The list of settings changes in one instruction, and
registration then runs without interrupts. If registration was prevented, the next change of
settings does it, at the latest the end of the ``with`` block.
"""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, Final, NamedTuple

import torch
from torch.library import Library, get_kernel

from ..core.dtypes import DTypeLike, compute_type_of
from ..core.errors import ArgumentTypeError, ArgumentValueError, shown
from ..core.fork_safety import run_to_end
from ..core.scopes import Scope
from ..declaration.operator import Operator
from ..device.lock_free import AtomicReference
from ..differentiable import Function, differentiable_functions
from .override import Override, OwnKernel
from .prelu import PreluOverride
from .rules import gradients, value
from .scalars import call_theirs


class Kernels(NamedTuple):
    """The kernels of a function, of those operators that it has."""

    gradient: OwnKernel | None
    value: OwnKernel | None

    @property
    def overrides(self) -> tuple[Override, ...]:
        """Those that PyTorch has operators for."""
        return tuple([kernel for kernel in self if isinstance(kernel, Override)])


def _kernels(function: Function) -> Kernels:
    """Make the kernels of a function."""

    def made(operator: Operator | None, theirs: Callable[..., Any]) -> OwnKernel | None:
        if operator is None:
            return None
        if operator.torch is None:
            # PyTorch's own function refuses several types where the gradient takes one
            return OwnKernel(operator, theirs, promotes=not function.operator.same_type)
        return _override(operator)

    return Kernels(
        made(function.gradient, partial(gradient_by_pytorch, function)),
        made(function.value, partial(value_by_pytorch, function)),
    )


@cache
def _override(operator: Operator) -> Override:
    """Return the override of an operator, which may belong to several functions."""
    return (PreluOverride if operator.per_channel else Override)(operator)


def value_by_pytorch(function: Function, tensors: Any, scalars: Any) -> Any:
    """Return a function's value, computed by PyTorch's function if one has the same scalars."""
    declared = function.declared
    named = declared.torch.keywords if declared.torch else ()
    theirs = getattr(torch.ops.aten, function.name, None)
    arguments = theirs.default._schema.arguments if theirs else ()
    if sum([not a.kwarg_only for a in arguments]) >= len(tensors) + len(scalars) - len(named):
        return call_theirs(function.name, function.declared, tensors, scalars)
    return value(function, tensors, scalars)


def gradient_by_pytorch(function: Function, tensors: Any, scalars: Any) -> Any:
    """Return a function's gradient, computed by PyTorch of the formula."""
    grad, *data = tensors
    return gradients(function, grad, data, scalars)[0]


#: the functions by name
FUNCTIONS: Final = differentiable_functions()
#: name of a function -> its kernels
KERNELS: Final = {name: _kernels(function) for name, function in FUNCTIONS.items()}
#: name of a function -> its overrides
OVERRIDES: Final = {name: made for name, k in KERNELS.items() if (made := k.overrides)}
#: kernels that are kept alive after their registration ends
_HELD: Final = 64


class Setting:
    """The overridden operators and their compute type; compared by identity."""

    def __init__(self, ops: tuple[str, ...], compute: str | None) -> None:
        self.ops = ops
        self.compute = compute

    def begin(self) -> None:
        """Apply the setting until it ends or a later one begins."""
        _STATE.change(None, self)

    def end(self) -> None:
        """End the setting, whether it is the latest or not."""
        _STATE.change(self, None)


class _Lasting(NamedTuple):
    """The current settings."""

    #: in the order in which they were entered; the last one applies
    settings: tuple[Setting, ...] = ()
    #: the setting of `enable`
    enabled: Setting | None = None

    def changed(self, ended: Setting | None, begun: Setting | None) -> _Lasting:
        """Return the settings after one has ended and another has begun."""
        kept = tuple([setting for setting in self.settings if setting is not ended])
        return self._replace(settings=kept if begun is None else (*kept, begun))


class _State:
    """The state of overrides in this process."""

    def __init__(self) -> None:
        self._lasting = AtomicReference(_Lasting())
        self._libraries: dict[Override, Any] = {}
        self._held: deque[Any] = deque(maxlen=_HELD)
        self._applies = False

    def change(self, ended: Setting | None, begun: Setting | None) -> None:
        """End one setting and begin another, if given."""
        self._update(lambda lasting: lasting.changed(ended, begun))

    def replace_enabled(self, setting: Setting | None) -> None:
        """Replace the setting of `enable`, if any, by another one, if given."""
        self._update(
            lambda lasting: lasting.changed(lasting.enabled, setting)._replace(enabled=setting)
        )

    def _update(self, change: Callable[[_Lasting], _Lasting]) -> None:
        try:
            while True:
                before = self._lasting.load()
                if self._lasting.compare_and_set(before, change(before.value)):
                    break
            run_to_end(self._apply)
        except BaseException:
            run_to_end(self._apply)
            raise

    def _apply(self) -> None:
        """Register the operators of the latest setting, and no others.

        One thread at a time does so, interrupted only by finalizers. If a finalizer changes the
        settings, the loop notices and registers again.
        """
        if self._applies:
            return
        self._applies = True
        try:
            seen = None
            while (latest := self._lasting.load()) is not seen:
                seen = latest
                settings = latest.value.settings
                self._switch(settings[-1] if settings else Setting((), None))
        finally:
            self._applies = False

    def _switch(self, setting: Setting) -> None:
        wanted = dict.fromkeys([each for name in setting.ops for each in OVERRIDES[name]])
        for override in [override for override in self._libraries if override not in wanted]:
            self._libraries.pop(override)._destroy()
        for override in wanted:
            override.compute_type = setting.compute
            if override not in self._libraries:
                self._libraries[override] = self._register(override)

    def _register(self, override: Override) -> Any:
        library = Library("aten", "IMPL")
        with warnings.catch_warnings():  # PyTorch warns at the first override in a process
            warnings.simplefilter("ignore")
            for name, kernel in override.kernels().items():
                library.impl(name, kernel, "CPU")
                self._held.append(get_kernel(f"aten::{name}", "CPU"))
        return library


_STATE: Final = _State()


def enable(ops: str | Iterable[str] = ("prelu",), compute_dtype: DTypeLike | None = None) -> None:
    """Make PyTorch compute gradients with ascendref's kernels, in the whole process.

    This affects PyTorch's own functions and modules on CPU tensors, such as ``F.prelu`` and
    ``nn.PReLU``. It replaces the setting of an earlier `enable`.

    Parameters
    ----------
    ops : str or iterable of str, optional
        Names of functions, as in `ascendref.torch.ops`: ``"hardshrink"``, ``"softplus"``,
        ``"prelu"`` and so on; or ``"all"``. Gradients are computed, and values where they are an
        operator. The default is PReLU, the only one that becomes faster; the others are for
        numerical studies.
    compute_dtype : {None, "float16", "bfloat16", "float32", "float64", "exact"} or dtype, optional
        Type in which the formulas are evaluated, as for the array functions. None means F64 for F64
        data and F32 for all other data.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        If an argument is not one of these; nothing changes then.

    See Also
    --------
    use : The same for a block.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> at.enable()
    >>> x, weight = torch.tensor([-1.0, 2.0]), torch.tensor(0.25, requires_grad=True)
    >>> torch.nn.functional.prelu(x, weight).sum().backward()
    >>> weight.grad
    tensor(-1.)
    >>> at.disable()
    """
    _STATE.replace_enabled(Setting(*_chosen(ops, compute_dtype)))


def disable() -> None:
    """End the setting of `enable`; settings of `use` last until the end of their blocks.

    Examples
    --------
    >>> import ascendref.torch as at
    >>> at.enable()
    >>> at.disable()
    >>> at.disable()  # it may be called again
    """
    _STATE.replace_enabled(None)


def use(ops: str | Iterable[str] = ("prelu",), compute_dtype: DTypeLike | None = None) -> Scope:
    """Make PyTorch compute gradients with ascendref's kernels for the duration of a block.

    This affects the whole process, including its other threads. The most recently entered setting
    applies, in nested blocks and across threads; on exit the previous one is restored.

    Parameters
    ----------
    ops, compute_dtype
        As for `enable`.

    Returns
    -------
    context manager
        It can also be used as a decorator.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError
        As for `enable`.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.tensor([-1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    >>> with at.use(ops="all", compute_dtype="float64"):
    ...     torch.nn.functional.softplus(x).sum().backward()
    >>> x.grad
    tensor([0.2695, 0.8789], dtype=torch.bfloat16)
    """
    chosen = _chosen(ops, compute_dtype)
    return Scope(lambda: Setting(*chosen))


class OperatorStatistics(NamedTuple):
    """The numbers of calls of one function's operators."""

    #: computed by ascendref
    taken: int
    #: left to PyTorch's own kernel
    fell_back: int
    #: reason -> number of calls left to PyTorch
    why: dict[str, int]


def statistics() -> dict[str, OperatorStatistics]:
    """Return how many calls ascendref computed, how many it left to PyTorch, and why.

    Returns
    -------
    dict of str to OperatorStatistics
        For every function, by name: the calls of its operators, which compute gradients and some
        values. The operator of the gradients of relu and threshold counts for both.

    Examples
    --------
    >>> import torch
    >>> import ascendref.torch as at
    >>> x = torch.ones(3, requires_grad=True)
    >>> before = at.statistics()["hardshrink"].taken
    >>> with at.use("hardshrink"):
    ...     torch.nn.functional.hardshrink(x).sum().backward()
    >>> at.statistics()["hardshrink"].taken - before  # a value and a gradient
    2
    """
    found = {}
    for name, overrides in OVERRIDES.items():
        left = sum([override.left for override in overrides], Counter())
        taken = sum([override.taken for override in overrides])
        found[name] = OperatorStatistics(taken, left.total(), dict(left))
    return found


def _chosen(ops: Any, compute_dtype: Any) -> tuple[tuple[str, ...], str | None]:
    """Return the names of operators and of the compute type."""
    compute = None
    if compute_dtype is not None:
        compute = compute_type_of(compute_dtype)
    allowed = ", ".join(repr(name) for name in ("all", *OVERRIDES))
    if isinstance(ops, str):
        ops = tuple(OVERRIDES) if ops == "all" else (ops,)
    try:
        names = tuple(dict.fromkeys(ops))
    except TypeError as error:
        raise ArgumentTypeError(
            "ops", f"is {shown(ops)}; a name or several names are expected: {allowed}"
        ) from error
    for name in names:
        if name not in OVERRIDES:
            raise ArgumentValueError("ops", f"has {shown(name)}; allowed are {allowed}")
    return names, compute
