"""How the gallery runs the examples: with a file for the picture, which it then shows.

An example that draws says ``[PICTURE]`` in its docstring and takes that file as its last argument.
The comment before the code that draws begins with "Picture:" and is the caption.
"""

import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx_gallery.sorting import FileNameSortKey

PICTURE = Path(__file__).parents[1] / "_generated" / "picture.png"


class RaceFirst(FileNameSortKey):
    """The order of the gallery: the race, then the other examples by number."""

    def __call__(self, filename: str) -> str:
        return f"{'race' not in filename:d}{filename}"


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
    target = Path(next(block_vars["image_path_iterator"]))
    shutil.move(PICTURE, target)
    found = re.search(r"^ *# Picture: (.*\n(?: *# .*\n)*)", block[1], re.MULTILINE)
    if found is None:
        raise ValueError(f"{block_vars['src_file']} draws without a comment 'Picture: …'")
    caption = " ".join(found[1].replace("#", "").split())
    path = target.relative_to(gallery_conf["src_dir"]).as_posix()
    caption = caption[0].upper() + caption[1:]
    lines = (f".. figure:: /{path}", f"   :alt: {caption}", "   :class: sphx-glr-single-img")
    return "\n".join(("", *lines, "", f"   {caption}", ""))


def edit_pages(app: Sphinx, name: str, content: list[str]) -> None:
    """Show examples' summaries below their titles; keep the last state of a progress bar."""
    if name.startswith("gallery/"):
        state = r" *\[#* *\] \|[^\n]*\n"
        text = re.sub(f"(?:{state}(?: *\n)*)+(?={state})", "", content[0])
        content[0] = re.sub(
            r' tooltip="([^"]*?)[.:]*">(.*?)<div class="sphx-glr-thumbnail-title">(.*?)</div>',
            r'>\2<div class="sphx-glr-thumbnail-title">\3</div><div class="summary">\1.</div>',
            text,
            flags=re.DOTALL,
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Change pages; the other functions are named in the configuration."""
    app.connect("source-read", edit_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
