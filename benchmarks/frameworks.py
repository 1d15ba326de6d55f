"""Five functions and their gradients in other frameworks: ``python -m benchmarks.frameworks``.

Each framework is installed in a virtual environment of its own and runs
`benchmarks.frameworks_worker` there, on the CPU. Its results are compared with the correctly
rounded ones, ``compute_dtype="float64"``: of all finite F16 and BF16 inputs, and of a million F32
inputs, half of them uniform in their bits, half of them in [-20, 20]. The tables of
docs/frameworks.md are printed. ``--tsv FILE`` replaces the rows of the frameworks in a file,
``--plot FILE`` draws its errors::

    python -m benchmarks.frameworks --tsv docs/frameworks.tsv --plot docs/frameworks.png

Names of frameworks limit the run to them; without any, ``--plot`` and the tables take every row of
the file. pip decides where packages come from: its settings may name an index of PyTorch's builds
for the CPU, which are smaller.
"""

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf, isnan, nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import ascendref as ar
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.core.markdown import table
from ascendref.verify.comparison.ulp import spacing
from ascendref.verify.figures.panels import LABELS

Row = dict[str, str]
OWN = "ascendref"
#: rows of results, from which docs/_ext makes a table as well
COLUMNS = (
    "function", "of", "type", "framework", "how", "inputs", "wrong", "zero", "nan", "inf", "ulp",
    "normal ulp", "input", "result", "correct", "note",
)  # fmt: skip

#: name in the worker: framework, version, packages
FRAMEWORKS = {
    "torch": ("PyTorch", "2.13.0", "torch=={} numpy"),
    "jax": ("JAX", "0.10.2", "jax=={}"),
    "jax-jit": ("JAX jit", "0.10.2", "jax=={}"),
    "tensorflow": ("TensorFlow", "2.21.0", "tensorflow-cpu=={} keras"),
    "tensorflow-jit": ("TensorFlow XLA", "2.21.0", "tensorflow-cpu=={} keras"),
    "tinygrad": ("tinygrad", "0.14.0", "tinygrad=={} numpy"),
    "mindspore": ("MindSpore", "2.10.0", "mindspore=={} numpy<2"),
    "paddle": ("Paddle", "3.3.1", "paddlepaddle=={}"),
}


def ones(x: Any) -> Any:
    """Return a gradient of 1."""
    return np.ones_like(x)


#: function and gradient of a tensor, by the names that the worker has
FUNCTIONS: dict[str, Sequence[Callable[..., Any]]] = {
    "hardshrink": (
        ar.hardshrink, lambda x, *s, **k: ar.hardshrink_backward(ones(x), x, *s, **k),
    ),
    "softplus": (ar.softplus, lambda x, *s, **k: ar.softplus_backward(ones(x), x, *s, **k)),
    "prelu": (
        lambda x, weight, **k: ar.prelu(x, np.full(1, weight, x.dtype), **k),
        lambda x, weight, **k: ar.prelu_backward(
            ones(x), x, np.full(1, weight, x.dtype), **k
        )[0],
    ),
    "smooth_l1": (
        lambda x, beta, **k: ar.smooth_l1_loss(x, np.zeros_like(x), "none", beta, **k),
        lambda x, beta, **k: ar.smooth_l1_loss_backward(
            ones(x), x, np.zeros_like(x), "none", beta, **k
        ),
    ),
    "logit": (ar.logit, lambda x, *s, **k: ar.logit_grad(x, ones(x), *s, **k)),
}  # fmt: skip


class Case(NamedTuple):
    """A function with scalars, and its edges."""

    function: str
    scalars: dict[str, float | None]
    edges: list[float]
    #: whether all inputs are compared, or the edges alone
    compared: bool = True

    def __str__(self) -> str:
        return " ".join([self.function, *(f"{k} {v:g}" for k, v in self._shown())])

    def _shown(self) -> Iterator[tuple[str, float]]:
        usual = {"lambd": 0.5, "beta": 1.0, "threshold": 20.0, "weight": 0.25, "eps": None}
        return ((k, v) for k, v in self.scalars.items() if v is not None and v != usual[k])


