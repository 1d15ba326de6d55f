"""Numbers and formulas: the arithmetics, elementary functions, and codecs of element types.

The package itself exports the names that operators' files need: `Formula` and the functions.
"""

from .formula import Formula as Formula
from .formula import only_in_float32 as only_in_float32
from .functions import *  # noqa: F403  # the names in its __all__
