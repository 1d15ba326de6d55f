"""The lowest layer: element types, errors, status codes, layout, products, threads."""

# first of all: an import of NumPy that is interrupted cannot be repeated in the same process
from . import fork_safety as fork_safety
