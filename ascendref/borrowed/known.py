"""All functions of the vendor's that are known: ascendref's own, borrowed and absent ones.

``known.tsv`` has a row for each, group after group. A function in neither other table is absent.
"""

from functools import cache
from importlib.resources import files
from typing import Final, Literal, NamedTuple

from ..declaration.operator import APIS
from .table import borrowed

Presence = Literal["own", "borrowed", "absent"]

#: what reports say of functions, the available ones first
PRESENCES: Final[tuple[Presence, ...]] = ("own", "borrowed", "absent")


class Known(NamedTuple):
    """A known function for an operator."""

    #: the vendor's name, which is that of phase 2
    api: str
    #: headers that declare it
    headers: tuple[str, ...]
    #: what kind of operator it is
    group: str

    @property
    def presence(self) -> Presence:
        """Whether ascendref computes it, PyTorch, or nothing."""
        if self.api in APIS:
            return "own"
        return "borrowed" if self.api in borrowed() else "absent"


@cache
def known() -> dict[str, Known]:
    """Return all known functions by name, group after group."""
    text = files(__package__).joinpath("known.tsv").read_text(encoding="utf-8")
    rows = [row.split("\t") for row in text.splitlines()[1:]]
    return {
        api: Known(api, tuple([f"{name}.h" for name in headers.split()]), group)
        for api, headers, group in rows
    }


@cache
def absent() -> dict[str, Known]:
    """Return the known functions that nothing computes here."""
    return {api: row for api, row in known().items() if row.presence == "absent"}
