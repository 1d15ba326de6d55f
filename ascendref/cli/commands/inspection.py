"""Commands that list, check and measure the operators."""

from pathlib import Path
from typing import Annotated, Final

import typer
from typer import Argument, Option

from ...verify import SAMPLED
from .. import options

#: the heading under which they are listed
PANEL: Final = "Inspect"

app = typer.Typer()


@app.command("ops", rich_help_panel=PANEL)
def ops_command(
    names: options.Operators = None,
    as_json: options.AsJson = False,
    everything: Annotated[
        bool, Option("--all", help="Borrowed ones, which PyTorch computes, and absent ones too.")
    ] = False,
) -> None:
    """List the operators and their types, or those that are named.

    Names are those of operators and of all known functions of the vendor's.

    Of each: tensors, scalars with their defaults, results, and the products that have it. Of those
    that PyTorch computes: parameters, and the expression; of known ones that are absent: the name.

    Example: ascendref ops softplus
    """
    from ..ops import ops

    ops(names or [], as_json, everything)


@app.command("doctor", rich_help_panel=PANEL)
def doctor_command(
    as_json: options.AsJson = False,
    everything: Annotated[
        bool, Option("--all", help="Check every operator, which takes a minute.")
    ] = False,
) -> int:
    """Check the installation and operators.

    Shows versions, processor, threads, kernel cache, compilers and optional libraries.

    Some operators run in F16, BF16 and F32 on a few numbers, and must give their exact results,
    rounded once; and serially and in parallel, which must give the same bits.

    Exit status 1 if a check fails.

    Example: ascendref doctor
    """
    from ..doctor import doctor

    return doctor(as_json, everything)


