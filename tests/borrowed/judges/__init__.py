"""Judges of the table's rows, by the vendor's name without ``aclnn`` and ``Inplace``.

Their functions have the parameters that a row reads, in its order, of any type.
"""

from .attention import ATTENTION
from .convolutions import CONVOLUTIONS
from .elementwise import ELEMENTWISE
from .indexing import INDEXING
from .judge import Judge
from .lists import FOREACH
from .matrices import MATRICES
from .networks import NETWORKS
from .normalization import NORMALIZATION
from .optimizers import OPTIMIZERS
from .quantization import QUANTIZATION
from .randoms import RANDOM
from .reductions import REDUCTIONS

JUDGES: dict[str, Judge] = (
    ATTENTION
    | ELEMENTWISE
    | REDUCTIONS
    | INDEXING
    | MATRICES
    | FOREACH
    | NETWORKS
    | CONVOLUTIONS
    | NORMALIZATION
    | OPTIMIZERS
    | QUANTIZATION
    | RANDOM
)
