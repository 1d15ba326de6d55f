"""Runs a case: writes the results of two steps to a file, prints the seconds of each further step.

A line of the standard input asks for such a step. The device is npu, cpu or cpu-f64.
"""

import os
import sys
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np


def main(device: str, program: str, case: str, file: str) -> None:
    """Run steps, or print what the device refuses."""
    if device != "npu":  # clients import torch_npu where it is installed, and that looks for CANN
        sys.modules["torch_npu"] = None  # type: ignore[assignment]
    import torch

    declared = torch.library.Library("torchvision", "FRAGMENT")
    try:
        import torchvision  # noqa: F401
    except RuntimeError:  # the wheel is for CUDA, so that its own operators are missing
        for name in ("nms", "qnms"):
            declared.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    if device != "npu":  # the form that NPUs have, whatever a program asks for
        gelu: Any = torch.nn.functional.gelu
        torch.nn.functional.gelu = lambda x, approximate="": gelu(x, approximate="tanh")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print
    torch.manual_seed(0)
    try:
        step = import_module(f"benchmarks.clients.programs.{program}").CASES[case](device)
        found = [tensor.detach().cpu().double() for _ in range(2) for tensor in step()]
    except Exception as error:
        answers.write(" ".join(f"fails: {error!r}".split()) + "\n")
        raise
    np.savez(file, *[tensor.numpy().ravel() for tensor in found])
    answers.write("ready\n")
    for _ in sys.stdin:
        start = perf_counter()
        step()
        if device == "npu":
            torch.npu.synchronize()
        answers.write(f"{perf_counter() - start}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
