"""Edges of the operators, written out by hand from what is documented: inputs and results.

Every operator has an entry, from which all tables of tests take it. Its rows are tried in every
element type and compute type that holds their numbers, scalars included. A family of operators has
a file, which is found by being here.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from .entry import Edge as Edge
from .entry import Entry

#: the entry of each operator
ENTRIES: dict[str, Entry] = {}
for _family in pkgutil.iter_modules(__path__):
    if _family.name != "entry":
        ENTRIES |= import_module(f"{__name__}.{_family.name}").ENTRIES
