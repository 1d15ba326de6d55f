"""The package's extras, and the commands that install them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, requires


def install_command(extra: str) -> str:
    """Return the command that installs the libraries of an extra.

    It names the libraries themselves, so it works in a clone and with an installed package.

    Parameters
    ----------
    extra : str
        Name of the extra.

    Examples
    --------
    >>> install_command("jax")
    'pip install "jax>=0.5"'
    """
    try:
        listed = requires("ascendref") or []
    except PackageNotFoundError:  # imported from a folder that is not installed
        return f'pip install -e ".[{extra}]"'
    libraries = [line.partition(";")[0] for line in listed if line.endswith(f"extra == '{extra}'")]
    return " ".join(["pip install", *[f'"{name}"' for name in libraries]])
