"""The package's extras, and the commands that install them."""

import re
from importlib.metadata import PackageNotFoundError, requires, version


def install_command(extra: str) -> str:
    """Return the command that installs the libraries of an extra.

    It names the libraries themselves, so it works in a clone and with an installed package.

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


def installed_libraries(extra: str) -> dict[str, str | None]:
    """Return the versions of the libraries of an extra; None for those that are missing.

    Examples
    --------
    >>> sorted(installed_libraries("cli"))
    ['pyelftools', 'rich', 'scikit-learn', 'typer']
    """
    names = [re.match(r"[\w.-]+", text) for text in re.findall('"([^"]+)"', install_command(extra))]
    return {found[0]: _version(found[0]) for found in names if found is not None}


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
