"""Commands that compile: programs in C and C++, and kernels."""

from pathlib import Path
from typing import Annotated, Final

import typer
from typer import Argument, Option

from ...core.errors import OptionError
from .. import options
from ..console import print_json
from ..programs import starting

#: the heading under which they are listed
PANEL: Final = "Compile"

app = typer.Typer()

#: every argument is the compiler's, except the option for the help of the command itself
_PASS_ON = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": ["--help"],
}


AllowAbsent = Annotated[
    bool,
    Option(
        "--allow-absent",
        help="Let programs compile and link that call known functions which are not available;"
        " such a call returns 561003.",
    ),
]


@app.command("cc", context_settings=_PASS_ON, rich_help_panel=PANEL)
def cc_command(context: typer.Context, allow_absent: AllowAbsent = False) -> None:
    """Compile C for the emulated device.

    Calls the C compiler (CC, or cc) with all other arguments and the necessary flags.

    Example: ascendref cc main.c -o main && ./main
    """
    _compile("CC", context.args, allow_absent)


@app.command("c++", context_settings=_PASS_ON, rich_help_panel=PANEL)
def cpp_command(context: typer.Context, allow_absent: AllowAbsent = False) -> None:
    """Compile C++ for the emulated device.

    Calls the C++ compiler (CXX, or c++) with all other arguments and the necessary flags.

    Example: ascendref c++ main.cpp -o main && ./main
    """
    _compile("CXX", context.args, allow_absent)


def _compile(variable: str, arguments: list[str], allow_absent: bool) -> None:
    """Become the user's compiler."""
    from ...cann.root import run_compiler

    with starting(variable):
        run_compiler(variable, arguments, allow_absent=allow_absent)


@app.command("cann", rich_help_panel=PANEL)
def cann_command(
    folder: Annotated[
        Path | None, Argument(metavar="[FOLDER]", help="The same as --prefix FOLDER.")
    ] = None,
    prefix: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Folder. Default: one in the user's cache, which `cc` and `c++` use.",
        ),
    ] = None,
    allow_absent: AllowAbsent = False,
    python: Annotated[
        bool, Option("--python", help="Print the folder for PYTHONPATH, with the module acl.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Install headers and libraries for C and C++, and the module acl for Python.

    Programs for the vendor's runtime (CANN) compile and link with them unchanged. The folder is
    printed.

    The library is compiled by CC, or cc, with CFLAGS and LDFLAGS.

    Example: ascendref cann --prefix ~/ascend && . ~/ascend/set_env.sh
    """
    from ...cann.root import LIBRARIES, PYTHON, install

    if folder is not None and prefix is not None:
        raise OptionError("FOLDER", f"is {folder}, but --prefix says {prefix}; give one of them")
    root = install(folder or prefix, allow_absent=allow_absent)
    if not as_json:
        print(root / PYTHON if python else root)
        return
    places = {"root": root, "include": root / "include", "lib": root / "lib64"}
    places["python"] = root / PYTHON
    places["set_env"] = root / "set_env.sh"
    print_json({name: str(path) for name, path in places.items()} | {"libraries": [*LIBRARIES]})


@app.command("warmup", rich_help_panel=PANEL)
def warmup_command(
    names: options.Operators = None,
    dtypes: options.Dtypes = None,
    compute: options.ComputeTypes = None,
    attributes: options.Attributes = None,
    as_json: options.AsJson = False,
) -> None:
    """Compile kernels into the cache ahead of time.

    Without options: all operators in F16, BF16 and F32 with their default compute type, for arrays
    of any layout and size.

    Example: ascendref warmup softplus_backward --dtype bfloat16 --compute float64
    """
    from ..warmup import warmup

    chosen = options.check_operators(names)
    if attributes and len(chosen) != 1:
        raise OptionError("--attr", "needs exactly one OPERATOR")
    kinds = options.check_choices("--dtype", dtypes, options.FLOAT_TYPES)
    computed = options.check_choices("--compute", compute, options.COMPUTE_TYPES)
    warmup(chosen, kinds, computed, attributes or [], as_json)
