"""The headers of the install root: prototypes of the table, enumerations, macros."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os.path import dirname, relpath
from pathlib import PurePath

from ..borrowed.table import borrowed
from ..declaration.operator import APIS
from .constants import BASE_ENUMS, BASE_MACROS, META_MACROS, RT_ENUMS, RT_MACROS
from .functions import ACL, ACLNN, BASE, META, RT, functions
from .structures import STRUCTURES

_BASE_TYPES = """typedef int aclError;
typedef uint16_t aclFloat16;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;"""
_RT_TYPES = """typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);
typedef void *aclrtDrvMemHandle;"""
_OBJECTS = "Tensor Scalar IntArray FloatArray BoolArray TensorList ScalarList OpExecutor".split()


def headers() -> dict[str, str]:
    """Return the text of every header by its path under ``include/``.

    Headers include each other by relative paths and can also be found by their bare names: programs
    include them with or without the folder, and build scripts name some of the folders.
    """
    opaque = "\n".join(f"typedef struct acl{name} acl{name};" for name in _OBJECTS)
    texts = {
        BASE: _header(
            BASE,
            ("<stdbool.h>", "<stddef.h>", "<stdint.h>", "<stdio.h>"),
            [_BASE_TYPES, *_enums(BASE_ENUMS), _macros(BASE_MACROS)],
        ),
        RT: _header(RT, (BASE,), [_RT_TYPES, *_enums(RT_ENUMS), _macros(RT_MACROS), STRUCTURES]),
        ACL: _header(ACL, (RT,), []),
        META: _header(
            META, (BASE,), ["typedef int32_t aclnnStatus;", opaque, _macros(META_MACROS)],
            "static const aclnnStatus OK = 0;",
        ),
        ACLNN: _header(ACLNN, (META,), []),
    }  # fmt: skip
    names = [operator.header for operator in APIS.values()]
    names += [name for operator in borrowed().values() for name in operator.headers]
    for name in dict.fromkeys(names):
        path = f"aclnnop/{name}"
        texts[path] = _header(path, (ACLNN,), [])
        texts[f"aclnnop/level2/{name}"] = f'#include "../{name}"\n'
    return {PurePath(path).name: f'#include "{path}"\n' for path in texts} | texts


def _header(path: str, includes: Iterable[str], parts: Iterable[str], *only_cpp: str) -> str:
    guard = "ASCENDREF_" + path.upper().replace("/", "_").replace(".", "_")
    declared = [
        f"{function.prototype.declaration};"
        for function in functions().values()
        if function.header == path
    ]
    lines = [
        "/* Written by `ascendref cann`: the interface of the emulated device. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        *(f"#include {_included(name, path)}" for name in includes),
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        *parts,
        *declared,
        "#ifdef __cplusplus",
        "}",
        *only_cpp,
        "#endif",
        "#endif",
    ]
    return "\n".join([*lines, ""])


def _included(name: str, path: str) -> str:
    """Return the include name, in the header at a path, of another header or a system header."""
    return name if name.startswith("<") else f'"{relpath(name, dirname(path))}"'


def _enums(enums: Mapping[str, Mapping[str, int]]) -> list[str]:
    return [
        "\n".join(
            [f"typedef enum {name} {{", *(f"    {k} = {v}," for k, v in members.items()),
             f"}} {name};"]
        )
        for name, members in enums.items()
    ]  # fmt: skip


def _macros(macros: Mapping[str, int]) -> str:
    return "\n".join(f"#define {name} {value}" for name, value in macros.items())
