"""What people run on NPUs, on the CPU and through torch_npu: ``python -m benchmarks.clients``.

pip fills an environment with the versions below (two gigabytes); nothing else is downloaded. Every
case in ``programs/`` runs in two processes, on the CPU and by ``ascendref npu``; their results are
compared, then steps are measured in turns. ``--write`` puts the table into docs/what-runs.md, names
of clients limit the run and print it. The status is 1 if a row is not as expected.
"""

import argparse
import ast
import math
import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ascendref.core.markdown import table

from ..frameworks import environment

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "what-runs.md"
BEGIN, END = "<!-- clients -->\n", "<!-- end -->"
HEAD = ("client", "what was run", "result", "a step on the CPU", "on the device, times that")
PACKAGES = (
    "accelerate==1.15.0 diffusers==0.42.1 lightning==2.6.6 mindstudio-probe==26.2.0 peft==0.21.2"
    " timm==1.0.31 torch==2.13.0 torchvision==0.28.0 transformers==5.24.0"
).split()
CLIENTS = dict(package.split("==") for package in PACKAGES)
#: larger numbers stand for minus infinity
MASKED = 1e30
#: the largest difference that is expected, relative to the norm of the CPU's results
TOLERANCE = 1e-4
#: programs that the CPU runs in F64 as well: results may then be twice as far from these as its own
JUDGED = {"timm"}


def cases() -> Iterator[tuple[str, str]]:
    """Yield programs and the keys of their tables of cases; they are not imported."""
    for source in sorted(Path(__file__).with_name("programs").glob("[a-z]*.py")):
        last: Any = ast.parse(source.read_text()).body[-1]
        for key in last.value.keys:
            yield source.stem, ast.literal_eval(key)


def steps(python: Path, device: str, *words: object) -> Generator[str, None, None]:
    """Run a worker: yield "ready" or what fails, then the seconds of a step for each request."""
    npu = ["-m", "ascendref", "npu"] if device == "npu" else []
    command = [python, "-W", "ignore", *npu, "-m", "benchmarks.clients.worker", device, *words]
    offline = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    pipe, variables = subprocess.PIPE, os.environ | offline
    with subprocess.Popen(
        list(map(str, command)), 1, None, pipe, pipe, subprocess.DEVNULL, text=True, env=variables
    ) as process:
        assert process.stdin
        assert process.stdout
        while True:
            yield process.stdout.readline().strip() or f"ends: {process.wait()}"
            process.stdin.write("\n")


def difference(host: Path, device: Path) -> float:
    """Return the difference of results, relative to the norm of the first; inf of other sizes.

    Masks of attention hold the lowest float, beside which nothing else counts: they must be equal.
    """
    one, other = (np.concatenate(list(np.load(file).values())) for file in (host, device))
    if one.size != other.size:
        return math.inf
    masked = np.abs(one) > MASKED
    if not np.array_equal(one[masked], other[masked]):
        return math.inf
    return float(np.linalg.norm((one - other)[~masked]) / np.linalg.norm(one[~masked]))


def run(python: Path, program: str, case: str, turns: int) -> tuple[Any, ...]:
    """Return the cells on a case; the last one tells whether its result is as expected."""
    refused = case.endswith(", refused")
    with TemporaryDirectory() as name, ExitStack() as stack:
        files = {device: Path(name, f"{device}.npz") for device in ("npu", "cpu", "cpu-f64")}
        sides = []
        for device, file in files.items():
            if device == "cpu-f64" and program not in JUDGED:
                continue
            side = stack.enter_context(closing(steps(python, device, program, case, file)))
            answer = next(side)
            if answer != "ready":
                said = re.search("emulated device: .*? is not available", answer)
                return f"refused: {said[0]}" if said else answer[:99], "", "", said and refused
            sides.append(side)
        pairs = [[float(next(side)) for side in sides[:2]] for _ in range(turns)]
        npu, cpu, exact = files.values()
        error = difference(cpu, npu)
        result, met = f"differs by {error:.0e}" if error else "equal", error <= TOLERANCE
        if exact.exists():
            ours, peer = difference(exact, npu), difference(exact, cpu)
            result += f"; from F64 by {ours:.0e}, the CPU by {peer:.0e}"
            met = met or ours <= 2 * peer
    time, ratio = (median(found) for found in zip(*[(b, a / b) for a, b in pairs], strict=True))
    return result, f"{1e3 * time:.0f} ms", f"{ratio:.2f}", met and not refused


def main() -> int:
    """Print the table or write it; return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("client", nargs="*", choices=[*CLIENTS, []])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument(
        "--environment", type=Path, default=Path.home() / ".cache/ascendref/clients"
    )
    options = parser.parse_args()
    python = environment(options.environment, [*PACKAGES, "-e", f"{ROOT}[npu,cli]"])
    rows = list[tuple[Any, ...]]()
    for program, case in cases():
        client, _, what = case.partition(": ")
        if client in (options.client or CLIENTS):
            cells = run(python, program, case, options.turns)
            rows.append((f"{client} {CLIENTS[client]}", what.removesuffix(", refused"), *cells))
            print(*rows[-1], sep=" | ", flush=True, file=sys.stderr)
    text = "\n".join([*table(HEAD, [row[:-1] for row in rows]), ""])
    if options.write and not options.client:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        PAGE.write_text(before + BEGIN + text + END + rest.partition(END)[2])
    else:
        print(text, end="")
    return 0 if all(row[-1] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
