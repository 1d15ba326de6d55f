"""The acl and aclnn functions that files need: programs, shared objects and sources."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from ..borrowed.known import PRESENCES, Presence, absent
from ..cann.functions import ABSENT, functions
from ..cann.headers import headers
from ..core.errors import OptionError
from .outputs import named
from .programs import check_program

Need = Presence | Literal["unknown"]

#: what functions may be, in the order of reports
KINDS: Final[tuple[Need, ...]] = (*PRESENCES, "unknown")
#: ends of the names of sources
C_SOURCES: Final = tuple(".c .cc .cpp .cxx .h .hh .hpp .hxx".split())
PYTHON_SOURCES: Final = (".py", ".pyi")

_NAME: Final = re.compile(r"[aA]cl[a-z]*[A-Z]\w*")
#: what no name of a function in C stands in: comments, strings, characters, numbers
_NO_CODE: Final = re.compile(
    r"""//(?:\\\n|[^\n])*
    | /\*.*?(?:\*/|\Z)
    | (?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
    | "(?:\\.|[^"\\\n])*"
    | \b\d(?:'?\w)*
    | '(?:\\.|[^'\\\n])*'
    """,
    re.DOTALL | re.VERBOSE,
)
_C_NAME: Final = re.compile(
    rf"(?P<define>\#\s*define\s+)?\b(?P<name>{_NAME.pattern})(?P<call>\s*\()?"
)
_INCLUDE: Final = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
_BODY: Final = re.compile(r"[^;{}()]*\)\s*\{")


class Names(NamedTuple):
    """The names of acl and aclnn functions in a file."""

    #: those that it uses
    used: set[str]
    #: those that it defines
    defined: set[str]
    #: files that it includes, which have names too
    included: tuple[Path, ...] = ()


def needed_functions(paths: Iterable[Path]) -> list[str]:
    """Return what functions files need and do not define, in alphabetical order.

    Both phases of an operator have its name. Files that sources in C include from their own folder
    count too.
    """
    found: dict[Path, Names] = {}
    waiting = [*paths]
    while waiting:
        path = waiting.pop()
        check_program("PATH", path)
        place = path.resolve()
        if place not in found:
            found[place] = names = names_in(path)
            waiting += names.included
    used = set[str]().union(*[names.used for names in found.values()])
    defined = set[str]().union(*[names.defined for names in found.values()])
    return sorted({_operator(name) for name in used - defined}, key=str.casefold)


def _operator(name: str) -> str:
    return name.removesuffix("GetWorkspaceSize") if name.startswith("aclnn") else name


def kind_of(name: str) -> Need:
    """Tell whether the library has a function of its own, borrows it, or lacks it."""
    function = functions().get(name)
    if function is not None:
        return "borrowed" if function.is_borrowed else "own"
    return "absent" if name in ABSENT or name in absent() else "unknown"


def names_in(path: Path) -> Names:
    """Return the names in a program, a shared or object file, or a source."""
    with path.open("rb") as file:
        is_elf = file.read(4) == b"\x7fELF"
    if is_elf:
        return _names_in_elf(path)
    if path.suffix in C_SOURCES:
        text = path.read_text(encoding="utf-8", errors="replace")
        files = [path.parent / name for name in _INCLUDE.findall(text)]
        included = [x for x in files if x.suffix in C_SOURCES and x.is_file()]
        return names_in_c(text)._replace(included=tuple(included))
    if path.suffix in PYTHON_SOURCES:
        return _names_in_python(path)
    endings = ", ".join([*C_SOURCES, *PYTHON_SOURCES])
    problem = f"{named(path)} is neither a program or shared object (ELF) nor a source ({endings})"
    raise OptionError("PATH", problem)


def _names_in_elf(path: Path) -> Names:
    """Return the names in the dynamic linker's table, or in the linker's of an object file."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    names = Names(set(), set())
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            is_object = elf.header.e_type == "ET_REL"
            table = elf.get_section_by_name(".symtab" if is_object else ".dynsym")
            if isinstance(table, SymbolTableSection):
                for symbol in table.iter_symbols():
                    if _NAME.fullmatch(symbol.name):
                        is_undefined = symbol.entry.st_shndx == "SHN_UNDEF"
                        (names.used if is_undefined else names.defined).add(symbol.name)
    except (ELFError, OSError, UnicodeError, ValueError) as error:
        raise OptionError("PATH", f"{named(path)} is a damaged ELF file: {error}") from error
    return names


@cache
def _types() -> frozenset[str]:
    """Return the types in the headers, whose conversions look like calls."""
    names = {name for text in headers().values() for name in _NAME.findall(text)}
    return frozenset(name for name in names if kind_of(_operator(name)) == "unknown")


def _is_function(name: str, is_called: bool) -> bool:
    """Tell whether a name is one of a function: a known one, or another that is called."""
    known = kind_of(_operator(name)) != "unknown"
    return known or (is_called and name not in _types())


def names_in_c(text: str) -> Names:
    """Return the names in a source in C or C++, without those in comments and strings."""
    code, names = _NO_CODE.sub(" ", text), Names(set(), set())
    for match in _C_NAME.finditer(code):
        is_called = match["call"] is not None
        if _is_function(match["name"], is_called):
            names.used.add(match["name"])
        if match["define"] or (is_called and _BODY.match(code, match.end())):
            names.defined.add(match["name"])
    return names


def _names_in_python(path: Path) -> Names:
    names = Names(set(), set())
    try:
        with tokenize.open(path) as file:
            for before, token, after in _neighbours(tokenize.generate_tokens(file.readline)):
                if _NAME.fullmatch(token) and _is_function(token, after == "("):
                    names.used.add(token)
                if before in ("def", "class"):
                    names.defined.add(token)
    except (SyntaxError, UnicodeError, tokenize.TokenError) as error:
        raise OptionError("PATH", f"{named(path)} is no Python source: {error}") from error
    return names


def _neighbours(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[tuple[str, str, str]]:
    """Yield each token with those before and after it; strings and comments are none."""
    texts = (token.string for token in tokens if token.type in (tokenize.NAME, tokenize.OP))
    pairs = pairwise(["", *texts, ""])
    yield from ((one, two, three) for (one, two), (_, three) in pairwise(pairs))
