"""The root folder for torch_npu: the C library with torch_npu's additions, under vendor names."""

from pathlib import Path
from typing import Final

from ..cann.root import cached_root, compile_library, link, publish, write_headers
from ..cann.runtime.settings import cann_version
from ..core.errors import ArgumentValueError

#: the library, and the other names under which torch_npu loads it; each is a separate file because
#: the dynamic linker recognizes a loaded library by the name inside the file
LIBRARY: Final = "libascendcl.so"
NAMES: Final = tuple(
    f"lib{name}.so"
    for name in "hccl hcomm acl_op_compiler ge_runner graph acl_tdt_channel opapi".split()
)
#: functions that PyTorch computes and torch_npu calls without its dispatcher
_BORROWED: Final = ("aclnnConstantPadNd",)
#: folders that torch_npu expects
_FOLDERS: Final = ("runtime", "compiler", "opp")
_NATIVE: Final = Path(__file__).with_name("native")


def install() -> Path:
    """Return the root folder in the user's cache, writing it if it does not exist."""
    sources = {path.name: path.read_text() for path in sorted(_NATIVE.glob("*.c"))}
    version = cann_version()
    root = cached_root("npu", {**sources, "names": ",".join(NAMES + _BORROWED), "cann": version})
    if not (root / "opp").is_dir():
        try:
            publish(root, lambda made: _write(made, sources, version))
        except OSError as error:
            raise ArgumentValueError(
                "XDG_CACHE_HOME", f"has {root}, which cannot be written: {error}"
            ) from None
    return root


def _write(made: Path, sources: dict[str, str], version: str) -> None:
    write_headers(made)
    folder = made / "lib64"
    folder.mkdir()
    library = folder / LIBRARY
    # needed because some functions of the library throw
    flags = ["-fexceptions", f"-Wl,-soname,{LIBRARY}", "-DWITHOUT_BORROWED"]
    flags += ["-DFOR_TORCH_NPU", *(f"-DWITH_{api}" for api in _BORROWED)]
    compile_library(made / "include", library, sources, flags)
    empty = made / "empty.c"
    empty.write_text("")
    for name in NAMES:
        words = [str(empty), "-Wl,--no-as-needed", str(library), "-Wl,-rpath,$ORIGIN"]
        link([*words, f"-Wl,-soname,{name}"], folder / name)
    empty.unlink()
    for name in _FOLDERS:
        (made / name).mkdir()
    (made / "compiler" / "ascend_compiler_install.info").write_text(f"version={version}\n")
