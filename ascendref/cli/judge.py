"""``ascendref judge``: whether anyone's results of operators are right."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import BY_NUMPY
from ..core.errors import ArgumentError, OptionError
from ..declaration.operator import Operator
from ..differentiable import needed_scalars
from ..verify.verdict.alternatives import judged
from ..verify.verdict.calls import Call
from ..verify.verdict.casts import judge_cast
from ..verify.verdict.judging import Judged
from .console import DIFFERENCE, print_json, progress
from .judge_report import as_json_value, check_page, show, write_page
from .judged_files import FILE, Arrays, Reader
from .msprobe import find_dump, judge_dump
from .options import operator_named, parse_attributes
from .outputs import check_writable, keep_stdout_for, named

#: the name of the judge of casts, where an operator's is expected
_CAST = "cast"


@dataclass(frozen=True)
class Request:
    """What is to be judged, and where the verdict goes."""

    #: the operator's name, if there is one, then files
    words: Sequence[str]
    attributes: Sequence[str] = ()
    #: THEIRS=OURS names of arrays
    renamed: Sequence[str] = ()
    types: Sequence[str] = ()
    shapes: Sequence[str] = ()
    #: files with results of somebody else for the same calls
    references: Sequence[str] = ()
    page: Path | None = None
    as_json: bool = False
    everything: bool = False


def judge(request: Request) -> int:
    """Read, judge, print; return the exit status."""
    if request.page is not None:
        check_writable("--html", request.page)
        check_page()
    name, files = _operator_and_files(request.words)
    operator = None if name in (None, _CAST) else operator_named(str(name))
    found: list[Judged] = []
    skipped: dict[str, str] = {}
    with progress(thread=False) as bar:
        dump = find_dump(files)
        if dump is not None:
            said = request.attributes, request.renamed, request.types, request.shapes
            if any((*said, request.references)) or name == _CAST:
                problem = f"{named(dump)} is a dump, which names its calls and their arguments"
                raise OptionError(FILE, problem)
            calls: Iterable[Judged] = judge_dump(dump, operator, skipped)
        else:
            calls = _judged_files(request, name, operator, files, skipped)
        for each in bar.track(calls, description="judging"):
            # a dump may be larger than memory; elements are for the page's pictures
            found.append(each if request.page else each.without_arrays())
    if not found:
        because = "".join(f"; {label}: {why}" for label, why in list(skipped.items())[:1])
        raise OptionError(FILE, f"no call to judge{because}")
    if request.page is not None:
        write_page(request.page, found, skipped)
    with keep_stdout_for(request.page):
        if request.as_json:
            print_json(as_json_value(found, skipped))
        else:
            show(found, skipped, request.everything)
    right = all(each.right for each in found if not each.is_reference)
    return 0 if right else DIFFERENCE


def _operator_and_files(words: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """Tell an operator's name from names of files."""
    first = words[0]
    if len(words) > 1 and "=" not in first and first.isidentifier():
        return first, words[1:]
    if not os.path.exists(first) and "=" not in first and first.isidentifier():
        raise OptionError(FILE, f"missing after {first}; give a file or a folder")
    return None, words


def _judged_files(
    request: Request,
    name: str | None,
    operator: Operator | None,
    files: Sequence[str],
    skipped: dict[str, str],
) -> Iterator[Judged]:
    """Judge the calls of files, then what others gave for the same calls."""
    reader = Reader(_pairs("--type", request.types), _pairs("--shape", request.shapes))
    renamed = _pairs("--map", request.renamed)
    arrays = _renamed(reader.read(files), renamed)
    others = _renamed(reader.read(request.references, "--reference"), renamed, needed=False)
    reader.check_used()
    if name == _CAST:
        yield _judged_cast(arrays, _pairs("--attr", request.attributes))
        return
    for prefix, call in _calls_of(arrays, operator, request.attributes, skipped):
        yield _judged(call)
        results = {
            n: others[f"{prefix}{n}"] for n in call.operator.outputs if f"{prefix}{n}" in others
        }
        if results:
            yield _judged(
                Call(call.operator, call.tensors, call.scalars, results, call.label), True
            )


def _judged(call: Call, is_reference: bool = False) -> Judged:
    try:
        return judged(call, call.label, is_reference=is_reference)
    except OptionError:
        raise
    except ArgumentError as error:
        raise OptionError(FILE, f"{call.label}: {error}") from error


def _judged_cast(arrays: Arrays, attributes: Mapping[str, str]) -> Judged:
    """Judge one array as a cast of another."""
    wrong = [name for name in attributes if name != "round_mode"]
    if wrong:
        raise OptionError("--attr", f"cast has no attribute {wrong[0]!r}; allowed are round_mode")
    if arrays.keys() != {"array", "out"}:
        problem = f"{', '.join(arrays)}: a cast has array and out (--map THEIRS=OURS)"
        raise OptionError(FILE, problem)
    try:
        return judge_cast(arrays["array"], arrays["out"], attributes.get("round_mode", "rint"))
    except ArgumentError as error:
        raise OptionError(FILE, f"{_CAST}: {error}") from error


