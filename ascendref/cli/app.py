"""The command line: its groups of commands, and how errors end it."""

import sys
import warnings
from typing import Annotated

import typer
from typer import Option
from typer.main import get_command

import ascendref

from ..core.errors import ArgumentError, OptionError
from .commands import compiling, compute, inspection, programs
from .console import BAD_CALL, BROKEN_PIPE, INTERRUPTED, print_error
from .streams import ReaderGoneError, standard_streams

app = typer.Typer(
    name="ascendref",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",  # paragraphs are wrapped to the width
    pretty_exceptions_enable=False,  # a traceback is for a bug report and is printed as it is
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (compute, programs, compiling, inspection):
    app.add_typer(group.app)


def run_app() -> int:
    warnings.showwarning = lambda message, *_: print_error(message)
    with standard_streams():
        try:
            if sys.stdout is None:
                raise OptionError("stdout", "closed")
            status = _run_command()
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
        except MemoryError as error:
            print_error(f"not enough memory: {error}")
            return BAD_CALL
        except ReaderGoneError:
            return BROKEN_PIPE
        except KeyboardInterrupt:
            print_error("interrupted")
            return INTERRUPTED


def _run_command() -> int:
    """Run a command; unlike Typer's own main function, pass on its status and all errors."""
    try:
        with get_command(app).make_context("ascendref", sys.argv[1:]) as context:
            return context.command.invoke(context) or 0
    except typer.Exit as end:
        return end.exit_code


def _print_version(asked: bool) -> None:
    if asked:
        print(ascendref.__version__)
        raise typer.Exit


@app.callback()
def ascendref_command(
    version: Annotated[
        bool, Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Operators of Huawei's Ascend NPUs on arrays, with exact BF16 and F16 rounding.

    Exit status: 0 success, 1 a check failed, 2 wrong usage, 130 after Ctrl-C, 141 if the reader of
    the output has gone.
    """
