"""The headers of the install root: prototypes of the table, enumerations, macros."""

from collections.abc import Iterable, Mapping
from functools import cache
from os.path import dirname, relpath
from pathlib import PurePath
from typing import Final

from ..borrowed.known import known
from .constants import BASE_ENUMS, BASE_MACROS, META_MACROS, RT_ENUMS, RT_MACROS
from .functions import ABSENT_SYMBOL, ACL, ACLNN, BASE, META, RT, absent_functions, functions
from .structures import STRUCTURES

#: the macro with which programs may call what is absent
ALLOW_ABSENT: Final = "ASCENDREF_ALLOW_ABSENT"
#: declares an absent function: a call is an error of the compiler, or is refused at run time
_ABSENT = f"""#ifdef {ALLOW_ABSENT}
#define ASCENDREF_UNAVAILABLE(name, text) __asm__("{ABSENT_SYMBOL}" #name)
#elif __has_attribute(unavailable)
#define ASCENDREF_UNAVAILABLE(name, text) __attribute__((unavailable(text)))
#else
#define ASCENDREF_UNAVAILABLE(name, text) __attribute__((error(text)))
#endif
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define ASCENDREF_ABSENT(result, name, text) result name(...) ASCENDREF_UNAVAILABLE(name, text);
#else
#define ASCENDREF_ABSENT(result, name, text) \\
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \\"-Wstrict-prototypes\\"") \\
    result name() ASCENDREF_UNAVAILABLE(name, text); \\
    _Pragma("GCC diagnostic pop")
#endif"""
_BASE_TYPES = """typedef int aclError;
typedef uint16_t aclFloat16;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void *aclrtNotify;"""
_RT_TYPES = """typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);
typedef void *aclrtDrvMemHandle;
typedef void *aclmdlRI;"""
_OBJECTS = "Tensor Scalar IntArray FloatArray BoolArray TensorList ScalarList OpExecutor".split()


def headers(*, allow_absent: bool = False) -> dict[str, str]:
    """Return the text of every header by its path under ``include/``.

    With ``allow_absent``, absent functions may be called without the macro.

    Headers include each other by relative paths and can also be found by their bare names: programs
    include them with or without the folder, and build scripts name some of the folders.
    """
    opaque = "\n".join(f"typedef struct acl{name} acl{name};" for name in _OBJECTS)
    allowed = [f"#ifndef {ALLOW_ABSENT}\n#define {ALLOW_ABSENT}\n#endif"] if allow_absent else []
    texts = {
        BASE: _header(
            BASE,
            ("<stdbool.h>", "<stddef.h>", "<stdint.h>", "<stdio.h>"),
            [*allowed, _ABSENT, _BASE_TYPES, *_enums(BASE_ENUMS), _macros(BASE_MACROS)],
        ),
        RT: _header(RT, (BASE,), [_RT_TYPES, *_enums(RT_ENUMS), _macros(RT_MACROS), STRUCTURES]),
        ACL: _header(ACL, (RT,), []),
        META: _header(
            META, (BASE,), ["typedef int32_t aclnnStatus;", opaque, _macros(META_MACROS)],
            "static const aclnnStatus OK = 0;",
        ),
        ACLNN: _header(ACLNN, (META,), []),
        # programs include it and use nothing of it
        "shape.h": _header("shape.h", (BASE,), []),
    }  # fmt: skip
    for name in dict.fromkeys(name for row in known().values() for name in row.headers):
        path = f"aclnnop/{name}"
        texts[path] = _header(path, (ACLNN,), [])
        texts[f"aclnnop/level2/{name}"] = f'#include "../{name}"\n'
    return {PurePath(path).name: f'#include "{path}"\n' for path in texts} | texts


@cache
def _declarations() -> dict[str, list[str]]:
    """Return the declarations of all functions, absent ones too, by the path of the header."""
    found: dict[str, list[str]] = {}
    for function in functions().values():
        found.setdefault(function.header, []).append(f"{function.prototype.declaration};")
    for row in absent_functions():
        for header in row.headers:
            line = f'ASCENDREF_ABSENT({row.result}, {row.name}, "{row.text}")'
            found.setdefault(header, []).append(line)
    return found


def _header(path: str, includes: Iterable[str], parts: Iterable[str], *only_cpp: str) -> str:
    guard = "ASCENDREF_" + path.upper().replace("/", "_").replace(".", "_")
    lines = [
        "/* Written by `ascendref cann`: the interface of the emulated device. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        *(f"#include {_included(name, path)}" for name in includes),
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        *parts,
        *_declarations().get(path, ()),
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
