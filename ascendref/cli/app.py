"""The commands: their options, their help, and nothing else."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated

import typer

import ascendref

from ..core.errors import ArgumentError, ArgumentValueError
from .console import BAD_CALL, DIFFERENCE, print_error, report_bad_calls
from .options import (
    FLOAT_TYPES,
    AsJson,
    Attributes,
    ComputeTypes,
    Dtypes,
    Html,
    OneOperator,
    Operators,
    Report,
    check_choices,
    check_operators,
    whole_number,
)
from .streams import standard_streams

app = typer.Typer(
    name="ascendref",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # a traceback is for a bug report and is printed as it is
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run_app() -> int:
    """Run the command line on ``sys.argv`` and return its exit status."""
    warnings.showwarning = lambda message, *_: print_error(message)
    with standard_streams():
        try:
            if sys.stdout is None:
                raise ArgumentValueError("stdout", "is closed")
            status = app(prog_name="ascendref", standalone_mode=False) or 0
            sys.stdout.flush()  # what is only in the buffer may not fit either
            return status
        except typer.TyperException as error:
            message = error.format_message()
            if message:  # without one the help has been printed instead
                print_error(f"{message} (see --help)")
            return error.exit_code
        except ArgumentError as error:
            print_error(error)
            return BAD_CALL
        except typer.Abort:
            return BAD_CALL


def _print_version(asked: bool) -> None:
    if asked:
        print(ascendref.__version__)
        raise typer.Exit


@app.callback()
def ascendref_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Operators of Huawei's Ascend NPUs on arrays, with exact BF16 and F16 rounding.

    Exit status: 0 fine, 1 a difference was found, 2 a bad call.
    """


