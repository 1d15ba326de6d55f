"""The table of borrowed operators; it needs no PyTorch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final, NamedTuple

from ..core.dtypes import DataType
from ..declaration.fields import A2_A3
from ..declaration.operator import APIS

_FLOATS: Final = (DataType.ACL_FLOAT, DataType.ACL_FLOAT16, DataType.ACL_BF16, DataType.ACL_DOUBLE)
_INTEGERS: Final = (
    DataType.ACL_INT8,
    DataType.ACL_INT16,
    DataType.ACL_INT32,
    DataType.ACL_INT64,
    DataType.ACL_UINT8,
)
#: letters of the table -> types
TYPES: Final = {
    "f": _FLOATS,
    "e": _FLOATS[:3],
    "h": _FLOATS[1:3],
    "w": (DataType.ACL_FLOAT, DataType.ACL_DOUBLE),
    "s": (DataType.ACL_FLOAT,),
    "t": _FLOATS[:2],
    "i": _INTEGERS,
    "n": (DataType.ACL_INT64, DataType.ACL_INT32),
    "b": (DataType.ACL_BOOL,),
    "u": (DataType.ACL_UINT8,),
    "c": (DataType.ACL_INT8,),
    "l": (DataType.ACL_INT64,),
    "r": (DataType.ACL_BF16,),
    "q": (DataType.ACL_INT8, DataType.ACL_INT4, DataType.ACL_INT32),
    "x": (DataType.ACL_COMPLEX64, DataType.ACL_COMPLEX128),
    "v": (DataType.ACL_UINT16,),
    "o": (DataType.ACL_UINT32, DataType.ACL_UINT64),
}
#: kinds of parameters -> C types of those that are read
C_TYPES: Final = {
    "T": "const aclTensor *",
    "T[]": "const aclTensorList *",
    "S": "const aclScalar *",
    "S[]": "const aclScalarList *",
    "I[]": "const aclIntArray *",
    "axes": "const aclIntArray *",
    "F[]": "const aclFloatArray *",
    "B[]": "const aclBoolArray *",
    "i8": "int8_t",
    "cube": "int8_t",
    "i32": "int32_t",
    "i64": "int64_t",
    "reduction": "int64_t",
    "u64": "uint64_t",
    "int": "int",
    "f32": "float",
    "f64": "double",
    "bool": "bool",
    "str": "const char *",
    "dtype": "aclDataType",
}
#: a parameter's kind in the table, and its marks
_MARKED: Final = re.compile(
    r"(?P<kind>\w+(\[\])?)(?P<result>>{0,2})(?P<formatted>%?)(?P<refused>-?)"
    r"(?P<in_place>&(?P<condition>\w*))?(~(?P<unread>!?\w*))?(\^(?P<partly>\w*))?"
    r"(=(?P<types>\w+))?"
)


class Parameter(NamedTuple):
    """A parameter of phase 1."""

    #: the vendor's name
    name: str
    #: a key of ``C_TYPES``
    kind: str
    #: whether it may be NULL
    optional: bool
    #: whether the operator reads it
    is_read: bool
    #: whether the operator writes it
    is_written: bool
    #: the types that a tensor may have
    types: tuple[DataType, ...] = ()
    #: a parameter without which a tensor that is read is not written
    condition: str = ""
    #: a parameter with which the values of a tensor are not read, if it is 0 or, after ``!``, if it
    #: is another number; none if they are never read, and None if always
    unread: str | None = None
    #: a parameter with which an operator reads only some elements of a tensor, if it is given; none
    #: if it always does so, and None if never
    partly: str | None = None
    #: whether its format and its packed elements count; other tensors are taken as they are
    is_formatted: bool = False
    #: whether only calls without it are computed
    is_refused: bool = False
    #: whether the vendor declares a pointer to const for what is written
    is_const: bool = False

    def reads_partly(self, scalars: Mapping[str, Any]) -> bool:
        """Tell whether a call with some scalars reads only some elements of a tensor."""
        return self.partly is not None and (not self.partly or bool(scalars.get(self.partly)))

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a list of tensors."""
        return self.kind in ("T", "T[]")

    @property
    def is_list(self) -> bool:
        """Whether it is a list of tensors."""
        return self.kind == "T[]"

    @property
    def is_index(self) -> bool:
        """Whether it is a tensor of indices, which expressions get as INT64."""
        return self.types == TYPES["n"] and not self.is_written

    @property
    def c_type(self) -> str:
        """Its type in C."""
        declared = C_TYPES[self.kind]
        written = self.is_written and not self.is_const
        return declared.removeprefix("const ") if written else declared

    def reads(self, scalars: Mapping[str, Any]) -> bool:
        """Tell whether a call with some scalars depends on the values that a tensor has."""
        if not self.is_read or self.unread is None:
            return self.is_read
        value = scalars.get(self.unread.removeprefix("!"), 0) if self.unread else 0
        return value is None or (value == 0) == self.unread.startswith("!")


