"""The shared library of the running Python, which C and C++ programs load."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ..core.errors import OptionError


def find_libpython() -> Path:
    """Return the path of libpython, or raise an error that says how to install it."""
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
    chosen = os.environ.get("ASCENDREF_LIBPYTHON")
    if chosen:
        yield Path(chosen)
        return
    variables = sysconfig.get_config_vars()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    names = [variables.get(name) for name in ("INSTSONAME", "LDLIBRARY")]
    names += [f"libpython{version}.so.1.0", f"libpython{version}.so"]
    folder, multiarch = variables.get("LIBDIR"), variables.get("MULTIARCH")
    folders = [folder, f"{sys.base_prefix}/lib", f"{folder}/{multiarch}", f"/usr/lib/{multiarch}"]
    for place, name in product(folders, names):
        if place and name and ".so" in str(name):
            yield Path(str(place), str(name))