@app.command("run")
def run_command(
    operator: Annotated[
        str,
        typer.Argument(
            metavar="OPERATOR", help="Its function's name or the vendor's; see `ascendref ops`."
        ),
    ],
    inputs: Annotated[
        list[str],
        typer.Option(
            "--input",
            metavar="FILE.npz|NAME=FILE.npy",
            help="Arrays by the names of the operator's tensors. May be repeated.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(help="Where the results go: .npz, or .npy for an operator with one."),
    ],
    attributes: Attributes = None,
    compute_dtype: Annotated[
        str | None,
        typer.Option(
            help="Evaluate in float16, bfloat16, float32 or float64 instead of the data's default."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run one operator on arrays from files.

    BF16 arrays are what NumPy makes of them: two raw bytes an element (V2).

    Example: ascendref run softplus_backward --input in.npz --attr beta=2 --output out.npz
    """
    from .run import run

    with report_bad_calls():
        run(operator, inputs, attributes or [], compute_dtype, output, as_json)


@app.command("demo")
def demo_command(
    seed: Annotated[
        int,
        typer.Option(parser=whole_number(0), metavar="N", help="Seed of weights and shuffling."),
    ] = 0,
    epochs: Annotated[
        int,
        typer.Option(parser=whole_number(1), metavar="N", help="Passes over the training images."),
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """Train a small network on handwritten digits, in F32 and in BF16.

    Its gradients are this package's.

    Exit status 1 if one of the two recognises fewer than 95 % of the held-out digits.

    Example: ascendref demo --epochs 30
    """
    from .demo import demo

    if not demo(seed, epochs, as_json):
        raise typer.Exit(DIFFERENCE)


@app.command("ops")
def ops_command(as_json: AsJson = False) -> None:
    """List the operators: tensors with their types, scalars with their defaults, results.

    Example: ascendref ops --json
    """
    from .ops import ops

    ops(as_json)


@app.command(
    "check",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
def check_command(
    program: Annotated[
        Path, typer.Argument(help="A Python program (.py), or one that uses the C library.")
    ],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="What it is given.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a page with the timelines around."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a program and find races, wrong lifetimes, uninitialized reads and vain waits.

    All its devices collect what they find, whatever the program says, and no hazard is raised.

    Exit status 1 if anything was found, or if the program failed.

    Example: ascendref check train.py --epochs 3
    """
    from .check import check

    with report_bad_calls():
        if not check(program, arguments or [], html, as_json):
            raise typer.Exit(DIFFERENCE)


@app.command("doctor")
def doctor_command(as_json: AsJson = False) -> None:
    """Show versions, processor, threads and kernel cache, and check every operator.

    Each operator runs in F16, BF16 and F32 on a small input whose exact result is known.

    It also runs serially and in parallel, which must give the same bits.

    Exit status 1 if a check fails.

    Example: ascendref doctor
    """
    from .doctor import doctor

    if not doctor(as_json):
        raise typer.Exit(DIFFERENCE)


@app.command("warmup")
def warmup_command(
    names: Operators = None,
    dtypes: Dtypes = None,
    compute: ComputeTypes = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option("--attr", metavar="NAME=VALUE", help="A scalar other than the default."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile kernels before they are needed; later processes load them from the cache.

    Without options: all operators in F16, BF16 and F32 with their default compute type, for arrays
    of any layout and size.

    Example: ascendref warmup softplus_backward --dtype bfloat16 --compute float64
    """
    from .warmup import warmup

    with report_bad_calls():
        chosen = check_operators(names)
        if attributes and len(chosen) != 1:
            raise ArgumentValueError("--attr", "needs the one OPERATOR whose attribute it is")
        warmup(
            chosen,
            check_choices("--dtype", dtypes, FLOAT_TYPES),
            check_choices("--compute", compute, FLOAT_TYPES),
            attributes or [],
            as_json,
        )


@app.command("verify")
def verify_command(
    operator: OneOperator = None,
    dtypes: Dtypes = None,
    compute: ComputeTypes = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            "--attr", metavar="NAME=VALUE", help="A scalar, instead of those that are swept."
        ),
    ] = None,
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive",
            help="All 2^32 pairs of F16 and BF16, all 2^32 data of F32; without it a sample.",
        ),
    ] = False,
    seed: Annotated[
        int, typer.Option(parser=whole_number(0), metavar="N", help="Seed of the sample.")
    ] = 0,
    torch: Annotated[
        bool, typer.Option(help="Measure PyTorch on the same inputs where it is installed.")
    ] = True,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where Ctrl-C stopped the same call.")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where an unfinished run is kept; in the user's cache."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw error against input (.png, .pdf, …).")
    ] = None,
    report: Report = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Measure the accuracy of the operators on this machine against an exact oracle.

    The oracle shares no code with the kernels.

    Exit status 1 if a stated bound is broken, 130 after Ctrl-C.

    Example: ascendref verify softplus_backward --dtype bfloat16 --exhaustive --plot errors.png
    """
    from .verify import Request, verify

    with report_bad_calls():
        request = Request(
            operator,
            check_choices("--dtype", dtypes, FLOAT_TYPES),
            check_choices("--compute", compute, FLOAT_TYPES),
            tuple(attributes or ()),
            exhaustive,
            seed,
            torch,
        )
        status = verify(
            request,
            resume=resume,
            state=state,
            as_json=as_json,
            plot=plot,
            report=report,
            html=html,
        )
    if status:
        raise typer.Exit(status)


@app.command("study")
def study_command(
    operator: OneOperator = None,
    attributes: Attributes = None,
    seed: Annotated[
        int, typer.Option(parser=whole_number(0), metavar="N", help="Seed of the data.")
    ] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw all of it (.png, .pdf, …).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Send the same data through all four compute types: what each rounding costs.

    Every rounding of a formula is also made alone, with all others left out.

    Example: ascendref study softplus_backward --plot study.png
    """
    from .study import study_operators

    with report_bad_calls():
        study_operators(operator, attributes or [], seed, as_json, plot)


@app.command("bench")
def bench_command(
    names: Operators = None,
    dtypes: Annotated[
        list[str] | None,
        typer.Option("--dtype", metavar="TYPE", help="float16, bfloat16, float32. Repeatable."),
    ] = None,
    sizes: Annotated[
        list[int] | None,
        typer.Option(
            "--size",
            parser=whole_number(1),
            metavar="N",
            help="Elements instead of 16 to 16 Mi. Repeatable.",
        ),
    ] = None,
    threads: Annotated[
        list[int] | None,
        typer.Option(
            parser=whole_number(1), metavar="N", help="Threads instead of all. Repeatable."
        ),
    ] = None,
    peer: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="torch, jax or none; torch where it is installed."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes, and less time for each cell.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Seconds for each cell; 0.4.")
    ] = None,
    residual: Annotated[
        bool,
        typer.Option(
            "--residual",
            help="Time a residual block in PyTorch with PReLU's gradient from ascendref instead.",
        ),
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw ratios and bytes per second.")
    ] = None,
    report: Report = None,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Time the operators beside PyTorch or JAX, and beside the memory.

    The sides take turns on the same numbers with the same number of threads, and the least of many
    turns counts. Ratios above 1 mean that ascendref is the faster one.

    Example: ascendref bench softplus_backward --dtype bfloat16 --threads 1 --threads 2
    """
    from ..bench.cases import KINDS
    from ..bench.peers import chosen_peer
    from .bench import Request, bench

    with report_bad_calls():
        if seconds is not None and not 0 < seconds < float("inf"):
            raise ArgumentValueError("--seconds", f"is {seconds}; a positive number is expected")
        if residual:
            if names or dtypes or sizes or threads or plot or report or html:
                raise ArgumentValueError(
                    "--residual", "goes with --quick, --seconds and --json alone"
                )
            if chosen_peer(peer) != "torch":
                raise ArgumentValueError("--residual", "is measured with PyTorch, as a peer too")
            from .bench_residual import bench_residual

            bench_residual(quick=quick, seconds=seconds, as_json=as_json)
            return
        request = Request(
            check_operators(names),
            check_choices("--dtype", dtypes, KINDS),
            tuple(dict.fromkeys(sizes or ())),
            tuple(dict.fromkeys(threads or ())),
            chosen_peer(peer),
            quick,
            seconds,
        )
        bench(request, as_json=as_json, plot=plot, report=report, html=html)


@app.command("cann")
def cann_command(
    prefix: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where; a folder in the user's cache, which `cc` and `c++` use."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write headers and libraries for programs in C and C++, and print where.

    Programs for the vendor's runtime (CANN) compile and link with them as they are.

    The library is compiled by CC, or cc, with CFLAGS and LDFLAGS.

    Example: ascendref cann --prefix ~/ascend && . ~/ascend/set_env.sh
    """
    from .cann import write_root

    with report_bad_calls():
        write_root(prefix, as_json)


#: every argument is the compiler's, except the option for the help of the command itself
_PASS_ON = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": ["--help"],
}


@app.command("cc", context_settings=_PASS_ON)
def cc_command(context: typer.Context) -> None:
    """Call the C compiler (CC, or cc) with the flags for programs of the device.

    All arguments are the compiler's.

    Example: ascendref cc main.c -o main && ./main
    """
    from .cann import compile_program

    with report_bad_calls():
        compile_program("CC", context.args)


@app.command("c++", context_settings=_PASS_ON)
def cpp_command(context: typer.Context) -> None:
    """Call the C++ compiler (CXX, or c++) with the flags for programs of the device.

    All arguments are the compiler's.

    Example: ascendref c++ main.cpp -o main && ./main
    """
    from .cann import compile_program

    with report_bad_calls():
        compile_program("CXX", context.args)


@app.command("npu", context_settings={"allow_interspersed_args": False})
def npu_command(
    script: Annotated[Path, typer.Argument(help="A Python program that imports torch_npu.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[ARGS]...", help="Its arguments.")
    ] = None,
    product: Annotated[
        str | None, typer.Option(help="A product or a chip, Atlas A2 unless told otherwise.")
    ] = None,
    fallback: Annotated[
        bool,
        typer.Option(help="Run operators that are not emulated on the CPU, or refuse them."),
    ] = True,
    report: Annotated[
        bool, typer.Option("--report", help="Print on stderr at exit which operators ran where.")
    ] = False,
    report_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report to a file instead, as JSON."),
    ] = None,
) -> None:
    """Run a program for torch_npu on the emulated device.

    Needs torch and torch-npu (extra npu) and a C compiler. Options come before the program.

    Example: ascendref npu --report train.py --epochs 3
    """
    from .npu import run_program

    with report_bad_calls():
        run_program(script, arguments or [], product, fallback, report, report_file)