@app.command("verify", rich_help_panel=PANEL)
def verify_command(
    operator: options.OneOperator = None,
    dtypes: options.Dtypes = None,
    compute: options.ComputeTypes = None,
    attributes: options.Attributes = None,
    exhaustive: Annotated[
        bool,
        Option(
            "--exhaustive",
            help="All 2^32 pairs of F16 and BF16, all 2^32 inputs of F32, instead of a sample.",
        ),
    ] = False,
    seed: options.Seed = 0,
    sample: Annotated[
        int,
        Option(
            parser=options.integer(SAMPLED),
            metavar="N",
            help=f"Pairs of a datum and a gradient in a sample, at least {SAMPLED:,}.",
        ),
    ] = SAMPLED,
    torch: Annotated[
        bool, Option(help="Measure PyTorch on the same inputs, if it is installed.")
    ] = True,
    resume: Annotated[bool, Option("--resume", help="Continue a run that Ctrl-C stopped.")] = False,
    state: Annotated[
        Path | None,
        Option(metavar="FILE", help="File of an unfinished run. Default: one in the user's cache."),
    ] = None,
    plot: options.Plot = None,
    report: options.Report = None,
    everything: Annotated[
        bool, Option("--all", help="Print a row for every setting, not the summary alone.")
    ] = False,
    inputs: Annotated[
        Path | None,
        Option(
            metavar="FILE.npz",
            help="Measure nothing; write inputs, and next to them a script for torch_npu whose"
            " results `ascendref judge` takes.",
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Measure the accuracy of the operators.

    Results are compared with exact values of the formula, computed by other code.

    Exit status 1 if a stated bound is broken, 130 after Ctrl-C.

    Example: ascendref verify softplus_backward --dtype bfloat16 --exhaustive --plot errors.png
    """
    from ..verify import Request, verify, write_inputs

    kinds = options.check_choices("--dtype", dtypes, options.FLOAT_TYPES)
    computed = options.check_choices("--compute", compute, options.COMPUTE_TYPES)
    sweeps = operator, kinds, computed, tuple(attributes or ()), exhaustive, seed, sample, torch
    request = Request(*sweeps, resume, state, as_json, plot, report, everything)
    if inputs is None:
        return verify(request)
    write_inputs(request, inputs)
    return 0


@app.command("judge", rich_help_panel=PANEL)
def judge_command(
    words: Annotated[
        list[str],
        Argument(
            metavar="[OPERATOR] FILE...",
            help="Files or folders with the arguments and results, each FILE or NAME=FILE:"
            " .npz, .npy, .pt, .safetensors, raw bytes (.bin), or a dump of msprobe.",
        ),
    ],
    attributes: options.Attributes = None,
    renamed: Annotated[
        list[str] | None,
        Option("--map", metavar="THEIRS=OURS", help="Name of an array in the files. Repeatable."),
    ] = None,
    types: Annotated[
        list[str] | None,
        Option("--type", metavar="NAME=TYPE", help="Type of an array's raw elements. Repeatable."),
    ] = None,
    shapes: Annotated[
        list[str] | None,
        Option("--shape", metavar="NAME=2x3", help="Shape of an array of raw bytes. Repeatable."),
    ] = None,
    references: Annotated[
        list[str] | None,
        Option(
            "--reference",
            metavar="FILE",
            help="Results of somebody else for the same arguments, judged beside. Repeatable.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        Option("--html", metavar="FILE", help="Write a page with errors plotted against inputs."),
    ] = None,
    everything: Annotated[
        bool, Option("--all", help="Details of every result, not of wrong ones alone.")
    ] = False,
    as_json: options.AsJson = False,
) -> int:
    """Say whether anyone's results of an operator are right.

    Results are compared with exact values of the formula, with the bounds of arithmetics, and with
    the vendor's and PyTorch's rules. `judge cast` judges array and out as a cast.

    Exit status 1 if a result fits no arithmetic, 2 if something cannot be read.

    Example: ascendref judge softplus_backward results.npz --attr beta=2 --map y=grad_input
    """
    from ..judge import Request, judge

    names = tuple(attributes or ()), tuple(renamed or ())
    elements = tuple(types or ()), tuple(shapes or ())
    others = tuple(references or ())
    return judge(Request(tuple(words), *names, *elements, others, html, as_json, everything))


@app.command("study", rich_help_panel=PANEL)
def study_command(
    operator: options.OneOperator = None,
    attributes: options.Attributes = None,
    seed: options.Seed = 0,
    plot: options.Plot = None,
    as_json: options.AsJson = False,
) -> int:
    """Show the error of each compute type.

    The same data are computed in all four; mean and largest errors are in ulp of each.

    Example: ascendref study softplus_backward --plot study.png
    """
    from ..study import study_operators

    return study_operators(operator, attributes or [], seed, as_json, plot)


@app.command("bench", rich_help_panel=PANEL)
def bench_command(
    names: options.Operators = None,
    dtypes: Annotated[
        list[str] | None,
        Option("--dtype", metavar="TYPE", help="float16, bfloat16, float32. Repeatable."),
    ] = None,
    sizes: Annotated[
        list[int] | None,
        Option(
            "--size",
            parser=options.integer(1),
            metavar="N",
            help="Number of elements; default 16 to 16 Mi. Repeatable.",
        ),
    ] = None,
    threads: Annotated[
        list[int] | None,
        Option(
            parser=options.integer(1),
            metavar="N",
            help="Number of threads; default all. Repeatable.",
        ),
    ] = None,
    peer: Annotated[
        str | None,
        Option(metavar="NAME", help="torch, jax or none. Default: torch, if it is installed."),
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Fewer sizes, and less time per measurement.")
    ] = False,
    seconds: Annotated[
        float | None,
        Option(parser=options.positive, metavar="S", help="Seconds per measurement; default 0.4."),
    ] = None,
    plot: options.Plot = None,
    report: options.Report = None,
    as_json: options.AsJson = False,
) -> int:
    """Compare the speed with PyTorch or JAX.

    Both take turns on the same data with the same number of threads; the fastest of many turns
    counts. Ratios above 1 mean that ascendref is faster.

    Example: ascendref bench softplus_backward --dtype bfloat16 --threads 1 --threads 2
    """
    from ...bench.cases import KINDS
    from ...bench.peers import chosen_peer
    from ..bench import Request, bench

    kinds = options.check_choices("--dtype", dtypes, KINDS)
    counts = tuple(dict.fromkeys(sizes or ())), tuple(dict.fromkeys(threads or ()))
    cells = options.check_operators(names), kinds, *counts, chosen_peer(peer)
    return bench(Request(*cells, quick, seconds, as_json, plot, report))
