"""Call the operators of the namespace ``npu`` with generic arguments, as one program.

``ascendref npu namespace.py`` prints a line for each: its name, how it runs (``emulated`` by the C
library, as a ``formula``, ``other`` or ``refused``), and ``works`` or the first line of what was
raised. The arguments fit few formulas.
"""

import torch
import torch_npu  # noqa: F401

import ascendref.npu
from ascendref.npu.casts import CASTS
from ascendref.npu.operators.formulas import FORMULAS
from ascendref.npu.refusals import AVAILABLE

#: arguments without a default, by their type in the schema
VALUES = {"int": 0, "float": 1.0, "number": 1, "bool": True, "str": "none", "List[int]": [2, 4]}
#: arguments that are at least 1
COUNTS = {"max_size"}

#: last axis of the gradient of a gated half
HALF = {"npu_swiglu_backward": {"grad_output": 2}}


def tensor(length=4):
    return torch.linspace(-2, 2, 2 * length).reshape(1, 1, 2, length).npu()


def value(argument, lengths):
    """Return a value for an argument."""
    kind = str(argument.type)
    if argument.name in COUNTS:
        return 1
    if argument.name == "device":
        return torch.device("npu")
    if argument.has_default_value():
        return argument.default_value
    if kind == "Tensor":
        return tensor(lengths.get(argument.name, 4))
    if kind.startswith("List[") and (argument.N or kind not in VALUES):
        return [tensor() if "Tensor" in kind else VALUES[kind[5:-1]]] * (argument.N or 2)
    return VALUES.get(kind)  # None for what is optional


def call(name):
    """Call an operator; return how it went."""
    base, _, overload = name.removeprefix("npu::").partition(".")
    operator = getattr(getattr(torch.ops.npu, base), overload or "default")
    arguments = operator._schema.arguments
    placed = [argument for argument in arguments if not argument.kwarg_only]
    lengths = HALF.get(base, {})
    given = [value(argument, lengths) for argument in placed]
    named = {x.name: value(x, lengths) for x in arguments if x.kwarg_only}
    try:
        operator(*given, **named)
        torch.npu.synchronize()
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return "works"


for name in sorted(torch._C._dispatch_get_all_op_names()):
    if name.startswith("npu::"):
        base = name.removeprefix("npu::")
        before = ascendref.npu.counts()["emulated"]
        how = call(name)
        if base in FORMULAS or base.removesuffix(".out") in FORMULAS:
            kind = "formula"
        elif base in CASTS or base.partition(".")[0] in AVAILABLE:
            kind = "emulated" if ascendref.npu.counts()["emulated"] != before else "other"
        else:
            kind = "refused"
        print(name, kind, how, sep="\t", flush=True)
