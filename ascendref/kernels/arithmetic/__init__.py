"""Numbers and formulas: the arithmetics, elementary functions, and codecs of element types.

The package itself has what an operator's file needs: `Formula`, and what formulas may use.
"""

from .formula import Formula as Formula
from .functions import *  # noqa: F403  # the names in its __all__
