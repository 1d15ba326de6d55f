"""Inputs for owners of an NPU, and a script for torch_npu that computes the operators of them."""

from __future__ import annotations

import csv
from ast import literal_eval
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..core.dtypes import ELEMENT_TYPES
from ..core.errors import OptionError
from ..core.output_files import output_file
from ..declaration.operator import Operator
from ..verify.accuracy.sweep import Sweep
from ..verify.comparison.ulp import spacing
from ..verify.setting import PART, Setting, expanded, named_scalars
from .array_files import write_arrays
from .console import progress
from .options import parse_attributes
from .outputs import check_writable, print_written, report_write_errors

_OPTION: Final = "--inputs"
#: data and gradients of a grid, every pair of which is an input; data alone where there are none
_SIDE: Final = 40
#: a grid from which the hardest pairs are taken: exact values next to the middle of two numbers
_SEARCHED: Final = 200
_HARDEST: Final = 400

_SCRIPT: Final = '''\
"""Compute the calls of {inputs} with torch_npu: python {script} [DEVICE]

DEVICE is npu unless another one of PyTorch's is named. Results go to {results}. Then:
ascendref judge {inputs} {results}
"""

import sys
from pathlib import Path

import numpy as np
import torch

FOLDER = Path(__file__).parent
DEVICE = sys.argv[1] if len(sys.argv) > 1 else "npu"
if DEVICE.startswith("npu"):
    import torch_npu  # noqa: F401
aten = torch.ops.aten
CALLS = {{
{calls}}}


def tensor(array):
    """Return an array as a tensor; two raw bytes are BF16."""
    if array.dtype == "V2":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).to(DEVICE)
    return torch.from_numpy(array).to(DEVICE)


def array(tensor):
    """Return a tensor as an array; BF16 as two raw bytes."""
    tensor = tensor.cpu().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view("V2")
    return tensor.numpy()


results, failed = {{}}, 0
with np.load(FOLDER / {inputs!r}) as inputs, torch.no_grad():
    for name, (result, call) in CALLS.items():
        of_call = [key for key in inputs.files if key.rpartition("/")[0] == name]
        tensors = {{key.rpartition("/")[2]: tensor(inputs[key]) for key in of_call}}
        try:
            value = call(tensors)
            value = value[0] if isinstance(value, tuple) else value
            results[f"{{name}}/{{result}}"] = array(value)
        except Exception as error:  # the device has no such operator or type
            print(f"{{name}}: {{str(error).splitlines()[0]}}", file=sys.stderr)
            failed += 1
np.savez_compressed(FOLDER / {results!r}, **results)
print(f"{{len(results)}} calls computed on {{DEVICE}}, {{failed}} failed")
'''


