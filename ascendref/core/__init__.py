"""What everything stands on: element types, errors, status codes, layout, products, threads."""

# before anything else imports NumPy: what an interrupt breaks off there cannot be imported again
from . import fork_safety as fork_safety
