"""Commands that compute."""

from pathlib import Path
from typing import Annotated, Final

import typer
from typer import Argument, Option

from ..options import AsJson, Attributes, Seed, integer

#: the heading under which they are listed
PANEL: Final = "Compute"

#: epochs of the demonstration unless others are asked for; what it must reach is stated for them
_EPOCHS: Final = 20

app = typer.Typer()


@app.command("demo", rich_help_panel=PANEL)
def demo_command(
    seed: Seed = 0,
    epochs: Annotated[
        int, Option(parser=integer(1), metavar="N", help="Passes over the training images.")
    ] = _EPOCHS,
    as_json: AsJson = False,
) -> int:
    """Train a small network in F32 and in BF16.

    It learns to recognise handwritten digits. All gradients are computed by ascendref.

    With the default number of epochs, exit status 1 means that one of the networks recognises
    fewer than 95 % of the held-out digits.

    Example: ascendref demo --epochs 5
    """
    from ..demo import demo

    return demo(seed, epochs, epochs == _EPOCHS, as_json)


@app.command("run", rich_help_panel=PANEL)
def run_command(
    operator: Annotated[
        str,
        Argument(
            metavar="OPERATOR",
            help="Name of its function or the vendor's name; see `ascendref ops`.",
        ),
    ],
    inputs: Annotated[
        list[str],
        Option(
            "--input",
            metavar="FILE.npz|NAME=FILE.npy",
            help="Arrays, named as the operator's tensors. Repeatable.",
        ),
    ],
    output: Annotated[
        Path, Option(help="File for the results: .npz, or .npy if there is one result.")
    ],
    attributes: Attributes = None,
    compute_dtype: Annotated[
        str | None,
        Option(help="Compute type: float16, bfloat16, float32, float64, float32-steps or exact."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run one operator on arrays from files.

    In files, BF16 arrays have two raw bytes per element (V2), as NumPy writes them.

    Example: ascendref run softplus_backward --input in.npz --attr beta=2 --output out.npz
    """
    from ..run import run

    run(operator, inputs, attributes or [], compute_dtype, output, as_json)
