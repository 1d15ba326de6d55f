"""The acl and aclnn functions that files need: programs, shared objects and sources."""

import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple

from rich.console import Console

from ..borrowed.known import PRESENCES, Presence, absent
from ..cann.functions import ABSENT, ABSENT_SYMBOL, functions
from ..cann.headers import headers
from ..core.errors import OptionError
from ..core.extras import install_command
from .console import print_json, print_row
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
_C_NAME: Final = re.compile(rf"(?<!\#)\b(?P<name>{_NAME.pattern})\b(?!\#)(?P<call>\s*\()?")
_INCLUDE: Final = re.compile(r'^\s*#\s*include\s*"([^"\n]+)"', re.MULTILINE)
_PARENTHESIS: Final = re.compile(r"[()]")
_BODY: Final = re.compile(r"[^;{}()]*\)\s*\{")
_DEFINE: Final = re.compile(r"define\s+(?P<name>\w+)(?:\((?P<parameters>[^()]*)\))?(?P<body>.*)")
_DIRECTIVE: Final = re.compile(r"^[ \t]*#[ \t]*(.*)$", re.MULTILINE)
#: what stands before the name that a declaration declares, from the end of the last statement on
_DECLARED: Final = re.compile(
    r"""(?:^|[;{}]|(?<!:):(?!:))  # the end
    (?:\s|::|[*&]|<[^<>;]*>|\[\[.*?\]\]|__attribute__\s*\(\(.*?\)\)
    |\b(?!(?:return|else|do|case|goto|throw|new|delete|sizeof|and|or|not|co_\w+)\b)\w+)*
    (?<=[\w*&>\])])\Z""",
    re.DOTALL | re.VERBOSE,
)
#: how far before a name a declaration may begin
_LONGEST: Final = 500


class Macro(NamedTuple):
    """A macro of C with parameters."""

    parameters: tuple[str, ...]
    body: str

    def expanded(self, arguments: str) -> str:
        """Return what a call becomes; names in it may be pasted together."""
        given = _separated(arguments, len(self.parameters))
        values = dict(zip(self.parameters, given, strict=False))
        text = re.sub(r"(?<!#)#\s*\w+", '""', self.body)
        return re.sub(r"\w+", lambda x: values.get(x[0], x[0]), text).replace("##", "")


class Source(NamedTuple):
    """A source in C without comments and strings, and its macros."""

    code: str
    macros: dict[str, list[Macro]]


class Names(NamedTuple):
    """The names of acl and aclnn functions in a file."""

    #: those that it uses
    used: set[str]
    #: those that it defines
    defined: set[str]
    #: files that it includes, which have names too
    included: tuple[Path, ...] = ()
    #: the source, if it is one in C
    source: Source | None = None


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
    pasted = names_pasted([x.source for x in found.values() if x.source is not None])
    used = pasted.used.union(*[names.used for names in found.values()])
    defined = pasted.defined.union(*[names.defined for names in found.values()])
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
                    name = symbol.name.removeprefix(ABSENT_SYMBOL)
                    if _NAME.fullmatch(name):
                        is_undefined = symbol.entry.st_shndx == "SHN_UNDEF"
                        (names.used if is_undefined else names.defined).add(name)
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
    text = _NO_CODE.sub(" ", text).replace("\\\n", " ")
    text = re.sub(r"[ \t]*##[ \t]*", "##", text)
    source, names = Source(_DIRECTIVE.sub("", text), {}), Names(set(), set())
    _add_names(source.code, names)
    for line in _DIRECTIVE.findall(text):
        macro = _DEFINE.match(line)
        if macro is None:
            continue
        _add_names(macro["body"], names)
        if _NAME.fullmatch(macro["name"]):
            names.defined.add(macro["name"])
        if macro["parameters"] is not None:
            words = [word.strip() for word in macro["parameters"].split(",")]
            parameters = tuple(["__VA_ARGS__" if x == "..." else x.rstrip(". ") for x in words])
            source.macros.setdefault(macro["name"], []).append(Macro(parameters, macro["body"]))
    return names._replace(source=source)


def _add_names(code: str, names: Names) -> None:
    """Add the names in code to those that a file uses or defines."""
    for match in _C_NAME.finditer(code):
        is_called, name = match["call"] is not None, match["name"]
        has_body = is_called and _BODY.match(code, match.end()) is not None
        before = code[max(0, match.start() - _LONGEST) : match.start()]
        if has_body:
            names.defined.add(name)
        elif _is_function(name, is_called) and not (
            is_called and _DECLARED.search(before.rstrip())
        ):
            names.used.add(name)


def names_pasted(sources: Iterable[Source]) -> Names:
    """Return the names in what calls of macros become that paste names together."""
    macros: dict[str, list[Macro]] = {}
    for source in sources:
        for name, several in source.macros.items():
            macros.setdefault(name, []).extend(several)
    # those that paste, and those that call them
    pasting: dict[str, list[Macro]] = {}
    while more := {
        name: several
        for name, several in macros.items()
        if name not in pasting
        and any("##" in x.body or any(_calls(x.body, pasting)) for x in several)
    }:
        pasting |= more
    names = Names(set(), set())
    for source in sources:
        _add_pasted(source.code, pasting, names)
    return names


def _add_pasted(code: str, macros: Mapping[str, list[Macro]], names: Names) -> None:
    for name, arguments in _calls(code, macros):
        others = {other: several for other, several in macros.items() if other != name}
        for macro in macros[name]:
            text = macro.expanded(arguments)
            _add_names(text, names)
            _add_pasted(text, others, names)


def _calls(code: str, macros: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the calls of macros: the name, and the text between the parentheses."""
    names = "|".join(macros)
    for match in re.finditer(rf"\b({names})\s*\(", code) if names else ():
        depth = 1
        for mark in _PARENTHESIS.finditer(code, match.end()):
            depth += 1 if mark[0] == "(" else -1
            if not depth:
                yield match[1], code[match.end() : mark.start()]
                break


def _separated(arguments: str, count: int) -> list[str]:
    """Return the arguments of a call; the last of them has all that are left."""
    found, depth = [""], 0
    for character in arguments:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth and len(found) < count:
            found.append("")
        else:
            found[-1] += character
    return [text.strip() for text in found]


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


def symbols(paths: list[Path], as_json: bool) -> bool:
    """Print which functions files need and which of them are here; tell whether all are."""
    found: dict[Need, list[str]] = {kind: [] for kind in KINDS}
    for name in needed_functions(paths):
        found[kind_of(name)].append(name)
    if as_json:
        functions = [
            {"name": name, "presence": kind, "reason": ABSENT.get(name)}
            for kind, names in found.items()
            for name in names
        ]
        counts = {kind: len(names) for kind, names in found.items()}
        print_json(
            {"files": [str(path) for path in paths], "counts": counts, "functions": functions}
        )
    else:
        show(found)
    return not (found["absent"] or found["unknown"])


def show(found: dict[Need, list[str]]) -> None:
    """Print how many functions are needed, then their names."""
    print("needed:", ", ".join(f"{len(names)} {kind}" for kind, names in found.items()))
    console = Console()
    for kind, names in found.items():
        if names:
            reasons = [f"{name}: {ABSENT[name]}" for name in names if name in ABSENT]
            others = " ".join(name for name in names if name not in ABSENT)
            print_row(console, kind, [*filter(None, [others]), *reasons], indent=12)
    if found["borrowed"] and find_spec("torch") is None:
        print(f"PyTorch, which computes the borrowed ones, is missing: {install_command('torch')}")
