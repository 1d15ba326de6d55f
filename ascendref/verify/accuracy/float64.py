"""F64 results against exact values, on a sample: there are too many to test all."""

import math
from typing import Final

import numpy as np

from ...core.dtypes import FLOAT64
from ..comparison.ulp import spacing
from ..setting import Doubles, Setting, gradient_name
from .rows import Float64Row, element_row

#: pairs of a datum and a gradient in a sample, and in an exhaustive run
_PAIRS: Final = 3_000
_MANY: Final = 20_000


def _sample(rng: np.random.Generator, pairs: int) -> tuple[Doubles, ...]:
    """Return data and gradients: any bits, numbers near 1, and numbers in [0, 1]."""
    third = pairs // 3
    rest = pairs - 2 * third

    def bits() -> Doubles:
        return rng.integers(0, 1 << 64, third, np.uint64).view(np.float64)

    near = np.ldexp(rng.standard_normal(third), rng.integers(-8, 8, third))
    data = np.concatenate([bits(), near, rng.uniform(0, 1, rest)])
    wide = np.ldexp(rng.standard_normal(rest), rng.integers(-1000, 1000, rest))
    return data, np.concatenate([bits(), rng.standard_normal(third), wide])


@np.errstate(all="ignore")
def measure_float64(setting: Setting, seed: int, exhaustive: bool) -> Float64Row:
    """Compare a sample of results computed in F64 with exact values."""
    data, gradients = _sample(np.random.default_rng(seed), _MANY if exhaustive else _PAIRS)
    tensors = setting.tensors(data[:, None], gradients[:, None])
    results = setting.call("float64", tensors)[:, 0]
    size = data.size
    bound = setting.bound(FLOAT64.name, "float64", size)
    columns = [array[:, 0] for array in tensors]
    allowed = np.inf if bound is None else setting.allowed(bound, columns)
    allowed = np.broadcast_to(allowed, data.shape).tolist()
    has_gradient = gradient_name(setting.operator) is not None
    wrong, beyond, worst, at = 0, 0, 0.0, None
    for k, elements in enumerate(zip(*(array.tolist() for array in columns), strict=True)):
        actual, most = results[k].item(), allowed[k]
        golden, error = _golden_and_error(setting, actual, elements, size)
        wrong += not _same(actual, golden)
        beyond += error > most
        if worst < error < math.inf and most < math.inf:
            gradient = gradients[k].item() if has_gradient else None
            worst, at = error, element_row(data[k].item(), gradient, actual, golden)
    return {
        "operator": setting.operator.name,
        "setting": setting.label,
        "pairs": size,
        "wrongly_rounded": wrong,
        "max_ulp": worst,
        "at": at,
        "bound": None if bound is None else str(bound),
        "holds": bound is None or not (wrong if bound.rounded else beyond),
    }


def _same(actual: float, golden: float) -> bool:
    """Tell whether two numbers are the same, with the same sign of zero."""
    if math.isnan(golden):
        return math.isnan(actual)
    return actual == golden and math.copysign(1, actual) == math.copysign(1, golden)


def _golden_and_error(
    setting: Setting, actual: float, elements: tuple[float, ...], size: int
) -> tuple[float, float]:
    """Return the exact value, rounded once, and the error of a result in ulp.

    The error is infinite next to an infinity or NaN, and for a zero of the other sign.
    """
    rest = setting.beyond(actual, elements, size) if math.isfinite(actual) else math.nan
    golden = actual + rest
    # next to a result, unless it is tiny, the sum is rounded as the exact value is
    if not (abs(rest) < 2.0**-50 * abs(actual) and abs(actual) > 2.0**-900):
        golden = setting.exact(elements, size, FLOAT64.name)
    if not (math.isfinite(actual) and math.isfinite(golden)) or actual == golden == 0:
        return golden, 0.0 if _same(actual, golden) else math.inf
    # next to a power of two, an ulp is that of the side on which the exact value lies
    below = (rest - (golden - actual)) * golden < 0
    near = np.array(math.nextafter(golden, 0) if below else golden)
    return golden, abs(rest) / spacing(near, FLOAT64).item()
