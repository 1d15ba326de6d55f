"""How the gallery runs the examples: with a file for the picture, which it then shows.

An example that draws says ``[PICTURE]`` in its docstring and takes that file as its last argument.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

PICTURE = Path(__file__).parents[1] / "_generated" / "picture.png"


def arguments(gallery_conf: dict[str, Any], script_vars: dict[str, Any]) -> list[str]:
    """Return the arguments of an example."""
    PICTURE.parent.mkdir(exist_ok=True)
    source = Path(script_vars["src_file"]).read_text(encoding="utf-8")
    return [str(PICTURE)] if " [PICTURE]\n" in source else []


def picture_scraper(
    block: tuple[str, str, int], block_vars: dict[str, Any], gallery_conf: dict[str, Any]
) -> str:
    """Return the picture that a block has drawn, in reStructuredText."""
    if not PICTURE.exists():
        return ""
    target = next(block_vars["image_path_iterator"])
    shutil.move(PICTURE, target)
    return figure_rst([target], gallery_conf["src_dir"])


def last_state(app: Sphinx, name: str, content: list[str]) -> None:
    """Keep the last state of a progress bar, which printed all over each other."""
    if name.startswith("gallery/"):
        state = r" *\[#* *\] \|[^\n]*\n"
        content[0] = re.sub(f"(?:{state}(?: *\n)*)+(?={state})", "", content[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages; the other functions are named in the configuration."""
    app.connect("source-read", last_state)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
