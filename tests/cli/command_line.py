"""Calling the command line in this process."""

from typer.testing import CliRunner, Result

from ascendref.cli.app import app


def call(*arguments: object) -> Result:
    """Call the command line."""
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def assert_bad_call(done: Result, words: str) -> None:
    """Assert that a call ended with one line about it, and status 2."""
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