def _calls_of(
    arrays: Arrays, operator: Operator | None, attributes: Sequence[str], skipped: dict[str, str]
) -> Iterator[tuple[str, Call]]:
    """Yield the calls whose arguments and results some arrays are, and what their names begin with.

    Those of several calls have names CALL/NAME, where CALL is an operator and its attributes, as in
    ``softplus_backward beta=2``, and more words.
    """
    groups: dict[str, Arrays] = {}
    for key, array in arrays.items():
        label, _, name = key.rpartition("/")
        groups.setdefault(label, {})[name] = array
    for label, group in groups.items():
        name, *words = label.split() or [""]
        if label and attributes:
            raise OptionError("--attr", f"the call {label!r} names its own attributes")
        if not label and operator is None:
            problem = f"missing; without one, arrays have names CALL/NAME, not {', '.join(group)}"
            raise OptionError("OPERATOR", problem)
        called = operator_named(name) if label else operator
        if called is not None and operator in (None, called):
            if label and not any(_ours(called, name) in called.outputs for name in group):
                skipped[label] = "its results are missing"
                continue
            given = [word for word in words if "=" in word] or attributes
            yield f"{label}/" if label else "", _call(called, group, given, label or called.name)


def _ours(operator: Operator, name: str) -> str:
    """Return our name of a parameter or a result, from that or from the vendor's."""
    ours = dict(zip(operator.vendor_parameters, operator.parameters, strict=True))
    return name if name in operator.parameters else ours.get(name, name)


def _call(operator: Operator, group: Arrays, attributes: Sequence[str], label: str) -> Call:
    """Return a call, from arrays by the names of parameters and results, ours or the vendor's."""
    arrays = {_ours(operator, name): array for name, array in group.items()}
    if len(arrays) < len(group):
        raise OptionError(FILE, f"{label}: {', '.join(group)}: one array has two names")
    scalars: dict[str, float | str] = {}
    for param in operator.scalars:
        if param.name in arrays:
            number = arrays.pop(param.name)
            if number.size != 1:
                raise OptionError(
                    FILE, f"{label}: {param.name} has shape {number.shape}; one number is expected"
                )
            scalars[param.name] = float(number.reshape(-1)[0])
    scalars |= parse_attributes(operator, list(attributes))
    tensors = {p.name: arrays.pop(p.name) for p in operator.tensors if p.name in arrays}
    results = {name: arrays.pop(name) for name in operator.outputs if name in arrays}
    missing = [p.name for p in operator.tensors if p.default is None and p.name not in tensors]
    missing += [] if results else [" or ".join(operator.outputs)]
    if arrays or missing:
        problem = f"{label}: missing {', '.join(missing)}" if missing else label
        others = f"; {', '.join(arrays)}: no name of {operator.name}'s" if arrays else ""
        known = f"{', '.join(operator.parameters)} (--map THEIRS=OURS)"
        raise OptionError(FILE, f"{problem}{others}; names are {known}")
    needed = [name for name in needed_scalars(operator) if name not in scalars]
    if needed:
        raise OptionError("--attr", f"{operator.name} needs {', '.join(needed)}")
    kinds = {name: _as_float32(array) for name, array in tensors.items()}
    return Call(operator, kinds, scalars, results, label)


def _as_float32(array: NDArray[Any]) -> NDArray[Any]:
    """Return elements of fewer than 16 bits as F32, which has all of their numbers."""
    kind = array.dtype
    narrow = kind.kind == "V" and kind.type is not np.void and kind not in BY_NUMPY
    return array.astype(np.float32) if narrow else array


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Return what NAME=VALUE options say."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise OptionError(option, f"{text!r} is not NAME=VALUE")
        if name in found:
            raise OptionError(option, f"{name} is given twice")
        found[name] = value
    return found


def _renamed(arrays: Arrays, renamed: Mapping[str, str], needed: bool = True) -> Arrays:
    """Return arrays under our names; keys may be those of a call in front of the name."""
    found: Arrays = {}
    used = set()
    for key, array in arrays.items():
        label, slash, name = key.rpartition("/")
        used.add(name)
        new = f"{label}{slash}{renamed.get(name, name)}"
        if new in found:
            raise OptionError("--map", f"{new} would be the name of two arrays")
        found[new] = array
    for name in renamed:
        if needed and name not in used:
            raise OptionError(
                "--map", f"no array has the name {name!r}; there are {', '.join(arrays)}"
            )
    return found