CASES = [
    Case("hardshrink", {"lambd": 0.5}, [0.5, -0.5, nan]),
    Case("hardshrink", {"lambd": -1.0}, [0.0], compared=False),
    Case("softplus", {"beta": 1.0, "threshold": 20.0}, [20, 21, -88.8, -inf, inf, nan]),
    Case("prelu", {"weight": 0.25}, [0.0, -0.0, nan]),
    Case("smooth_l1", {"beta": 1.0}, [1, -1, inf, nan]),
    Case("smooth_l1", {"beta": 0.3}, []),
    Case("smooth_l1", {"beta": 0.0}, [0.0, nan], compared=False),
    Case("logit", {"eps": None}, [0.0, -0.0, 1, -0.1, nan]),
    Case("logit", {"eps": 0.01}, [0.005, 0.01, 0.995, nan]),
    Case("logit", {"eps": 0.0}, [-0.1, 0.0, 1, nan], compared=False),
]
KINDS = ("float16", "bfloat16", "float32")
#: equal elements: PyTorch's vector loop computes the first ones, its scalar loop the last
LENGTH = 67
TERMS = 20_000_000


def inputs(kind: str) -> Any:
    """Return finite inputs: all of a half-precision type, a million of F32."""
    if kind != "float32":
        x = np.arange(1 << 16, dtype=np.uint16).view(ELEMENT_TYPES[kind].numpy)
        return x[np.isfinite(x.astype(np.float32))]
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 32, 510_000, dtype=np.uint32).view(np.float32)
    uniform = rng.uniform(-20, 20, 500_000).astype(np.float32)
    return np.concatenate([bits[np.isfinite(bits)][:500_000], uniform])


def jobs(folder: Path) -> list[dict[str, Any]]:
    """Write inputs, and return the calls of the worker."""
    found = list[dict[str, Any]]()

    def add(case: Case, what: str, kind: str, x: Any) -> None:
        name = f"inputs-{len(found)}.npy"
        raw = x.view(np.uint16) if x.dtype == ml_dtypes.bfloat16 else x
        np.save(folder / name, raw)
        keys = {"function": case.function, "scalars": case.scalars, "dtype": kind, "inputs": name}
        found.append(keys | {"what": what, "case": case, "x": x, "truth": {}})

    for case in CASES:
        for kind in KINDS if case.compared else ():
            add(case, "all", kind, inputs(kind))
        for x in case.edges:
            add(case, "edge", "float32", np.full(LENGTH, x, np.float32))
    add(CASES[3], "sum", "float32", np.full(TERMS, -1, np.float32))
    terms = np.random.default_rng(0).uniform(0, 8, 1 << 16).astype(np.float16)
    add(CASES[4], "mean", "float16", terms)
    keys = ("function", "scalars", "dtype", "inputs", "what")
    (folder / "jobs.json").write_text(json.dumps([{k: job[k] for k in keys} for job in found]))
    return found


def environment(folder: Path, packages: Sequence[str]) -> Path:
    """Return the Python of an environment, which is made if it is missing or has other packages."""
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists() or done.read_text() != "\n".join(packages):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        done.write_text("\n".join(packages))
    return python


def measure(name: str, todo: list[dict[str, Any]], folder: Path, root: Path) -> Iterator[Row]:
    """Yield the rows of a framework."""
    formulas = list[str]()
    if name != OWN:
        worker = Path(__file__).with_name("frameworks_worker.py")
        _, version, packages = FRAMEWORKS[name]
        home = root / f"{name.removesuffix('-jit')}-{version}"
        python = environment(home, packages.format(version).split())
        command = (python, "-W", "ignore", worker, name, folder)
        for _ in todo:  # a process that crashes is started again for the rest
            if subprocess.run(command).returncode >= 0:
                break
        formulas = json.loads((folder / name / "formulas.json").read_text())
    for place, job in enumerate(todo):
        how = "formula" if job["function"] in formulas else "own"
        refused = folder / name / f"{place}.txt"
        keys = {"function": str(job["case"]), "framework": title(name), "how": how}
        keys |= {"type": job["dtype"], "note": refused.read_text() if refused.exists() else ""}
        results = None
        if not keys["note"]:
            results = own(job) if name == OWN else np.load(folder / name / f"{place}.npy")
        if job["what"] == "all":
            for k, of in enumerate(("value", "gradient")):
                found = {} if results is None else compare(job, k, results[k])
                yield keys | {"of": of} | found
        else:
            x, cell = edge(job, results)
            yield keys | {"of": "edge", "input": x, "result": cell}


