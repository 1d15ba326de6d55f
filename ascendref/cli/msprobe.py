"""Dumps of msprobe: every call of PyTorch that was recorded, with its tensors.

A backward call is that of the node which a function's result has in PyTorch's graph, as recorded.
"""

import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import BY_NUMPY
from ..core.errors import ArgumentError, OptionError
from ..core.extras import install_command
from ..core.fork_safety import import_torch
from ..declaration.operator import Operator
from ..differentiable import Function, differentiable_functions
from ..functional.casting import cast
from ..verify.comparison.acceptance import RULES
from ..verify.rounding import Doubles
from ..verify.verdict.alternatives import judged
from ..verify.verdict.calls import Call, Truth
from ..verify.verdict.judging import TOLERANCES, Fit, Judged, Verdict, judge_result, vendor_accepts
from .judged_files import FILE, as_array, load_torch
from .outputs import named, reason

_NAME: Final = "dump.json"
_KEY: Final = re.compile(r"(Functional|Torch|Tensor|NPU)\.(\w+)\.\d+\.(forward|backward)")
#: functions under other names than ours
_ALIASES: Final = {"logsigmoid": "log_sigmoid"}
#: parameters of PyTorch's functions that change no number, if they have these values
_WITHOUT_EFFECT: Final = {"inplace": (True, False), "size_average": (None,), "reduce": (None,),
                          "weight": (None,), "pos_weight": (None,), "out": (None,)}  # fmt: skip
#: what PyTorch computes in float64 is called
_TORCH: Final = "PyTorch in float64"


def find_dump(files: Sequence[str]) -> Path | None:
    """Return the folder of a dump, if that is what is to be judged."""
    folders = [Path(file) for file in files if os.path.isdir(file)]
    dumps = [folder for folder in folders if any(folder.rglob(_NAME))]
    if dumps and len(files) > 1:
        raise OptionError(FILE, f"{named(dumps[0])} is a dump, which is judged alone")
    return dumps[0] if dumps else None


class Skip(Exception):
    """A call cannot be judged; the message says why."""


class Recorded(NamedTuple):
    """A call of a function as it was recorded."""

    function: Any
    name: str
    arguments: list[Any]
    keywords: dict[str, Any]


def judge_dump(
    folder: Path, operator: Operator | None, skipped: dict[str, str]
) -> Iterator[Judged]:
    """Judge all calls of a dump, or those of one operator; say why others were skipped."""
    try:
        import_torch()
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise OptionError(FILE, f"a dump needs torch: {install_command('torch')}") from None
    paths = sorted(folder.rglob(_NAME))
    for path in paths:
        try:
            dump = json.loads(path.read_bytes())
            entries, data = dict(dump["data"]), path.parent / "dump_tensor_data"
        except Exception as error:  # the file decides what is raised
            problem = f"cannot read {named(path)} as a dump of msprobe: {reason(error)}"
            raise OptionError(FILE, problem) from error
        prefix = "" if len(paths) == 1 else f"{path.parent.relative_to(folder)}/"
        for key in entries:
            try:
                found = _judge_entry(_Dump(entries, data), key, operator)
            except Skip as why:
                skipped[prefix + key] = str(why)
                continue
            if found is not None:
                yield replace(found, label=prefix + found.label)


class _Dump(NamedTuple):
    entries: Mapping[str, Any]
    #: where tensors are
    folder: Path

    def value(self, entry: Any) -> Any:
        """Return an argument or a result as PyTorch has it."""
        import torch

        if entry is None:
            return None
        if isinstance(entry, list):
            return [self.value(each) for each in entry]
        kind = entry.get("type") if isinstance(entry, dict) else None
        if kind in ("torch.Tensor", "torch.nn.Parameter", "Parameter"):
            if not entry.get("data_name"):
                raise Skip("the dump has no tensors, statistics alone; record it with task tensor")
            try:
                tensor = load_torch(self.folder / Path(entry["data_name"]).name)
            except Exception as error:  # what the file holds decides
                raise Skip(f"cannot read {entry['data_name']}: {reason(error)}") from error
            return tensor.detach().requires_grad_(bool(entry.get("requires_grad")))
        if kind in ("int", "float", "bool", "str"):
            return entry["value"]
        if kind == "torch.dtype":
            return getattr(torch, str(entry["value"]).removeprefix("torch."))
        if kind == "slice":
            return slice(*entry["value"])
        raise Skip(f"an argument of the type {kind or type(entry).__name__}")

    def recorded(self, key: str) -> Recorded:
        """Return the forward call of an entry."""
        import torch

        found = _KEY.fullmatch(key)
        assert found is not None
        space = {"Functional": torch.nn.functional, "Torch": torch, "Tensor": torch.Tensor}.get(
            found[1]
        )
        entry = self.entries[key]
        arguments = self.value(entry.get("input_args", []))
        keywords = {name: self.value(x) for name, x in entry.get("input_kwargs", {}).items()}
        return Recorded(getattr(space, found[2], None), found[2], arguments, keywords)


