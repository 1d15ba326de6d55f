"""Sizes of weights in FRACTAL_NZ, the format in which NPUs multiply matrices."""

from collections.abc import Sequence
from math import prod
from typing import Final

from ..core.dtypes import DataType, DTypeLike
from ..core.errors import ArgumentTypeError, fail, shown
from ..core.status import Status

#: rows of a block, and the bytes of each
ROWS: Final = 16
ROW_BYTES: Final = 32
#: types of weights in this format
WEIGHTS: Final = (DataType.ACL_FLOAT16, DataType.ACL_BF16, DataType.ACL_INT8)


def nz_shape(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Return the storage shape of matrices in FRACTAL_NZ: columns of blocks, and in each its rows.

    Examples
    --------
    >>> from ascendref.borrowed.weights import nz_shape
    >>> nz_shape((510, 40), 2)
    (3, 32, 16, 16)
    """
    *batch, rows, columns = shape
    width = ROW_BYTES // itemsize
    return (*batch, -(-columns // width), -(-rows // ROWS), ROWS, width)


def aclnnCalculateMatmulWeightSizeV2(tensorShape: Sequence[int], dataType: DTypeLike) -> int:
    """Return for how many elements ``aclnnTransMatmulWeight`` needs room.

    Parameters
    ----------
    tensorShape : sequence of int
        Shape of the weight: two to six axes, none of them empty.
    dataType : dtype, str or int
        F16, BF16 or INT8.

    Raises
    ------
    AclError
        161001 if an argument is None; 161002 for other types and shapes.

    Examples
    --------
    >>> from ascendref import aclnn
    >>> aclnn.aclnnCalculateMatmulWeightSizeV2((510, 510), "float16")
    262144
    """
    for name, value in (("tensorShape", tensorShape), ("dataType", dataType)):
        if value is None:
            fail(Status.ACLNN_ERR_PARAM_NULLPTR, f"{name} is None; it must be given")
    try:
        kind = DataType.of(dataType)
    except ArgumentTypeError:
        kind = DataType.ACL_DT_UNDEFINED
    if kind not in WEIGHTS:
        names = ", ".join(each.name for each in WEIGHTS)
        problem = f"dataType is {shown(dataType)}; allowed are {names}"
        fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    sizes = tuple(tensorShape)
    if not 2 <= len(sizes) <= 6 or min(sizes) < 1:
        problem = f"tensorShape is {shown(sizes)}; 2 to 6 sizes above 0 are expected"
        fail(Status.ACLNN_ERR_PARAM_INVALID, problem)
    return prod(nz_shape(sizes, kind.nbytes))


def aclnnCalculateMatmulWeightSize(tensorShape: Sequence[int]) -> int:
    """Return what `aclnnCalculateMatmulWeightSizeV2` does for F16 and BF16.

    Parameters
    ----------
    tensorShape : sequence of int
        Shape of the weight: two to six axes, none of them empty.

    Raises
    ------
    AclError
        161001 if the shape is None; 161002 for other shapes.

    Examples
    --------
    >>> from ascendref import aclnn
    >>> aclnn.aclnnCalculateMatmulWeightSize((16, 17))
    512
    """
    return aclnnCalculateMatmulWeightSizeV2(tensorShape, DataType.ACL_FLOAT16)
