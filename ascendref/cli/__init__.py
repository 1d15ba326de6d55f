"""The command line. Importing this package costs nothing; what it needs loads when it is used."""

import sys

from ..core.extras import install_command

_NEEDED = ("elftools", "typer", "rich", "sklearn")


def main() -> int:
    """Run the command line on ``sys.argv`` and return its exit status.

    Returns
    -------
    int
        0 on success, 1 if a check failed, 2 for wrong usage, 130 after Ctrl-C, 141 if the reader of
        standard output has gone.
    """
    try:
        from .app import run_app

        return run_app()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        print(
            f"ascendref: the command line needs {error.name}: {install_command('cli')}",
            file=sys.stderr,
        )
        return 2
