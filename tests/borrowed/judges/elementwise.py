"""Judges of elementwise functions and comparisons."""

import math

import numpy as np
from scipy import special

from .judge import Judge, held, judged


def power(x, y):
    """Return a power, of truth values as integers."""
    x, y = (np.int64(value) if np.asarray(value).dtype == bool else value for value in (x, y))
    return np.power(x, y)


def clamped(x, low, high):
    """Return x between two bounds, each of which may be missing."""
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def scaled(x, scale, bias, axis, *_):
    """Return multiples plus a bias along some axes."""
    names = "abcdefgh"[: x.ndim]
    part = names[axis % x.ndim :][: scale.ndim]
    y = np.einsum(f"{names},{part}->{names}", x, scale)
    return y if bias is None else y + np.einsum(f"{names},{part}->{names}", np.ones(x.shape), bias)


def close(x, y, rtol, atol, equal_nan):
    """Tell where two numbers are close."""
    x, y = np.float64(x), np.float64(y)
    near = np.isfinite(y) & (abs(x - y) <= atol + rtol * abs(y))
    return (x == y) | near | (equal_nan & np.isnan(x) & np.isnan(y))


def summed(x, y, alpha):
    """Return x + α·y, of two truth values their disjunction."""
    both = x.dtype == bool and np.asarray(y).dtype == bool
    return x | y if both else x + alpha * y


def divisors(rng):
    return rng.integers(1, 5, (3, 5))


def quotient(x, y, mode):
    """Return a quotient, rounded to zero for mode 1 and down for mode 2."""
    rounded = (np.trunc if mode == 1 else np.floor)(x / y)
    return rounded.astype(x.dtype)


def lerp(x, y, weight):
    return (1 - weight) * x + weight * y


def masked(x, mask, value):
    """Return a number where the mask is set."""
    return np.where(mask, value, x)


def of_numpy(names, module=np):
    """Return functions by the names that NumPy writes in small letters."""
    return {name: getattr(module, name.lower()) for name in names.split()}


