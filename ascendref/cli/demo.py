"""``ascendref demo``: the digits network, in F32 and in BF16 side by side."""

from typing import Final

from rich.console import Console

from ..core.dtypes import BFLOAT16, FLOAT32
from . import digits
from .console import DIFFERENCE, INTERRUPTED, print_json, run_steps
from .markdown import Table

#: share of the held-out digits that must be recognised
REQUIRED: Final = 0.95


def demo(seed: int, epochs: int, judged: bool, as_json: bool) -> int:
    """Train both networks and print how they learn; return the exit status.

    It is 1 if a run that is judged does not reach what is required.
    """
    kinds = (FLOAT32, BFLOAT16)
    data = digits.load(seed)
    runs = zip(*[digits.train(data, kind.numpy, epochs, seed) for kind in kinds], strict=True)
    history = run_steps(range(epochs), lambda _: next(runs), "epochs", lambda _: "training")
    finished = len(history) == epochs
    judged = judged and finished
    final = {kind.name: epoch.accuracy for kind, epoch in zip(kinds, history[-1], strict=True)}
    enough = not judged or min(final.values()) >= REQUIRED
    status = INTERRUPTED if not finished else 0 if enough else DIFFERENCE
    if as_json:
        print_json(
            {
                "seed": seed,
                "epochs": [
                    {kind.name: epoch._asdict() for kind, epoch in zip(kinds, row, strict=True)}
                    for row in history
                ],
                "held_out": final,
                "required": REQUIRED if judged else None,
                "ok": enough,
            }
        )
        return status
    rows = [
        (
            str(number), f"{single.loss:.4f}", f"{brain.loss:.4f}",
            f"{single.accuracy:.1%}", f"{brain.accuracy:.1%}",
        )
        for number, (single, brain) in enumerate(history, start=1)
    ]  # fmt: skip
    title = "F32 tensors, and BF16 tensors with weights kept in F32"
    headings = ("epoch", "F32 loss", "BF16 loss", "F32 held out", "BF16 held out")
    table = Table(title, headings, rows).in_terminal()
    console = Console()
    console.print(table)
    verdict = f"; required: {REQUIRED:.0%}, {'reached' if enough else 'NOT REACHED'}"
    console.print(
        f"held-out digits recognised: F32 {final['float32']:.1%}, BF16 {final['bfloat16']:.1%}"
        + (verdict if judged else "")
    )
    return status
