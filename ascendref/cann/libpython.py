"""The shared library of the running Python, which C and C++ programs load."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ..core.errors import OptionError


def find_libpython() -> Path:
    """Return the path of libpython, or raise an error that says how to install it.

    Examples
    --------
    >>> from pathlib import Path
    >>> isinstance(find_libpython(), Path)
    True
    """
    for path in _candidates():
        if path.is_file():
            return path.resolve()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    raise OptionError(
        "Python",
        f"{sys.executable} has no shared library libpython{version}, which programs need to run it;"
        f" install it (Debian and Ubuntu: apt install libpython{version}; pyenv: build Python with"
        " PYTHON_CONFIGURE_OPTS=--enable-shared), or set ASCENDREF_LIBPYTHON to its path",
    )


def _candidates() -> Iterator[Path]:
    import os

    given = os.environ.get("ASCENDREF_LIBPYTHON")
    if given:
        yield Path(given)
        return
    variables = sysconfig.get_config_vars()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [variables.get(name) for name in ("INSTSONAME", "LDLIBRARY")]
    names += [f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folders = [variables.get("LIBDIR"), sys.base_prefix + "/lib"]
    multiarch = variables.get("MULTIARCH")
    folders += [f"{folder}/{multiarch}" for folder in (variables.get("LIBDIR"), "/usr/lib")]
    for folder in folders:
        for name in names:
            if folder and name and ".so" in str(name):
                yield Path(str(folder), str(name))