#: functions whose results are floats
FUNCTIONS = {
    **of_numpy("Acos Acosh Asin Asinh Atan Atan2 Atanh Cos Cosh Exp Exp2 Expm1 Log Log10 Log1p"),
    **of_numpy("Log2 LogAddExp LogAddExp2 Reciprocal Sin Sinc Sinh Sqrt Tan Tanh"),
    **of_numpy("Digamma Erf Erfc Erfinv Xlog1py", special),
    **dict.fromkeys(("XLogYScalarOther", "XLogYScalarSelf", "XLogYTensor"), special.xlogy),
    "AngleV2": lambda x: np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0)),
    "Lgamma": lambda x: np.where(np.isinf(x), math.inf, special.gammaln(x)),
    "Rsqrt": lambda x: 1 / np.sqrt(x),
}
COMPARISONS = {
    "Eq": np.equal, "Ne": np.not_equal, "Gt": np.greater, "Ge": np.greater_equal, "Lt": np.less,
    "Le": np.less_equal,
}  # fmt: skip
PREDICATES = {
    **of_numpy("IsFinite IsInf"),
    "IsNegInf": lambda x: x == -math.inf,
    "IsPosInf": lambda x: x == math.inf,
    "LogicalAnd": np.logical_and,
    "LogicalNot": np.logical_not,
    "LogicalOr": np.logical_or,
    "LogicalXor": np.logical_xor,
    "Signbit": lambda x: np.signbit(x) if x.dtype == np.float64 else x < 0,
}
#: functions whose results have the type of the data
ARITHMETIC = {
    **of_numpy("Abs Ceil Floor Gcd Maximum Minimum Square Trunc"),
    **dict.fromkeys(("Add", "Adds"), summed),
    **dict.fromkeys(("ClampMax", "ClampMaxTensor"), np.minimum),
    **dict.fromkeys(("ClampMin", "ClampMinTensor"), np.maximum),
    **dict.fromkeys(("Clamp", "ClampTensor", "Hardtanh"), clamped),
    **dict.fromkeys(("MaskedFillScalar", "MaskedFillTensor"), masked),
    **dict.fromkeys(("Mul", "Muls"), np.multiply),
    **dict.fromkeys(("Rsub", "Rsubs"), lambda x, y, alpha: y - alpha * x),
    **dict.fromkeys(("Sub", "Subs"), lambda x, y, alpha: x - alpha * y),
    **dict.fromkeys(("BitwiseAndScalar", "BitwiseAndTensor"), np.bitwise_and),
    **dict.fromkeys(("BitwiseOrScalar", "BitwiseOrTensor"), np.bitwise_or),
    **dict.fromkeys(("BitwiseXorScalar", "BitwiseXorTensor"), np.bitwise_xor),
    "AddRelu": lambda x, y, alpha: np.maximum(x + alpha * y, 0),
    "AddV3": lambda x, y, alpha: x + alpha * y,
    "Addcmul": lambda x, a, b, value: x + value * (a * b),
    "BitwiseAndTensorOut": np.bitwise_and,
    "BitwiseNot": np.invert,
    "Cast": lambda x, dtype: x,
    "Copy": lambda x, other: np.broadcast_to(other, x.shape),
    "FillScalar": lambda x, value: np.full(x.shape, value),
    "FmodScalar": np.fmod,
    "NanToNum": lambda x, nan, high, low: np.nan_to_num(x, nan=nan, posinf=high, neginf=low),
    "Neg": np.negative,
    "PowTensorScalar": power,
    "Round": np.rint,
    "RoundDecimals": lambda x, decimals: np.round(x, decimals),
    "SWhere": np.where,
    "Sign": lambda x: x if x.dtype == bool else np.where(np.isnan(x), 0, np.sign(x)),
    "TanhBackward": lambda grad, output: grad * (1 - output**2),
    "Zero": np.zeros_like,
}
REMAINDERS = ("RemainderScalarTensor", "RemainderTensorScalar", "RemainderTensorTensor")
#: the same, of numbers that are not 0
OF_DIVISORS = {
    **dict.fromkeys(("FloorDivide", "FloorDivides"), np.floor_divide),
    **dict.fromkeys(("Lerp", "Lerps"), lerp),
    **dict.fromkeys(REMAINDERS, np.remainder),
    "Addcdiv": lambda x, a, b, value: x + value * (a / b),
    "FmodTensor": np.fmod,
    "Frac": lambda x: x - np.trunc(x),
}
#: the same, of numbers that are not negative
OF_POSITIVE = {
    **dict.fromkeys(("PowScalarTensor", "PowTensorTensor"), power),
    "LeftShift": np.left_shift,
    "LeftShifts": lambda x, y: np.left_shift(np.int64(x), y),
    "RightShift": np.right_shift,
}
ELEMENTWISE: dict[str, Judge] = {
    **{name: Judge(function) for name, function in ARITHMETIC.items()},
    **{name: Judge(function, data="divisors") for name, function in OF_DIVISORS.items()},
    **{name: Judge(function, data="positive") for name, function in OF_POSITIVE.items()},
    **{name: Judge(function, "float") for name, function in FUNCTIONS.items()},
    **dict.fromkeys(("Div", "Divs"), Judge(np.true_divide, "float", "divisors")),
    **{
        f"{name}{kind}": Judge(function, "bool")
        for name, function in COMPARISONS.items()
        for kind in ("Scalar", "Tensor")
    },
    **{name: Judge(function, "bool") for name, function in PREDICATES.items()},
    "IsClose": judged(
        close,
        (),
        (
            held([0.005, 0, 1, np.nan, np.nan, np.inf]),
            held([0, 0.25, 2, np.nan, 1, np.inf]),
            *(0.5, 0.01, True),
        ),
        result="bool",
    ),
    "Scale": judged(scaled, ("2 3 4 5, 3 4, 3 4", 1, 2, True), ("N 3 4, 3 4", None, -2, -1, True),
        ("2 3 4, 3, 3", 1, 0, False), ("2 3 4, 4", None, -1, 0, False)),
    "Real": Judge(np.real),
    "DivMod": judged(quotient, ("3 5", divisors, 2), ("3 5", divisors, 1)),
    "DivMods": judged(quotient, ("3 5", 3, 2), ("3 5", 3, 1)),
    "Heaviside": judged(np.heaviside, (held([[0, -1, 2], [1, 0, -2]]), "2 3")),
    "Shrink": judged(lambda x, limit, bias: np.where(abs(x) > limit, x - np.sign(x) * bias, 0),
        ("3 5", 1, 0.5)),
}  # fmt: skip