def _judge_entry(dump: _Dump, key: str, operator: Operator | None) -> Judged | None:
    """Judge a call; None if it is one of another operator than the one asked for."""
    found = _KEY.fullmatch(key)
    if found is None:
        raise Skip(
            "a module, whose functions are judged"
            if key.startswith("Module.")
            else "no function of PyTorch's"
        )
    forward, backward = key.removesuffix(found[3]) + "forward", found[3] == "backward"
    ours = _functions().get(_base(found[2]))
    if operator is not None and (ours is None or operator not in (ours.value, *ours.gradients)):
        return None
    if forward not in dump.entries:
        raise Skip("its forward call was not recorded")
    call = dump.recorded(forward)
    results = dump.value(dump.entries[key].get("output", []))
    results = results if isinstance(results, list) else [results]
    if backward:
        gradients = dump.value(dump.entries[key].get("input", []))
        node = _node(call)
        own = _own_gradient(dump, forward, ours, call, node, gradients, results)
    else:
        own = _own_value(ours, call, results)
    if own is not None and operator in (None, own.operator):
        try:
            return judged(own, key)
        except ArgumentError:
            pass  # PyTorch's function takes more than ours
    if operator is not None:
        return None
    if call.function is None:
        raise Skip("PyTorch has no such function")
    if backward:
        exact = _attempt(lambda: node(*[_wide(gradient) for gradient in gradients]))
    else:
        exact = _computed(call)
    return Judged(key, _TORCH, {}, list(_of_torch(exact, results)))


def _base(name: str) -> str:
    base = name.removesuffix("_").removeprefix("npu_")
    return _ALIASES.get(base, base)


@cache
def _functions() -> dict[str, Function]:
    return differentiable_functions()


# --- operators of ascendref -----------------------------------------------------------------------


def _bound(function: Function, call: Recorded) -> dict[str, Any] | None:
    """Return the arguments of a call by our names; None if one has no name of ours."""
    declared = function.declared
    own = [*function.operands, *[param.name for param in declared.scalars]]
    try:
        names = [*inspect.signature(call.function).parameters]
    except (TypeError, ValueError):  # written in C: in the order of ours
        names = own
    if len(call.arguments) > len(names):
        return None
    given = dict(zip(names, call.arguments, strict=False)) | call.keywords
    first = names[0]
    found = {}
    for name, value in given.items():
        ours = function.operands[0] if name in (first, "input", "self") else name
        if ours not in own:
            if name not in _WITHOUT_EFFECT or value not in _WITHOUT_EFFECT[name]:
                return None
        elif value is not None:
            found[ours] = value
    return found


def _own_value(function: Function | None, call: Recorded, results: list[Any]) -> Call | None:
    """Return the call of our operator for a value, if there is one."""
    if function is None or function.value is None or len(results) != 1:
        return None
    bound = _bound(function, call)
    if bound is None:
        return None
    operator = function.value
    bound[operator.tensors[0].name] = bound[function.operands[0]]
    return _made(operator, bound, {operator.outputs[0]: results[0]})


def _made(operator: Operator, bound: Mapping[str, Any], results: Mapping[str, Any]) -> Call | None:
    import torch

    values: dict[str, Any] = {
        n: as_array(x) if isinstance(x, torch.Tensor) else x for n, x in bound.items()
    }
    tensors = {p.name: values.get(p.name) for p in operator.tensors}
    scalars = {p.name: values[p.name] for p in operator.scalars if p.name in values}
    needed = [p.name for p in operator.tensors if p.default is None]
    if any(not isinstance(tensors[name], np.ndarray) for name in needed):
        return None
    given = {name: array for name, array in tensors.items() if isinstance(array, np.ndarray)}
    try:
        return Call(operator, given, scalars, {n: as_array(x) for n, x in results.items()})
    except ArgumentError:
        return None