@dataclass(frozen=True, eq=False)
class Borrowed:
    """An operator that PyTorch computes."""

    #: the vendor's name
    api: str
    parameters: tuple[Parameter, ...]
    #: over PyTorch, with the parameters' names
    expression: str
    #: names of the parameters that get the expression's values; none if it writes by itself
    results: tuple[str, ...]
    #: those of them whose shape the data decide
    found: tuple[str, ...] = ()
    #: those of them that may have more or fewer axes of length 1
    loose: tuple[str, ...] = ()
    #: whether PyTorch gets the tensors promoted to one type, as the vendor does it
    promotes: bool = False
    #: whether phase 1 cannot call it with ones and zeros: it refuses numbers of repetitions or ends
    #: of groups without the given sum
    untried: bool = False
    #: names of tensors, the relation ``~`` (the same shape) or ``#`` (as many elements), and the
    #: parameter or the expression whose value they must have it with
    shapes: tuple[tuple[tuple[str, ...], str, str], ...] = ()
    #: products that have it
    products: tuple[str, ...] = A2_A3

    @property
    def is_generated(self) -> bool:
        """Whether the vendor generates its host code; that is not known."""
        return False

    def __repr__(self) -> str:
        return f"<operator {self.api}, borrowed from PyTorch>"

    @cached_property
    def has_layouts(self) -> bool:
        """Whether a tensor may lie in memory in another way than its shape and strides say."""
        others = {DataType.ACL_INT4, *TYPES["x"]}
        return any(x.is_formatted or not others.isdisjoint(x.types) for x in self.parameters)

    @cached_property
    def label(self) -> str:
        """What the timeline shows: the operator of PyTorch, or else the adapter."""
        found = re.match(r'aten\.([\w.]+)|.*function="(\w+)"', self.expression)
        if found is None:
            return f"borrowed: {self.expression.partition('(')[0]}"
        return f"borrowed: aten::{found[1] or found[2]}"

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Names of what phase 1 takes."""
        return tuple([param.name for param in self.parameters])


def parse(row: str) -> Borrowed:
    """Return the operator of a row, whose columns the table's first line names.

    The types are letters of ``TYPES``; a parameter may have others after an equals sign. Results
    without others have any type to which that of the value can be cast; an asterisk says that the
    data decide their shape, a tilde that axes of length 1 do not count in it. Most rows lack the
    last columns: a flag, ``promotes`` or ``untried``, and the shapes that are checked, such as
    ``mean rstd # sized(N); grad ~ x``.

    Marks after a parameter's kind, in this order:

    - ``>``: a result; ``>>``: one that the vendor declares as a pointer to const
    - ``%``: the tensor's format counts (see `layouts`)
    - ``-``: only calls without it are computed
    - ``&``: the operator changes it in place, if the parameter named next says so
    - ``~``: the operator does not read its values: ever, or if the parameter named next is 0; an
      exclamation mark before that name: if it is another number
    - ``^``: the operator reads some elements, as data decide: always, or with the parameter named

    Examples
    --------
    >>> from ascendref.borrowed.table import parse
    >>> row = "aclnnErf", "self:T out:T>", "fib", "aten.erf(self=self)"
    >>> operator = parse("\\t".join([*row, "out"]))
    >>> operator, operator.label, operator.parameters[1].c_type
    (<operator aclnnErf, borrowed from PyTorch>, 'borrowed: aten::erf', 'aclTensor *')
    """
    api, parameters, types, expression, results, flag, shapes, *_ = f"{row}\t\t".split("\t")
    relations = re.findall(r"([^;]+) ([~#]) ([^;]+)", shapes)
    return Borrowed(
        api,
        tuple([_parameter(text, types) for text in parameters.split()]),
        expression,
        tuple(re.sub("[*~]", "", results).split()),
        found=_marked("*", results),
        loose=_marked("~", results),
        promotes=flag == "promotes",
        untried=flag == "untried",
        shapes=tuple([(tuple(names.split()), *others) for names, *others in relations]),
    )


def _marked(mark: str, results: str) -> tuple[str, ...]:
    return tuple([name[:-1] for name in results.split() if name.endswith(mark)])


def _parameter(text: str, types: str) -> Parameter:
    name, _, kind = text.partition(":")
    marks = _MARKED.fullmatch(kind)
    assert marks is not None, text
    bare, result = marks["kind"], bool(marks["result"])
    letters = marks["types"] or ("fib" if result or marks["refused"] else types)
    found = [each for letter in letters for each in TYPES[letter]] if bare in ("T", "T[]") else []
    return Parameter(
        name.rstrip("?"),
        bare,
        name.endswith("?"),
        not result,
        result or marks["in_place"] is not None,
        tuple(found),
        marks["condition"] or "",
        marks["unread"],
        marks["partly"],
        bool(marks["formatted"]),
        bool(marks["refused"]),
        marks["result"] == ">>",
    )


@cache
def borrowed() -> dict[str, Borrowed]:
    """Return all borrowed operators by the vendor's name; those of the project come first."""
    text = files(__package__).joinpath("table.tsv").read_text(encoding="utf-8")
    found = [parse(row) for row in text.splitlines()[1:]]
    return {operator.api: operator for operator in found if operator.api not in APIS}
