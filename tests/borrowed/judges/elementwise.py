"""Judges of elementwise functions and comparisons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from .judge import Judge, judged


def power(x: Any, y: Any) -> Any:
    """Return a power, of truth values as integers."""
    x, y = (np.int64(value) if np.asarray(value).dtype == bool else value for value in (x, y))
    return np.power(x, y)


def clamped(x: Any, low: Any, high: Any) -> Any:
    """Return x between two bounds, each of which may be missing."""
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def scaled(x: Any, scale: Any, bias: Any, axis: int, *_: Any) -> Any:
    """Return multiples plus a bias along some axes."""
    names = "abcdefgh"[: x.ndim]
    part = names[axis % x.ndim :][: scale.ndim]
    y = np.einsum(f"{names},{part}->{names}", x, scale)
    return y if bias is None else y + np.einsum(f"{names},{part}->{names}", np.ones(x.shape), bias)


def close(x: Any, y: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    """Tell where two numbers are close."""
    x, y = np.float64(x), np.float64(y)
    near = np.isfinite(y) & (abs(x - y) <= atol + rtol * abs(y))
    return (x == y) | near | (equal_nan & np.isnan(x) & np.isnan(y))


def summed(x: Any, y: Any, alpha: Any) -> Any:
    """Return x + α·y, of two truth values their disjunction."""
    both = x.dtype == bool and np.asarray(y).dtype == bool
    return x | y if both else x + alpha * y


def divisors(rng: Any) -> Any:
    """Return integers that are not 0."""
    return rng.integers(1, 5, (3, 5))


def quotient(x: Any, y: Any, mode: int) -> Any:
    """Return a quotient, rounded to zero for mode 1 and down for mode 2."""
    rounded = (np.trunc if mode == 1 else np.floor)(x / y)
    return rounded.astype(x.dtype)


#: functions whose results have the type of the data
ARITHMETIC = {
    "Abs": Judge(np.abs),
    "Add": Judge(summed),
    "Adds": Judge(summed),
    "Addcdiv": Judge(lambda x, a, b, value: x + value * (a / b), data="divisors"),
    "Addcmul": Judge(lambda x, a, b, value: x + value * (a * b)),
    "Cast": Judge(lambda x, dtype: x),
    "Ceil": Judge(np.ceil),
    "Clamp": Judge(clamped),
    "ClampMax": Judge(np.minimum),
    "ClampMaxTensor": Judge(np.minimum),
    "ClampMin": Judge(np.maximum),
    "ClampMinTensor": Judge(np.maximum),
    "ClampTensor": Judge(clamped),
    "Copy": Judge(lambda x, other: np.broadcast_to(other, x.shape)),
    "FillScalar": Judge(lambda x, value: np.full(x.shape, value)),
    "Floor": Judge(np.floor),
    "FloorDivide": Judge(np.floor_divide, data="divisors"),
    "FloorDivides": Judge(np.floor_divide, data="divisors"),
    "FmodScalar": Judge(np.fmod),
    "FmodTensor": Judge(np.fmod, data="divisors"),
    "Frac": Judge(lambda x: x - np.trunc(x), data="divisors"),
    "Gcd": Judge(np.gcd),
    "Hardtanh": Judge(clamped),
    "LeftShift": Judge(np.left_shift, data="positive"),
    "LeftShifts": Judge(lambda x, y: np.left_shift(np.int64(x), y), data="positive"),
    "Lerp": Judge(lambda x, y, weight: (1 - weight) * x + weight * y, data="divisors"),
    "Lerps": Judge(lambda x, y, weight: (1 - weight) * x + weight * y, data="divisors"),
    "MaskedFillScalar": Judge(lambda x, mask, value: np.where(mask, value, x)),
    "MaskedFillTensor": Judge(lambda x, mask, value: np.where(mask, value, x)),
    "Maximum": Judge(np.maximum),
    "Minimum": Judge(np.minimum),
    "Mul": Judge(np.multiply),
    "Muls": Judge(np.multiply),
    "Neg": Judge(np.negative),
    "PowScalarTensor": Judge(power, data="positive"),
    "PowTensorScalar": Judge(power),
    "PowTensorTensor": Judge(power, data="positive"),
    "RemainderScalarTensor": Judge(np.remainder, data="divisors"),
    "RemainderTensorScalar": Judge(np.remainder, data="divisors"),
    "RemainderTensorTensor": Judge(np.remainder, data="divisors"),
    "RightShift": Judge(np.right_shift, data="positive"),
    "Round": Judge(np.rint),
    "Rsub": Judge(lambda x, y, alpha: y - alpha * x),
    "Rsubs": Judge(lambda x, y, alpha: y - alpha * x),
    "SWhere": Judge(np.where),
    "Sign": Judge(lambda x: x if x.dtype == bool else np.where(np.isnan(x), 0, np.sign(x))),
    "Sub": Judge(lambda x, y, alpha: x - alpha * y),
    "Subs": Judge(lambda x, y, alpha: x - alpha * y),
    "TanhBackward": Judge(lambda grad, output: grad * (1 - output**2)),
    "Trunc": Judge(np.trunc),
    "Zero": Judge(np.zeros_like),
    "AddRelu": Judge(lambda x, y, alpha: np.maximum(x + alpha * y, 0)),
    "AddV3": Judge(lambda x, y, alpha: x + alpha * y),
    "Scale": judged(scaled, "2 3 4 5, 3 4, 3 4", 1, 2, True)
    .also("N 3 4, 3 4", None, -2, -1, True)
    .also("2 3 4, 3, 3", 1, 0, False)
    .also("2 3 4, 4", None, -1, 0, False),
    "BitwiseAndTensorOut": Judge(np.bitwise_and),
    "DivMod": judged(quotient, "3 5", divisors, 2).also("3 5", divisors, 1),
    "DivMods": judged(quotient, "3 5", 3, 2).also("3 5", 3, 1),
    "Heaviside": judged(np.heaviside, lambda _: [[0, -1, 2], [1, 0, -2]], "2 3"),
    "NanToNum": Judge(lambda x, nan, high, low: np.nan_to_num(x, nan=nan, posinf=high, neginf=low)),
    "RoundDecimals": Judge(lambda x, decimals: np.round(x, decimals)),
    "Shrink": judged(
        lambda x, limit, bias: np.where(abs(x) > limit, x - np.sign(x) * bias, 0), "3 5", 1, 0.5
    ),
    "Square": Judge(np.square),
}
#: functions whose results are floats
FUNCTIONS = {
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atan2": np.arctan2,
    "Atanh": np.arctanh,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Digamma": special.digamma,
    "Div": np.true_divide,
    "Divs": np.true_divide,
    "Erf": special.erf,
    "Erfc": special.erfc,
    "Erfinv": special.erfinv,
    "Exp": np.exp,
    "Exp2": np.exp2,
    "Expm1": np.expm1,
    "Lgamma": lambda x: np.where(np.isinf(x), math.inf, special.gammaln(x)),
    "Log": np.log,
    "Log10": np.log10,
    "Log1p": np.log1p,
    "Log2": np.log2,
    "LogAddExp": np.logaddexp,
    "LogAddExp2": np.logaddexp2,
    "Reciprocal": lambda x: 1 / np.float64(x),
    "Rsqrt": lambda x: 1 / np.sqrt(x),
    "Sin": np.sin,
    "Sinc": np.sinc,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "AngleV2": lambda x: np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0)),
    "Xlog1py": special.xlog1py,
    "XLogYScalarOther": special.xlogy,
    "XLogYScalarSelf": special.xlogy,
    "XLogYTensor": special.xlogy,
}
COMPARISONS = {
    "Eq": np.equal,
    "Ne": np.not_equal,
    "Gt": np.greater,
    "Ge": np.greater_equal,
    "Lt": np.less,
    "Le": np.less_equal,
}
BITWISE = {"And": np.bitwise_and, "Or": np.bitwise_or, "Xor": np.bitwise_xor}
PREDICATES = {
    "IsFinite": np.isfinite,
    "IsInf": np.isinf,
    "IsNegInf": lambda x: x == -math.inf,
    "IsPosInf": lambda x: x == math.inf,
    "LogicalAnd": np.logical_and,
    "LogicalNot": np.logical_not,
    "LogicalOr": np.logical_or,
    "LogicalXor": np.logical_xor,
    "Signbit": lambda x: np.signbit(x) if x.dtype == np.float64 else x < 0,
}
ELEMENTWISE: dict[str, Judge] = {
    **ARITHMETIC,
    **{
        name: Judge(function, "float", "divisors" if name in ("Div", "Divs") else "any")
        for name, function in FUNCTIONS.items()
    },
    **{
        f"{name}{kind}": Judge(function, "bool")
        for name, function in COMPARISONS.items()
        for kind in ("Scalar", "Tensor")
    },
    **{
        f"Bitwise{name}{kind}": Judge(function)
        for name, function in BITWISE.items()
        for kind in ("Scalar", "Tensor")
    },
    "BitwiseNot": Judge(np.invert),
    **{name: Judge(function, "bool") for name, function in PREDICATES.items()},
    "IsClose": Judge(close, "bool", calls=((),)).also(
        lambda _: [0.005, 0, 1, np.nan, np.nan, np.inf],
        lambda _: [0, 0.25, 2, np.nan, 1, np.inf],
        *(0.5, 0.01, True),
    ),
}
