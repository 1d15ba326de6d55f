"""What the gallery needs of the examples."""

from pathlib import Path

import pytest

from ..support.processes import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_picture(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if "sphinx_gallery_thumbnail_path" in source:  # it is not run when the site is built
        return
    assert " [PICTURE]\n" in source
    assert "# Picture: " in source  # the caption
    assert "\n# %%\n" in source  # in one block alone, the output would be shown before the code
