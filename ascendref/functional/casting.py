"""The array function `cast`: one float type to another, in any rounding mode of Cast."""

from __future__ import annotations

from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, ArrayT, export_results, import_array
from ..core.dtypes import BY_NUMPY, FLOATS, DTypeLike, floating_type, promote
from ..core.errors import ArgumentValueError, shown
from ..core.fork_safety import import_to_end

#: the vendor's ``RoundMode`` without its prefix ``CAST_``, in lower case
RoundMode = Literal["rint", "trunc", "floor", "ceil", "round", "odd"]
ROUND_MODES: Final = ("rint", "trunc", "floor", "ceil", "round", "odd")


@overload
def cast(array: NDArray[Any], dtype: DTypeLike, round_mode: RoundMode = "rint") -> NDArray[Any]: ...
@overload
def cast(array: ArrayT, dtype: DTypeLike, round_mode: RoundMode = "rint") -> ArrayT: ...
def cast(array: Array, dtype: DTypeLike, round_mode: RoundMode = "rint") -> Any:
    """Cast an array to another float type, rounding once in a mode of the vendor's Cast.

    Parameters
    ----------
    array : array
        F16, BF16, F32 or F64, of any shape and layout.
    dtype : {"float16", "bfloat16", "float32", "float64"} or dtype
        Type of the result: a name, a NumPy, ml_dtypes or torch type, or a member, name or number of
        the vendor's aclDataType.
    round_mode : {"rint", "trunc", "floor", "ceil", "round", "odd"}, optional
        How a value between two numbers of the type is rounded: "rint" to nearest, ties to even;
        "trunc" toward 0; "floor" toward -inf; "ceil" toward +inf; "round" to nearest, ties away
        from 0; "odd" to the number whose last bit is 1.

    Returns
    -------
    array
        The caller's kind of array, with the same shape and layout; a copy even if the type stays
        the same.

    Raises
    ------
    ArgumentTypeError
        If ``array`` is not an array or has an unsupported dtype, or if ``dtype`` is not one of the
        four.
    ArgumentValueError
        If ``round_mode`` is unknown.

    Notes
    -----
    The modes are those of ``RoundMode`` in the vendor's Ascend C (``CAST_RINT`` and so on;
    ``CAST_ODD`` is von Neumann's rounding). The vendor supports all of them for F32 to F16 and all
    except "odd" for F32 to BF16; here every mode works for every pair of types.

    Subnormal numbers are kept. A value beyond the largest finite number becomes that number or
    infinity, as the mode requires: "trunc" and "odd" always give the finite number; "rint" and
    "round" give infinity from half a unit in the last place beyond it. That is the device's INF/NAN
    mode; its saturation mode, without infinities, is not modelled. Infinities and NaN are
    preserved, and a result of 0 keeps its sign.

    Examples
    --------
    >>> import numpy as np, ascendref as ar
    >>> x = np.array([2049, -2049, 1e6], np.float32)  # from 2048 on, F16 has even numbers only
    >>> for mode in ("rint", "floor", "round", "odd"):
    ...     print(f"{mode:5}", ar.cast(x, "float16", mode).tolist())
    rint  [2048.0, -2048.0, inf]
    floor [2048.0, -2050.0, 65504.0]
    round [2050.0, -2050.0, inf]
    odd   [2050.0, -2050.0, 65504.0]
    """
    target = floating_type("dtype", dtype)
    if not issubclass(type(round_mode), str) or round_mode not in ROUND_MODES:
        raise ArgumentValueError(
            "round_mode", f"is {shown(round_mode)}; allowed are {', '.join(ROUND_MODES)}"
        )
    operand, from_numpy = import_array("array", array, FLOATS)
    source = BY_NUMPY[operand.dtype]
    if source is target:
        result = operand.copy(order="K")
    else:
        # the first call imports the kernels and Numba
        kernels = import_to_end("ascendref.kernels.loops.cast")
        # if the target type holds every number of the source type, all modes share a kernel
        mode = "rint" if promote(source, target) is target else round_mode
        result = np.empty_like(operand, target.numpy)
        kernels.cast_kernel(source, target, mode)((operand, result), ())
    return result if from_numpy is None else export_results("array", from_numpy, (result,))[0]
