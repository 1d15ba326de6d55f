"""Judges of the table's rows, by the vendor's name without ``aclnn`` and ``Inplace``."""

from .elementwise import ELEMENTWISE
from .indexing import INDEXING
from .judge import Judge
from .lists import FOREACH
from .matrices import MATRICES
from .networks import NETWORKS
from .randoms import RANDOM
from .reductions import REDUCTIONS

JUDGES: dict[str, Judge] = (
    ELEMENTWISE | REDUCTIONS | INDEXING | MATRICES | FOREACH | NETWORKS | RANDOM
)
