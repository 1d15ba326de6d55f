"""The cost of the C library: ``python -m benchmarks.cann``.

Compiles ``cann.c`` and runs it in turns with its peers, and prints the least of many turns: the
microseconds of calls in C beside the same two-phase call in Python, and the milliseconds of a whole
program with one operator beside those of Python importing NumPy and Numba.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ascendref as ar
from ascendref.cann.root import install, program_command
from ascendref.core.markdown import table

from .launches import BATCH, Launches

#: turns of the calls within one run of the program
TURNS = 10
HERE = Path(__file__).parent


def compiled(source: Path, folder: str, root: Path) -> Path:
    """Compile a program."""
    target = Path(folder, source.stem)
    variable = "CC" if source.suffix == ".c" else "CXX"
    words = program_command(variable, ["-O2", str(source), "-o", str(target)], root)
    subprocess.run(words, check=True)
    return target


def milliseconds(*words: str | Path) -> float:
    """Return how long a program takes."""
    start = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def main() -> None:
    """Print the results in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=10)
    turns = parser.parse_args().turns
    root = install()
    work = Launches()
    work.setup("hardshrink_backward")
    calls: dict[str, float] = {}
    in_python: list[float] = []
    whole: list[float] = []
    imports: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(HERE / "cann.c", folder, root)
        sample = compiled(HERE.parent / "examples" / "08_from_cpp.cpp", folder, root)
        for _ in range(turns):
            done = subprocess.run([program, str(TURNS)], check=True, capture_output=True, text=True)
            for line in done.stdout.splitlines():
                name, figure = line.split("\t")
                calls[name] = min(float(figure), calls.get(name, float(figure)))
            in_python += [work.repeated() / BATCH * 1e6 for _ in range(TURNS)]
            whole.append(milliseconds(sample))
            imports.append(milliseconds(sys.executable, "-c", "import numpy, numba"))
    work.teardown("hardshrink_backward")
    peer = min(in_python)
    rows = [(name, f"{figure:.2f}", f"{figure / peer:.2f}") for name, figure in calls.items()]
    rows.append(("both phases, in Python", f"{peer:.2f}", "1.00"))
    print("\n".join(table(("call", "µs", "of both phases in Python"), rows)))
    print(
        f"\nwhole program: {min(whole):.0f} ms; Python, NumPy and Numba imported:"
        f" {min(imports):.0f} ms; ratio {min(whole) / min(imports):.2f}"
        f" (ascendref {ar.__version__})"
    )


if __name__ == "__main__":
    main()
