"""The table of edges: what is documented about each operator, from the files in ``edges``.

Every operator has an entry, from which all tables of tests take it. Its rows are tried in every
element type and compute type that holds their numbers, scalars included. A family of operators has
a file, which is found by being there; an entry's name there is that of the operator in capitals.
"""

from importlib import import_module
from pathlib import Path

from .edges.entry import Entry

#: the entry of each operator
ENTRIES: dict[str, Entry] = {}
for _path in sorted(Path(__file__).with_name("edges").glob("*.py")):
    _module = import_module(f"{__package__}.edges.{_path.stem}")
    ENTRIES |= {k.lower(): v for k, v in vars(_module).items() if isinstance(v, Entry)}
