"""Operators that PyTorch computes, with the samples of PyTorch's own tests.

The samples' calls are recorded below PyTorch's front end, where they name an operator and its
arguments as the table does.
"""

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pytest
import torch

with warnings.catch_warnings():  # PyTorch's test library uses what it deprecates
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

import ascendref as ar
from ascendref.borrowed.expressions import TYPES as DTYPES
from ascendref.borrowed.table import Borrowed, Parameter, borrowed

from ..support.two_phase import launch
from .calls import device, types_of

#: types of PyTorch -> those of tensors
KINDS = {dtype: kind for kind, dtype in DTYPES.items()}
#: what a parameter that the expression does not name is given
UNUSED = 0
#: samples of each type that are taken
SAMPLES = 40
#: where NumPy's default is another one
OWN_DEFAULTS = ("std", "var")
#: kinds of integers
INTEGERS = ("i8", "i32", "i64", "u64", "int", "reduction")
#: what the samples call with other arguments, and with numbers that are tensors
UNREACHED = (
    "aclnnClamp", "aclnnClampMax", "aclnnClampMin", "aclnnInplaceClampMax", "aclnnInplaceHardtanh",
    "aclnnInplaceMuls", "aclnnInplaceNanToNum", "aclnnNanToNum", "aclnnNorm",
)  # fmt: skip


class Made(NamedTuple):
    """A call of one of PyTorch's operators."""

    overload: Any
    #: by name, as they were before the call
    before: dict[str, Any]
    #: the same, afterwards
    after: dict[str, Any]
    result: Any


class Recorder(TorchDispatchMode):
    """Records the calls that PyTorch makes."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[Made] = []

    def __torch_dispatch__(
        self, overload: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        named = {x.name: x.default_value for x in overload._schema.arguments}
        named |= dict(zip(named, args, strict=False)) | (kwargs or {})
        before = pytree.tree_map_only(torch.Tensor, copied, named)
        result = overload(*args, **(kwargs or {}))
        self.made.append(Made(overload, before, named, result))
        return result


def copied(tensor: Any) -> Any:
    """Return a tensor of the same layout with data of its own."""
    storage = tensor.untyped_storage().clone()
    return torch.empty(0, dtype=tensor.dtype).set_(
        storage, tensor.storage_offset(), tensor.shape, tensor.stride()
    )


def overload_of(operator: Borrowed) -> Any:
    """Return the operator of PyTorch that an expression calls; None if PyTorch composes it."""
    first, *names = operator.expression.partition("(")[0].split(".")
    if first != "aten":
        return None
    found = getattr(getattr(torch.ops.aten, names[0]), [*names, "default"][1])
    return None if found._can_decompose() else found


def opinfos(operator: Borrowed) -> list[Any]:
    """Return PyTorch's descriptions of an operator, of which a gradient has its function's."""
    overload = overload_of(operator)
    if overload is None or "Scalar" in overload._overloadname:
        return []  # PyTorch's front end makes numbers tensors
    name = overload._schema.name.removeprefix("aten::")
    plain = name.strip("_").removeprefix("native_")
    plain = plain.removesuffix("_forward").removesuffix("_backward")
    return NAMED.get(name) or NAMED.get(plain) or []


NAMED: dict[str, list[Any]] = defaultdict(list)
for info in op_db:
    for full in {info.name, info.aten_name, *[alias.name for alias in info.aliases]}:
        NAMED[full.rpartition(".")[2]].append(info)
ROWS = [api for api, row in borrowed().items() if api not in UNREACHED and opinfos(row)]


def recorded(operator: Borrowed, dtype: Any) -> Iterator[tuple[Made, Any]]:
    """Yield calls of an operator's expression, and what NumPy computes if PyTorch tells that."""
    overload = overload_of(operator)
    in_place = overload._schema.is_mutable and "native" not in overload.__name__
    is_gradient = "backward" in overload.__name__
    for info in opinfos(operator):
        function = info.get_inplace() if in_place else info.get_op()
        if function is None or dtype not in info.supported_dtypes("cpu"):
            continue
        numpys = None if in_place or is_gradient or info.name in OWN_DEFAULTS else info.ref
        torch.manual_seed(0)
        samples = info.sample_inputs("cpu", dtype, requires_grad=is_gradient)
        for sample in islice(samples, SAMPLES):
            given = (sample.input, *sample.args, *sample.kwargs.values())
            layouts = {each.layout for each in given if isinstance(each, torch.Tensor)}
            if (in_place and sample.broadcasts_input) or layouts - {torch.strided}:
                continue
            with Recorder() as recorder:
                result = function(sample.input, *sample.args, **sample.kwargs)
                if is_gradient and result.requires_grad:
                    result.backward(torch.ones_like(result))
            want = None
            if numpys and len(recorder.made) == 1 and all(x is not None for x in given):
                arrays = sample.numpy()
                want = numpys(arrays.input, *arrays.args, **arrays.kwargs)
            for made in recorder.made:
                if made.overload is overload:
                    yield made, want


