"""Judges: what NumPy or a second formula computes, and the calls with which it is compared."""

import itertools
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import numpy as np


class Type:
    """Stands for the type of the first result among the arguments of a call."""


class Judge(NamedTuple):
    """A judge of one operator; it returns an array for each result, and a list for a list.

    The function gets what the operator reads: arrays of float64, int64 or bool, lists of them, and
    numbers.
    """

    value: Callable[..., Any]
    #: type of a result of integers: that of the data, float32, bool or INT64
    result: Literal["same", "float", "bool", "index"] = "same"
    #: numbers that tensors hold: any, none that is 0, none below 0
    data: Literal["any", "divisors", "positive"] = "any"
    #: what the operator reads, for each call: a tensor is its shape and which data it has (see
    #: `tests.borrowed.calls.array`), or a function that makes it
    calls: tuple[tuple[Any, ...], ...] = ()
    #: chooses one of several equally good results, of a call and of the judge
    chosen: Callable[[list[Any]], list[Any]] = list
    #: whether tensors with gaps are taken
    strided: bool = True


def judged(value: Callable[..., Any], *calls: Any, **fields: Any) -> Judge:
    """Return a judge with its calls.

    Each is a tuple of arguments, or one argument. Several tensors may stand in one text, with
    commas between.
    """
    tuples = [call if isinstance(call, tuple) else (call,) for call in calls]
    return Judge(value, calls=tuple(map(_separate, tuples)), **fields)


def _separate(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    parts = [each.split(", ") if isinstance(each, str) else [each] for each in arguments]
    return tuple(itertools.chain(*parts))


#: of the derivative along the imaginary axis
STEP: Final = 1e-30


def gradient(function: Callable[..., Any], grad: Any, of: int, *given: Any) -> Any:
    """Return the gradient of a function's sum, weighted, for one of its arguments.

    A step along the imaginary axis has no rounding error; the function must be analytic.
    """
    found = np.zeros(given[of].size)
    arguments = list(given)
    for k in range(found.size):
        moved = given[of].astype(complex)
        moved.flat[k] += STEP * 1j
        arguments[of] = moved
        found[k] = (grad * np.imag(function(*arguments))).sum() / STEP
    return found.reshape(given[of].shape)


def backward(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the gradient of a function for its first argument, of the gradient and arguments."""
    return lambda grad, *given: gradient(function, grad, 0, *given)


def held(data: Any) -> Callable[[Any], Any]:
    """Return a function that makes a tensor of certain data."""
    return lambda _: data


def uniform(low: float, high: float, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    """Return a function that makes a tensor of numbers between two others."""
    return lambda rng: rng.uniform(low, high, shape)
