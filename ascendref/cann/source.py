"""The C sources generated from the table: the exported functions and their descriptions."""

import hashlib
from collections.abc import Iterator

from .functions import ABSENT_SYMBOL, Function, absent_functions, functions
from .prototypes import Parameter, declared

_RESULTS = {"aclError": "STATUS", "aclnnStatus": "STATUS", "const char *": "TEXT"}
#: functions in Python whose result is not a status
_INTEGERS = ("aclrtGetLastError", "aclrtPeekAtLastError")


def python_functions() -> tuple[str, ...]:
    """Return the names of the functions in Python, in the order of their numbers."""
    return tuple(name for name, function in functions().items() if not function.native)


def digest() -> str:
    """Return a digest of the table, by which a library and its Python side are matched."""
    text = repr([tuple(function) for function in functions().values()])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def functions_header() -> str:
    """Return ``functions.h``: the functions that the sources in C define, and a bound for calls."""
    lines = ["/* The functions of the library that are written in C. */", "#ifndef FUNCTIONS_H"]
    lines += ["#define FUNCTIONS_H", '#include "native.h"']
    most = max(len(function.prototype.parameters) for function in functions().values())
    lines.append(f"enum {{ MOST_PARAMETERS = {most} }};")
    for function in functions().values():
        if function.native:
            lines.append(_declaration(function, "native_") + ";")
    return "\n".join([*lines, "#endif", ""])


def table_source() -> str:
    """Return ``table.c``: the exported functions and the descriptions of all."""
    names = python_functions()
    lines = [
        "/* The exported functions: each passes its arguments on, with a description. */",
        '#include "functions.h"',
        # optimization would take two thirds of the library's time to compile, and gain nothing
        "#ifdef __clang__",
        "#pragma clang optimize off",
        "#else",
        '#pragma GCC optimize "O0"',
        "#endif",
        "#define DECLARES(x) _Static_assert(sizeof(x) == 8, #x)",
        "DECLARES(size_t); DECLARES(void *);",
        "#define CALLER __builtin_return_address(0)",
        f'const char ascendref_functions[] = "{",".join(names)}";',
        f'const char ascendref_digest[] = "{digest()}";',
    ]
    numbers = {name: number for number, name in enumerate(names)}
    for name, function in functions().items():
        exported = [*_exported(function, numbers.get(name, -1))]
        if function.is_borrowed:
            wanted = f"WITH_{name.removesuffix('GetWorkspaceSize')}"
            exported = [f"#if !defined WITHOUT_BORROWED || defined {wanted}", *exported, "#endif"]
        lines += exported
    return "\n".join([*lines, ""])


def absent_source(*, allow_absent: bool) -> str:
    """Return ``absent.c``: what programs call that may call absent functions.

    With ``allow_absent`` they have their own names, too, for programs that declare them.
    """
    alias = f'EXPORT int32_t name(void) __attribute__((alias("{ABSENT_SYMBOL}" #name)));'
    lines = [
        "/* The absent functions, which refuse every call; headers declare them otherwise. */",
        "#include <stdint.h>",
        '#define EXPORT __attribute__((visibility("default")))',
        f"#define ALIAS(name) {alias if allow_absent else ''}",
        "int32_t ascendref_refuse_absent(const char *name, const char *text);",
        "#define ABSENT(name, text) \\",
        f"    EXPORT int32_t {ABSENT_SYMBOL}##name(void) \\",
        "    { return ascendref_refuse_absent(#name, text); } \\",
        "    ALIAS(name)",
        *[f'ABSENT({row.name}, "{row.text}")' for row in absent_functions()],
    ]
    return "\n".join([*lines, ""])


def _exported(function: Function, number: int) -> Iterator[str]:
    prototype = function.prototype
    name, parameters = function.name, prototype.parameters
    if parameters:
        rows = ", ".join(
            f'{{"{p.name}", KIND_{p.kind}, {str(p.output).lower()}}}' for p in parameters
        )
        yield f"static const struct parameter parameters_{name}[] = {{{rows}}};"
    result = _RESULTS.get(prototype.result, "OTHER")
    if name in _INTEGERS:
        result = "INTEGER"
    null = (
        "ACLNN_ERR_PARAM_NULLPTR"
        if prototype.result == "aclnnStatus"
        else "ACL_ERROR_INVALID_PARAM"
    )
    yield (
        f'static const struct function function_{name} = {{"{name}", RESULT_{result},'
        f" {str(function.ends_handle).lower()}, {str(function.moves_tensor).lower()}, {null},"
        f" {len(parameters)}, {f'parameters_{name}' if parameters else 'NULL'}, {number}}};"
    )
    yield f"EXPORT {_declaration(function)}"
    yield "{"
    given = ", ".join(map(_argument, parameters)) or "{.u = 0}"
    arguments = f"    const argument arguments[] = {{{given}}};"
    if function.native:
        call = f"native_{name}({', '.join(p.name for p in parameters)})"
        logged = "double" if prototype.result == "float" else "int64_t"
        pointer = "(intptr_t)" if prototype.result.endswith("*") else ""
        yield f"    {declared(prototype.result, 'result')} = {call};"
        yield "    if (ascendref_logging) {"
        yield f"    {arguments}"
        log = "ascendref_log_double" if logged == "double" else "ascendref_log"
        yield f"        {log}(&function_{name}, arguments, ({logged}){pointer}result);"
        yield "    }"
        yield "    return result;"
    else:
        yield arguments
        cast = "(const char *)(intptr_t)" if result == "TEXT" else f"({prototype.result})"
        yield f"    return {cast}ascendref_call(&function_{name}, arguments, CALLER);"
    yield "}"


def _declaration(function: Function, prefix: str = "") -> str:
    prototype = function.prototype
    return prototype._replace(name=prefix + prototype.name).declaration


def _argument(parameter: Parameter) -> str:
    if parameter.member == "f":
        return f"{{.u = (uintptr_t){parameter.name}}}"
    return f"{{.{parameter.member} = {parameter.name}}}"
