"""Dumps of msprobe."""

from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import torch
from msprobe.pytorch import PrecisionDebugger

from .huggingface import Step, model, tokens


def dump(device: str) -> Step:
    """Return a step that dumps its tensors, which are the results.

    Fused attention is one operator on the CPU, several on the device, which dump fewer gradients.
    """
    network, ids = model(device, attn_implementation="eager"), tokens(device, 2, 16)
    folder = Path(mkdtemp())
    debugger = PrecisionDebugger(dump_path=str(folder), task="tensor", level="mix")

    def step() -> list[Any]:
        debugger.start(model=network)
        network(input_ids=ids, labels=ids).loss.backward()
        debugger.stop()
        debugger.step()
        last = max(folder.glob("step*"), key=lambda path: path.stat().st_mtime)
        files = sorted(last.glob("*/dump_tensor_data/*.pt"))
        return [torch.load(file, map_location="cpu") for file in files]

    return step


CASES = {'mindstudio-probe: tensors that `PrecisionDebugger` dumps of a step, level "mix"': dump}