def title(name: str) -> str:
    """Return what tables call a framework."""
    return " ".join(FRAMEWORKS[name][:2]) if name in FRAMEWORKS else name


def own(job: dict[str, Any]) -> Any:
    """Return what ascendref makes of a job."""
    scalars, functions, x = job["scalars"].values(), FUNCTIONS[job["function"]], job["x"]
    if job["what"] == "sum":
        weight = np.full(1, *scalars, x.dtype)
        return ar.prelu_backward(ones(x), x, weight)[1][None]
    if job["what"] == "mean":
        mean = ar.smooth_l1_loss(x, np.zeros_like(x), "mean", *scalars)
        return np.float32([[mean]])
    with np.errstate(all="ignore"):
        return np.stack([np.float32(f(x, *scalars)) for f in functions])


def compare(job: dict[str, Any], which: int, got: Any) -> Row:
    """Return what is counted of results, and the one with the largest error."""
    kind, x = ELEMENT_TYPES[job["dtype"]], job["x"]
    if which not in job["truth"]:
        function, scalars = FUNCTIONS[job["function"]][which], job["scalars"].values()
        with np.errstate(all="ignore"):
            correct = function(x, *scalars, compute_dtype="float64").astype(np.float32)
            job["truth"][which] = correct, function(x.astype(np.float64), *scalars)
    correct, exact = job["truth"][which]
    numbers = np.isfinite(correct) & np.isfinite(got)
    with np.errstate(invalid="ignore"):
        error = np.where(numbers, abs(got - exact) / spacing(exact, kind), 0)
    least = float(ml_dtypes.finfo(kind.numpy).tiny)
    normal = (abs(x.astype(np.float64)) >= least) & (abs(exact) >= least)
    at = int(np.argmax(error))
    counts = {
        "inputs": x.size,
        "wrong": np.sum(numbers & (got != correct)),
        "zero": np.sum(numbers & (got == 0) & (correct != 0)),
        "nan": np.sum(np.isnan(got) != np.isnan(correct)),
        "inf": np.sum(~numbers & (got != correct) & ~np.isnan(got) & ~np.isnan(correct)),
    }
    figures = {
        "ulp": error[at],
        "normal ulp": np.max(error, where=normal, initial=0),
        "input": x[at].item(),
        "result": got[at].item(),
        "correct": correct[at].item(),
    }
    texts = {k: f"{v:.4g}" if "ulp" in k else f"{v:.9g}" for k, v in figures.items()}
    return {k: str(v) for k, v in counts.items()} | texts


def edge(job: dict[str, Any], results: Any) -> tuple[str, str]:
    """Return an input and the gradient there, of the first and the last element; or of a sum."""
    if job["what"] != "edge":
        terms = f"{job['what']} of {job['x'].size:,}"
        return terms, "" if results is None else number(results[-1, 0], 9)
    first, last = ("", "") if results is None else map(number, results[1, [0, -1]])
    return number(job["x"][0]), first if first == last else f"{first}, last {last}"


def number(value: float, digits: int = 5) -> str:
    """Return a number as tables show it."""
    return f"{value:.{digits}g}".replace("inf", "∞").replace("nan", "NaN").replace("-", "−")


