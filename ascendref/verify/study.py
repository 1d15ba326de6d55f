"""What `ascendref study` measures: the error of each compute type's arithmetic alone.

The data have at most 8 significant bits and are exact in both F16 and BF16, so no compute type
loses anything before the first operation; the results are F64, so none loses anything after the
last. What remains is the error of the arithmetic.
"""

from typing import Final, NamedTuple

import numpy as np

from ..core.dtypes import ELEMENT_TYPES
from ..core.errors import OptionError
from .comparison.ulp import spacing
from .setting import Doubles, Setting, data_name

#: the compute types, by cost
COMPUTED: Final = ("bfloat16", "float16", "float32", "float64")
#: pairs of a datum and a gradient
PAIRS: Final = 4096


class Study(NamedTuple):
    """One operator in every compute type."""

    setting: Setting
    data: Doubles
    #: errors by compute type: relative, and in ulp of the compute type
    relative: dict[str, Doubles]
    ulps: dict[str, Doubles]


@np.errstate(all="ignore")
def study(setting: Setting, seed: int) -> Study:
    """Compute the same data in every compute type; OptionError if no result is finite."""
    rng = np.random.default_rng(seed)
    gradients = rng.choice([-1, 1], PAIRS) * rng.uniform(0.1, 4, PAIRS)
    data = rng.uniform(*setting.operator.interval, PAIRS)
    tensors = [_short(x) for x in setting.tensors(data[:, None], gradients[:, None])]
    golden = setting.value(tensors)[:, 0]
    kept = np.isfinite(golden)
    if not kept.any():
        raise OptionError("--attr", f"results of {setting.operator.name} are not finite with it")
    relative, ulps = {}, {}
    for compute in COMPUTED:
        found = setting.call(compute, tensors)[:, 0]
        away = found - golden
        if compute == "float64":  # its results are as precise as golden
            for k in np.flatnonzero(kept).tolist():
                away[k] = setting.beyond(found[k].item(), [x[k, 0].item() for x in tensors], PAIRS)
        error = np.abs(away[kept])
        relative[compute] = error / np.where(golden[kept] == 0, 1, np.abs(golden[kept]))
        ulps[compute] = error / spacing(golden[kept], ELEMENT_TYPES[compute])
    names = setting.operator.operand_names
    data = tensors[names.index(data_name(setting.operator))][kept, 0]
    return Study(setting, data, relative, ulps)


def _short(values: Doubles) -> Doubles:
    """Keep the 8 bits that BF16 has, in the range of F16."""
    significands, exponents = np.frexp(values)
    exponents = np.maximum(exponents, -6)
    result: Doubles = np.ldexp(np.rint(np.ldexp(significands, 8)), exponents - 8)
    return result