class _Expression:
    """An expression of the script, of a tensor."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __neg__(self) -> _Expression:
        return _Expression(f"(-{self.text})")

    def __abs__(self) -> _Expression:
        return _Expression(f"abs({self.text})")

    def exp(self) -> _Expression:
        return _Expression(f"{self.text}.exp()")


def write_kit(
    path: Path,
    chosen: Sequence[tuple[Operator, Sequence[Setting]]],
    kinds: Sequence[str],
    seed: int,
) -> None:
    """Write the inputs, and the script next to them."""
    script = path.with_suffix(".py")
    if path.suffix != ".npz":
        raise OptionError(_OPTION, f"the name of {path} must end in .npz")
    check_writable(_OPTION, path)
    check_writable(_OPTION, script)
    pairs = [(operator, each) for operator, each in chosen if operator.torch is not None]
    if not pairs:
        names = ", ".join(operator.name for operator, _ in chosen)
        raise OptionError(_OPTION, f"PyTorch has no operator for {names}")
    arrays: dict[str, NDArray[Any]] = {}
    calls = []

    def add(setting: Setting, label: str, tensors: Mapping[str, NDArray[Any]]) -> None:
        name = f"{setting.operator.name} {_attributes(setting)}{label}"
        arrays.update({f"{name}/{tensor}": array for tensor, array in tensors.items()})
        text = f"lambda t: {_call_text(setting)}"
        calls.append(f"    {name!r}: ({setting.operator.outputs[0]!r}, {text}),\n")

    with progress() as bar:
        for operator, settings in bar.track(pairs, description="inputs"):
            for number, setting in enumerate(_of_different_scalars(settings)):
                for kind in kinds:
                    add(setting, kind, _tensors(setting, kind, seed, number == 0))
            for number, (setting, kind, tensors) in enumerate(_published(operator, kinds), 1):
                add(setting, f"{kind} published {number}", tensors)
    write_arrays(_OPTION, path, arrays, compressed=True)
    results = f"{path.stem}.results.npz"
    text = _SCRIPT.format(
        inputs=path.name, script=script.name, results=results, calls="".join(calls)
    )
    with report_write_errors(_OPTION, script), output_file(script) as file:
        file.write(text.encode())
    print_written(path)
    print_written(script)


def _published(
    operator: Operator, kinds: Sequence[str]
) -> Iterator[tuple[Setting, str, dict[str, NDArray[Any]]]]:
    """Yield scalars, type and tensors of results that documents print, ``docs/npu-results.md``."""
    text = files(__package__).joinpath("published.tsv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        if row["function"] == operator.name and row["type"] in kinds:
            words = row["parameters"].split("; ") if row["parameters"] else []
            scalars = named_scalars(operator, parse_attributes(operator, words))
            pairs = [word.split("=") for word in row["input"].split("; ")]
            kind = ELEMENT_TYPES[row["type"]].numpy
            tensors = {name: np.array(literal_eval(data), kind) for name, data in pairs}
            yield Setting(operator, scalars), row["type"], tensors


def _of_different_scalars(settings: Sequence[Setting]) -> Iterator[Setting]:
    """Yield the settings of different calls."""
    seen = []
    for setting in settings:
        if setting.scalars not in seen and setting.values.get(PART, 0) == 0:
            seen.append(setting.scalars)
            yield setting


def _attributes(setting: Setting) -> str:
    """Return the scalars as words, each followed by a space."""
    texts = [
        f"{name}={value if isinstance(value, str) else repr(float(value)).removesuffix('.0')} "
        for name, value in setting.scalars.items()
    ]
    return "".join(texts)


@np.errstate(all="ignore")
def _tensors(setting: Setting, kind: str, seed: int, every: bool) -> dict[str, NDArray[Any]]:
    """Return inputs: a grid with special numbers and edges, hard cases, all of 16 bits."""
    element = ELEMENT_TYPES[kind]
    sweep = Sweep(setting, kind, (), exhaustive=False, seed=seed)
    sides = (_SIDE, _SEARCHED) if sweep.has_gradients else (_SIDE**2, _SEARCHED**2)
    (data, gradients), searched = [sweep.grid(side) for side in sides]
    if not sweep.has_gradients and every and sweep.raw.itemsize == 2:
        data = np.arange(1 << 16, dtype=sweep.raw).view(element.numpy)
    parts = setting.tensors(data[:, None], gradients[None])
    more = setting.tensors(searched[0][:, None], searched[1][None])
    value = setting.value([array.astype(np.float64) for array in more])
    steps = value / spacing(np.where(np.isfinite(value), value, 0.0), element)
    far = np.where(np.isfinite(value) & (value != 0), abs(abs(steps - np.floor(steps)) - 0.5), 1.0)
    far[far == 0] = 1.0  # a tie, which needs no digits
    hardest = np.argsort(far, axis=None, kind="stable")[:_HARDEST]
    columns = [
        np.concatenate([one.reshape(-1), other.reshape(-1)[hardest]])[:, None]
        for one, other in zip(parts, more, strict=True)
    ]
    operator, arrays = setting.operator, setting.arguments(expanded(columns))
    found = {p.name: x for p, x in zip(operator.tensors, arrays, strict=True)}
    limits = operator.torch.limits if operator.torch else {}
    for name, (low, high) in limits.items():  # PyTorch refuses numbers beyond them, and NaN
        array = found[name]
        found[name] = np.where((array >= low) & (array <= high), array, array.dtype.type(low))
    return found


def _call_text(setting: Setting) -> str:
    """Return the call of PyTorch's operator in Python."""
    operator = setting.operator
    assert operator.torch is not None
    named: dict[str, Any] = {p.name: _Expression(f't["{p.name}"]') for p in operator.tensors}
    if operator.per_channel:
        named[operator.tensors[-1].name].text += ".reshape(1, -1, 1)"
    arguments, keywords = operator.for_torch({**named, **setting.scalars})
    words = [*map(repr, arguments), *[f"{name}={value!r}" for name, value in keywords.items()]]
    return f"aten.{operator.torch.name}({', '.join(words)})"
