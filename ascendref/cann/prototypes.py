"""Prototypes of C functions, as data for headers, stubs and the log."""

import re
from typing import Final, NamedTuple

from .constants import BASE_ENUMS, RT_ENUMS

#: C types of values -> kind of `native.h`, and the member of ``argument`` that holds one
_VALUES: Final = {
    **dict.fromkeys(("int32_t", "int8_t", "int", "bool", *BASE_ENUMS, *RT_ENUMS), ("INT32", "i")),
    "int64_t": ("INT64", "i"),
    **dict.fromkeys(("uint32_t", "uint8_t", "aclFloat16"), ("UINT32", "u")),
    "uint64_t": ("UINT64", "u"),
    "size_t": ("UINT64", "u"),
    "float": ("FLOAT", "d"),
    "double": ("DOUBLE", "d"),
    "void *": ("ADDRESS", "p"),
    "aclrtCallback": ("ADDRESS", "f"),
    "aclrtHostFunc": ("ADDRESS", "f"),
    "const char *": ("TEXT", "p"),
    "aclrtStream": ("STREAM", "p"),
    "aclrtEvent": ("EVENT", "p"),
    "aclrtContext": ("CONTEXT", "p"),
    "aclrtNotify": ("NOTIFY", "p"),
    "aclrtDrvMemHandle": ("PHYSICAL_MEMORY", "p"),
    "aclmdlRI": ("GRAPH", "p"),
    "aclTensor *": ("TENSOR", "p"),
    "aclScalar *": ("SCALAR", "p"),
    "aclIntArray *": ("INT_ARRAY", "p"),
    "aclFloatArray *": ("FLOAT_ARRAY", "p"),
    "aclBoolArray *": ("BOOL_ARRAY", "p"),
    "aclTensorList *": ("TENSOR_LIST", "p"),
    "aclScalarList *": ("SCALAR_LIST", "p"),
    "aclOpExecutor *": ("EXECUTOR", "p"),
}
_PROTOTYPE: Final = re.compile(r"(?P<result>.*?[ *])(?P<name>\w+)\((?P<parameters>.*)\)", re.DOTALL)
_PARAMETER: Final = re.compile(r"(?P<out>out )?(?P<type>.*?)(?P<name>\w+)", re.DOTALL)


class Parameter(NamedTuple):
    """A parameter of a C function."""

    name: str
    #: as it is declared
    type: str
    #: its kind: an enumerator of ``enum kind`` in ``native.h``, without ``KIND_``
    kind: str
    #: member of ``argument`` that holds it; ``f`` for the address of a function
    member: str
    #: whether it points to where the function writes a result
    output: bool


class Prototype(NamedTuple):
    """The declaration of a C function."""

    name: str
    #: type of its result
    result: str
    parameters: tuple[Parameter, ...]

    @property
    def declaration(self) -> str:
        parameters = ", ".join(declared(p.type, p.name) for p in self.parameters) or "void"
        return f"{declared(self.result, self.name)}({parameters})"


def parse(prototype: str) -> Prototype:
    """Parse a C prototype, in which ``out`` marks output parameters."""
    match = _PROTOTYPE.fullmatch(prototype)
    if match is None:
        raise ValueError(f"{prototype!r} is not a prototype")
    parts = match["parameters"].split(", ") if match["parameters"] else []
    parameters = tuple(_parameter(part, prototype) for part in parts)
    return Prototype(match["name"], match["result"].strip(), parameters)


def _parameter(text: str, prototype: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} in {prototype!r} is not a parameter")
    declared = match["type"].strip()
    output = match["out"] is not None
    bare = declared.removeprefix("const ").replace("*const *", "* *").removeprefix("const ")
    if output:
        bare = bare.removesuffix("*").strip()
        bare = re.sub(r"\s*\*$", " *", bare)
    # a string is read at the call; a pointer without const is an output
    kind, member = _VALUES.get(declared) or _VALUES.get(bare) or ("ADDRESS", "p")
    if kind == "ADDRESS" and "*" not in declared and member == "p":
        raise ValueError(f"{declared!r} in {prototype!r} is not a known type")
    return Parameter(match["name"], declared, kind, "p" if output else member, output)


def declared(kind: str, name: str) -> str:
    """Return the declaration of a name in C."""
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"
