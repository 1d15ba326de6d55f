"""Commands that run and check programs for the device."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

import typer
from typer import Argument, Option

from ...core.errors import AclError, OptionError
from ...core.extras import install_command
from ...core.products import Product
from ...core.tracebacks import SHORT, VARIABLE
from ..console import DIFFERENCE, print_error
from ..options import AsJson
from ..outputs import check_writable
from ..programs import check_program, starting

#: the heading under which they are listed
PANEL: Final = "Check programs"
#: the folder whose ``sitecustomize.py`` has programs find the device
_STARTUP: Final = Path(__file__).parents[2] / "npu" / "startup"

app = typer.Typer()

Traceback = Annotated[
    bool,
    Option(
        "--traceback", help="Print tracebacks of the program in full, internal frames included."
    ),
]


@app.command("check", context_settings={"allow_interspersed_args": False}, rich_help_panel=PANEL)
def check_command(
    context: typer.Context,
    program: Annotated[
        Path, Argument(help="A Python program (.py), or an executable that uses the C library.")
    ],
    arguments: Annotated[
        list[str] | None,
        Argument(metavar="[ARGS]...", help="Its arguments; with --symbols, more files."),
    ] = None,
    list_symbols: Annotated[
        bool,
        Option(
            "--symbols",
            help="Run nothing: list the acl and aclnn functions that the files need (programs,"
            " shared objects, or sources in C, C++ and Python), and whether they are available.",
        ),
    ] = False,
    html: Annotated[
        Path | None,
        Option("--html", metavar="FILE", help="Write a page with a timeline of each hazard."),
    ] = None,
    traceback: Traceback = False,
    as_json: AsJson = False,
) -> int:
    """Run a program and report hazards in it.

    Races, lifetime errors, uninitialized reads, leaks, deadlocks and waits without effect are
    collected, not raised, whatever check mode the program sets.

    Exit status 1 if there are hazards, or if the program failed; 2 if it used no device, so that
    nothing was checked; with --symbols, 1 if a function is not available.

    Example: ascendref check train.py --epochs 3
    """
    from ..check import check
    from ..needed import symbols

    if list_symbols:
        if html is not None:
            raise OptionError("--html", "is not possible with --symbols, which runs nothing")
        return 0 if symbols([program, *map(Path, arguments or [])], as_json) else DIFFERENCE
    _note_options_behind(context, arguments or [])
    return check(program, arguments or [], html, as_json, traceback)


def _note_options_behind(context: typer.Context, arguments: list[str]) -> None:
    """Say on stderr that options behind a program are the program's, if the command has them."""
    own = {name for param in context.command.params for name in param.opts if name[:2] == "--"}
    for name in dict.fromkeys(text.partition("=")[0] for text in arguments):
        if name in own:
            print_error(f"{name} stands behind the program and is passed to it; see --help")


@app.command("npu", context_settings={"allow_interspersed_args": False}, rich_help_panel=PANEL)
def npu_command(
    context: typer.Context,
    script: Annotated[
        str, Argument(help="A Python program that imports torch_npu, or with -m a module.")
    ],
    arguments: Annotated[
        list[str] | None, Argument(metavar="[ARGS]...", help="Its arguments.")
    ] = None,
    is_module: Annotated[bool, Option("-m", help="Run a module, as python -m does.")] = False,
    product: Annotated[str | None, Option(help="A product or a chip. Default: Atlas A2.")] = None,
    fallback: Annotated[
        bool, Option(help="Run operators that are not emulated on the CPU, or refuse them.")
    ] = True,
    report: Annotated[
        bool, Option("--report", help="At exit, print on stderr which operators ran where.")
    ] = False,
    report_file: Annotated[
        Path | None, Option(metavar="FILE", help="Write the report to a JSON file instead.")
    ] = None,
    traceback: Traceback = False,
) -> None:
    """Run a torch_npu program without an NPU.

    It runs on the emulated device, and so do the processes that it starts. Needs torch and
    torch-npu (extra npu) and a C compiler. Options come before the program.

    Examples: ascendref npu --report train.py --epochs 3,
    ascendref npu -m torch.distributed.run --nproc-per-node=2 train.py
    """
    from ...cann.root import compiler

    if not is_module:
        check_program("SCRIPT", Path(script))
    try:
        chip = None if product is None else Product.find(product).soc_name
    except AclError as error:
        raise OptionError("--product", error.message.removeprefix("product ")) from None
    if report_file is not None:
        check_writable("--report-file", report_file)
    for package in ("torch", "torch_npu"):
        if find_spec(package) is None:
            raise OptionError(package, f"not installed: {install_command('npu')}")
    compiler("CC")
    if chip is not None:
        os.environ["ASCENDREF_PRODUCT"] = chip
    os.environ["ASCENDREF_NPU_FALLBACK"] = "1" if fallback else "0"
    if report or report_file is not None:
        where = "-" if report_file is None else str(report_file.absolute())
        os.environ["ASCENDREF_NPU_REPORT"] = where
    if report_file is not None and report_file.is_file():
        report_file.write_bytes(b"")  # the processes of the program add to it
    if not traceback:
        os.environ[VARIABLE] = SHORT
    folders = [str(_STARTUP), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    _note_options_behind(context, arguments or [])
    sys.stdout.flush()
    words = [sys.executable, "-m" if is_module else "--", script, *(arguments or [])]
    with starting("SCRIPT"):
        os.execv(words[0], words)
