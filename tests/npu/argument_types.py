"""Call every formula with arguments that the table of types excludes, as one program.

``ascendref npu argument_types.py`` prints a line for each call: the operator, the argument, its
type (``None`` for no tensor), whether the table allows it, and the first line of what was
raised. The other arguments are as the table has them; few calls fit in shape.
"""

import torch
import torch_npu  # noqa: F401

import ascendref.npu  # noqa: F401
from ascendref.npu.operators.formulas import FORMULAS
from ascendref.npu.operators.types import table

TRIED = (torch.float16, torch.bfloat16, torch.float32, torch.int32, torch.int64, torch.bool)
VALUES = {"int": 1, "float": 1.0, "number": 1, "bool": True, "str": "none"}


def kinds(arguments):
    return {one.name: str(one.type) for one in arguments if "Tensor" in str(one.type)}


def typed(rows, names):
    """Return a type for each tensor, such that the rows without a condition hold."""
    found = dict.fromkeys(names, torch.float32)
    for row in rows:
        if row.types:
            found[row.argument] = row.types[0]
    for row in rows:
        if row.same:
            found[row.argument] = found[row.same]
    return found


def value(argument, dtype, values):
    kind = str(argument.type)
    if argument.name in values:
        return values[argument.name]
    if dtype is not None and not (kind.startswith("Optional") and "Tensor" not in kind):
        made = torch.ones(2, 2, dtype=dtype).npu()
        return [made] * 3 if "List" in kind else made
    if argument.has_default_value():
        return argument.default_value
    if kind.startswith("List"):
        return [1, 1]
    return VALUES.get(kind)


def call(operator, types, values):
    """Call an operator with tensors of types; return what it raised."""
    arguments = operator._schema.arguments
    given = [(one, value(one, types.get(one.name), values)) for one in arguments]
    try:
        operator(
            *(one for argument, one in given if not argument.kwarg_only),
            **{argument.name: one for argument, one in given if argument.kwarg_only},
        )
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return "works"


for name, formula in FORMULAS.items():
    if formula.space != "npu":
        continue
    base, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.npu, base), overload or "default")
    tensors = kinds(operator._schema.arguments)
    rows = table().get(name, [])
    named = {row.argument for row in rows}
    assert set(formula.taken(tensors)) <= named <= set(tensors), (name, named, tensors)
    plain = typed(rows, named)
    for argument in named:
        if tensors[argument] == "Tensor":
            how = call(operator, plain, {argument: None})
            print(name, argument, None, False, how, sep="\t")
    for row in rows:
        if not row.types and not row.same:
            continue
        values = {}
        if row.when is not None:
            text = row.when[1]
            values[row.when[0]] = text == "True" if text in ("True", "False") else int(text)
        others = typed([one for one in rows if one.when in (None, row.when)], named)
        for dtype in TRIED:
            allowed = row.types or (others[row.same],)
            same = {one.argument: dtype for one in rows if one.same == row.argument}
            how = call(operator, others | same | {row.argument: dtype}, values)
            print(name, row.argument, dtype, dtype in allowed, how, sep="\t")