def types(operator: Borrowed) -> list[Any]:
    """Return the types of the samples: F32, and INT64 if the operator takes integers."""
    is_gradient = "backward" in overload_of(operator).__name__
    wanted = (torch.float32,) if is_gradient else (torch.float32, torch.int64)
    return [dtype for dtype in wanted if KINDS[dtype] in types_of(operator)]


def arguments(operator: Borrowed, made: Made) -> dict[str, Any] | None:
    """Return what a function is given for a call; None if it cannot express that."""
    results = made.result if isinstance(made.result, tuple) else (made.result,)
    # where a result is made decides none of its numbers
    values = {k: v for k, v in made.before.items() if k not in ("layout", "pin_memory")}
    given = {}
    for keyword in keywords(operator):
        value = values.pop(str(keyword.arg))
        if isinstance(keyword.value, ast.Name):
            given[keyword.value.id] = value
        elif isinstance(keyword.value, ast.Attribute):  # of the first result or the gradient
            if value not in (None, getattr(results[0], keyword.value.attr)):
                return None
        elif value != ast.literal_eval(keyword.value):
            return None
    defaults = {x.name: x.default_value for x in made.overload._schema.arguments}
    if any(value != defaults[name] for name, value in values.items()):
        return None
    found = {}
    for param in operator.parameters:
        if param.is_read:
            value = given.get(param.name, UNUSED)
            if value is None and param.kind == "dtype":
                value = results[0].dtype
            if not is_taken(param, value):
                return None
            found[param.name] = on_device(value)
    for name, result in zip(operator.results, results, strict=False):
        found[name] = pytree.tree_map_only(
            torch.Tensor, lambda x: device().empty(tuple(x.shape), KINDS[x.dtype].numpy), result
        )
    return found


def keywords(operator: Borrowed) -> list[ast.keyword]:
    """Return what an expression gives PyTorch's operator."""
    call = ast.parse(operator.expression, mode="eval").body
    assert isinstance(call, ast.Call)
    assert not call.args
    return call.keywords


def is_taken(param: Parameter, value: Any) -> bool:
    """Tell whether a parameter can have a value."""
    if value is None:
        return param.optional
    if param.is_list:
        return all(KINDS.get(each.dtype) in param.types for each in value)
    if param.is_tensor:
        return KINDS.get(value.dtype) in param.types
    return param.kind not in INTEGERS or isinstance(value, int)


def on_device(value: Any) -> Any:
    """Return tensors with the layout of PyTorch's, and anything else as it is."""
    if isinstance(value, list | tuple):
        return [on_device(each) for each in value]
    if isinstance(value, torch.dtype):
        return int(KINDS[value])
    if not isinstance(value, torch.Tensor):
        return value
    kind = KINDS[value.dtype]
    memory = device().malloc(max(value.untyped_storage().nbytes(), 1))
    tensor = ar.Tensor(
        memory, tuple(value.shape), kind.numpy, value.stride(), value.storage_offset()
    )
    tensor.view()[...] = value.detach().numpy()
    return tensor


def results_of(operator: Borrowed, made: Made) -> dict[str, Any]:
    """Return the values by name that PyTorch writes."""
    results = made.result if isinstance(made.result, tuple) else (made.result,)
    found = dict(zip(operator.results, results, strict=False))
    sources = {x.value.id: x.arg for x in keywords(operator) if isinstance(x.value, ast.Name)}
    for param in operator.parameters:
        if param.is_read and param.is_written:
            found[param.name] = made.after[str(sources[param.name])]
    return {name: value for name, value in found.items() if value is not None}


def compare(found: Any, want: Any, near: float | None = None) -> None:
    """Compare a result, or a list of them."""
    if isinstance(found, list):
        for one, other in zip(found, want, strict=True):
            compare(one, other, near)
        return
    torch.testing.assert_close(
        torch.from_numpy(found.numpy()),
        torch.as_tensor(want),
        rtol=near,
        atol=near,
        equal_nan=True,
        check_dtype=near is None,
    )


@pytest.mark.daily(16)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("api", ROWS)
def test_results_are_those_of_pytorchs_samples(api: str) -> None:
    operator = borrowed()[api]
    count = 0
    for dtype in types(operator):
        for made, numpys in recorded(operator, dtype):
            given = arguments(operator, made)
            if given is None:
                continue
            launch(device(), operator.api, **given)
            device().synchronize()
            wants = results_of(operator, made)
            for name, want in wants.items():
                compare(given[name], want)
            if numpys is not None:
                results = numpys if isinstance(numpys, tuple) else (numpys,)
                for name, want in zip(wants, results, strict=False):
                    compare(given[name], want, 1e-4)
            count += 1
    assert count


def test_most_rows_have_samples() -> None:
    assert len(ROWS) >= 250