def _own_gradient(
    dump: _Dump,
    forward: str,
    function: Function | None,
    call: Recorded,
    node: Any,
    gradients: list[Any],
    results: list[Any],
) -> Call | None:
    """Return the call of our operator for a gradient, if the node computes that."""
    operator = None if function is None else function.gradient
    if function is None or operator is None or len(gradients) != 1 or results[0] is None:
        return None
    whole = function.name.replace("_", "")
    if not node.name().lower().startswith(whole):  # the last of several steps
        return None
    bound = _bound(function, call)
    if bound is None:
        return None
    values = bound | dict(function.fixed)
    data = bound[function.operands[0]]
    for param in operator.tensors:
        if param.name.startswith("grad") or param.name == "dy":
            values[param.name] = gradients[0]
        elif param.name in ("output", "result"):
            values[param.name] = dump.value(dump.entries[forward]["output"])[0]
        elif param.name in ("x", "self_or_result"):
            values[param.name] = data
    named_results = dict(zip(operator.outputs, results, strict=False))
    if operator.per_channel and named_results.get("grad_weight") is not None:
        named_results["grad_weight"] = named_results["grad_weight"].reshape(values["weight"].shape)
    return _made(operator, values, {n: x for n, x in named_results.items() if x is not None})


# --- PyTorch in float64 ---------------------------------------------------------------------------


def _wide(value: Any) -> Any:
    """Return an argument with all floats as float64, tensors as new leaves of a graph."""
    import torch

    if isinstance(value, list | tuple):
        return type(value)(_wide(each) for each in value)
    if isinstance(value, torch.dtype) and value.is_floating_point:
        return torch.float64
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return value
    wide = value.detach().to(torch.float64, copy=True).requires_grad_(value.requires_grad)
    return wide.clone() if wide.requires_grad else wide  # an operator may write into it


def _attempt(compute: Any) -> list[Any]:
    """Return what PyTorch computes as a list, or raise Skip with its message."""
    try:
        found = compute()
    except Exception as error:  # PyTorch's own, of any kind
        raise Skip(f"PyTorch cannot compute it in float64: {reason(error)}") from error
    return list(found) if isinstance(found, list | tuple) else [found]


def _computed(call: Recorded) -> list[Any]:
    """Return the results of a call that gives the same again."""
    import torch

    found = []
    with torch.random.fork_rng(devices=[]):
        for seed in (1, 2):
            torch.manual_seed(seed)
            wide = {name: _wide(value) for name, value in call.keywords.items()}
            found.append(_attempt(lambda k=wide: call.function(*_wide(call.arguments), **k)))
    for one, other in zip(*found, strict=True):
        if isinstance(one, torch.Tensor) and not torch.equal(one.nan_to_num(), other.nan_to_num()):
            raise Skip("its results are random")
    return found[0]


def _node(call: Recorded) -> Any:
    """Return the node of the graph that a call's first differentiable result has."""
    if call.function is None:
        raise Skip("PyTorch has no such function")
    for result in _computed(call):
        if getattr(result, "grad_fn", None) is not None:
            return result.grad_fn
    raise Skip("no result of it has a gradient")


def _of_torch(exact: list[Any], results: list[Any]) -> Iterator[Verdict]:
    """Judge results by values that PyTorch computed in float64."""
    import torch

    if len(results) != len(exact):
        raise Skip(f"{len(results)} results were recorded, PyTorch computes {len(exact)}")
    pairs = [
        pair for pair in zip(exact, results, strict=True) if all(hasattr(x, "dtype") for x in pair)
    ]
    if not pairs:
        raise Skip("it has no tensors for results")
    for number, (value, result) in enumerate(pairs):
        # PyTorch's engine sums what a node computes to the shape of its operand
        if value.shape != result.shape and value.numel() >= result.numel():
            value = _attempt(lambda x=value, to=result.shape: x.sum_to_size(to))[0]
        actual, values = as_array(result), as_array(value.to(torch.float64))
        kind = BY_NUMPY.get(actual.dtype)
        if kind is None:
            raise Skip(f"results have the type {actual.dtype.name}")
        rounded = cast(values, kind.name) if kind.floating else values.astype(actual.dtype)
        name = "result" if len(pairs) == 1 else f"result {number}"
        yield judge_result(
            name, actual, Truth(values, rounded), _rule(actual, values), lambda k: {}
        )


def _rule(actual: NDArray[Any], values: Doubles) -> Any:
    """Return the fit to the vendor's rule for results, or to PyTorch's where that has none."""

    def fits(errors: Doubles) -> Iterator[Fit]:
        name = actual.dtype.name
        if name in RULES:
            accepted = vendor_accepts(actual, values)[0]
            beyond = 0 if accepted else int(np.count_nonzero(errors > 0))
            yield Fit(_TORCH, beyond, "the vendor's rule")
        elif name in TOLERANCES:
            relative, absolute = TOLERANCES[name]
            near = np.isclose(actual, values, relative, absolute, equal_nan=True)
            yield Fit(_TORCH, int(np.count_nonzero(~near)), "PyTorch's tolerances")

    return fits
