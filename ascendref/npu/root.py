"""The root that torch_npu finds: the C library with what torch_npu adds, and the vendor's names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..cann.root import cached_root, compile_library, link, publish, write_headers
from ..core.errors import ArgumentValueError

#: the library, and the names beside it under which torch_npu loads it; each is a file of its own,
#: for the dynamic linker recognizes a loaded library by the name inside of the file
LIBRARY: Final = "libascendcl.so"
NAMES: Final = (
    "libhccl.so",
    "libacl_op_compiler.so",
    "libge_runner.so",
    "libgraph.so",
    "libacl_tdt_channel.so",
    "libopapi.so",
)
#: folders that torch_npu wants to see
_FOLDERS: Final = ("runtime", "compiler", "opp")
_NATIVE: Final = Path(__file__).with_name("native")


def install() -> Path:
    """Return the root in the user's cache, which is written where it is missing.

    Raises
    ------
    ArgumentValueError
        Where there is no compiler, or no folder to write.
    """
    sources = {path.name: path.read_text() for path in sorted(_NATIVE.glob("*.c"))}
    root = cached_root("npu", {**sources, "names": ",".join(NAMES)})
    if not (root / "opp").is_dir():
        try:
            publish(root, lambda made: _write(made, sources))
        except OSError as error:
            raise ArgumentValueError(
                "XDG_CACHE_HOME", f"has {root}, which cannot be written: {error}"
            ) from None
    return root


def _write(made: Path, sources: dict[str, str]) -> None:
    write_headers(made)
    folder = made / "lib64"
    folder.mkdir()
    library = folder / LIBRARY
    # exceptions: some functions of the library throw
    flags = ["-fexceptions", f"-Wl,-soname,{LIBRARY}"]
    compile_library(made / "include", library, sources, flags)
    empty = made / "empty.c"
    empty.write_text("")
    for name in NAMES:
        words = [str(empty), "-Wl,--no-as-needed", str(library), "-Wl,-rpath,$ORIGIN"]
        link([*words, f"-Wl,-soname,{name}"], folder / name)
    empty.unlink()
    for name in _FOLDERS:
        (made / name).mkdir()