def count_tables(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the tables of half precision and of F32 in Markdown."""
    rows = [row for row in rows if row["of"] != "edge"]
    names = list(dict.fromkeys(row["framework"] for row in rows))
    cells = {tuple(row[k] for k in ("function", "of", "type", "framework")): row for row in rows}
    lines = list(dict.fromkeys((row["of"], row["function"]) for row in rows))
    lines.sort(key=lambda line: line[0] != "gradient")

    def cell(function: str, of: str, kind: str, name: str) -> str:
        row = cells.get((function, of, kind, name))
        if row is None or not row["wrong"]:
            return "–"
        wrong = f"{int(row['wrong']):,}"
        if kind != "float32":
            return wrong
        if wrong == "0" or not row["normal ulp"]:  # of a GPU only the distance is known
            return wrong
        return f"{wrong} / {float(row['normal ulp']):.3g}"

    for kinds in (KINDS[:2], KINDS[2:]):
        # those that have none of the types have no column
        shown = [
            n for n in names if any(cell(f, of, k, n) != "–" for of, f in lines for k in kinds)
        ]
        yield from table(
            ("", *shown),
            [
                (
                    f + ("′" if of == "gradient" else ""),
                    *(" · ".join(cell(f, of, k, n) for k in kinds) for n in shown),
                )
                for of, f in lines
            ],
        )
        yield ""


def edge_table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the table of edges in Markdown."""
    rows = [row for row in rows if row["of"] == "edge"]
    cells = {(row["function"], row["input"], row["framework"]): row for row in rows}
    names = list(dict.fromkeys(row["framework"] for row in rows))
    lines = dict.fromkeys((row["function"], row["input"]) for row in rows)

    def cell(*key: str) -> str:
        row = cells.get(key, {"result": "–"})
        return row["result"] or ("crashes" if "crashes" in row["note"] else "refused")

    yield from table(
        ("", *names), [(f"{f}: {x}", *(cell(f, x, n) for n in names)) for f, x in lines]
    )


def draw(rows: Sequence[Row], file: Path) -> None:
    """Draw the share of results of each gradient that are wrong, a panel for each type."""
    from matplotlib.figure import Figure

    gradients = [row for row in rows if row["of"] == "gradient"]
    names = list(dict.fromkeys(row["framework"] for row in gradients))
    functions = list(dict.fromkeys(row["function"] for row in gradients))
    figure = Figure(figsize=(13, 5), layout="constrained")
    for axes, kind in zip(figure.subplots(1, 3), KINDS, strict=True):
        found = {(r["function"], r["framework"]): r for r in gradients if r["type"] == kind}

        def share(function: str, name: str, found: dict[Any, Row] = found) -> float:
            row = found.get((function, name))
            return 100 * int(row["wrong"]) / int(row["inputs"]) if row and row["wrong"] else nan

        shares = np.array([[share(f, n) for f in functions] for n in names])
        axes.imshow(np.log10(shares + 1e-3), cmap="OrRd", vmin=-3, vmax=2, aspect="auto")
        for (i, j), value in np.ndenumerate(shares):
            text = "" if isnan(value) else "<.01" if 0 < value < 0.01 else f"{value:.2g}"
            axes.text(j, i, text, ha="center", va="center", color="w" if value > 5 else "k")
        axes.set_facecolor("#d9d9d9")
        axes.set_title(f"{LABELS[kind]}: % wrongly rounded")
        axes.set_xticks(range(len(functions)), functions, rotation=40, ha="right")
        axes.set_yticks(range(len(names)), names if kind == KINDS[0] else [""] * len(names))
    figure.savefig(file, dpi=100, metadata={"Software": None})


def main() -> None:
    """Measure, and print tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", nargs="*", choices=[OWN, *FRAMEWORKS, []])
    cache = Path.home() / ".cache" / "ascendref" / "frameworks"
    parser.add_argument("--environments", type=Path, default=cache, help="default: %(default)s")
    parser.add_argument("--tsv", type=Path)
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    rows = list[Row]()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        todo = jobs(folder)
        for name in options.framework or [OWN, *FRAMEWORKS]:
            try:
                rows += measure(name, todo, folder, options.environments)
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"{name} is not measured: {error}", file=sys.stderr)
    rows = merged(options.tsv, rows)
    print(*count_tables(rows), *edge_table(rows), sep="\n")
    if options.plot:
        draw(rows, options.plot)


def merged(file: Path | None, rows: list[Row]) -> list[Row]:
    """Write rows to a file, beside those of other frameworks that it has, and return all."""
    measured = {row["framework"] for row in rows}
    if file and file.exists():
        with file.open(encoding="utf-8", newline="") as old:
            kept = csv.DictReader(old, delimiter="\t")
            rows = rows + [row for row in kept if row["framework"] not in measured]
    order = [title(name) for name in (OWN, *FRAMEWORKS)]
    rows = [dict.fromkeys(COLUMNS, "") | row for row in rows]
    rows.sort(key=lambda row: order.index(row["framework"]) if row["framework"] in order else 99)
    if file:
        with file.open("w", encoding="utf-8", newline="") as new:
            writer = csv.DictWriter(new, COLUMNS, delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return rows


if __name__ == "__main__":
    main()
