"""Draw the picture of the README: the race of an example, and the same program with its fix.

``python -m tests.site.race_picture`` writes docs/race.svg.
"""

import json
import tempfile
from pathlib import Path

from ascendref.cli import timeline

from ..support.processes import ROOT, run

EXAMPLE = ROOT / "examples" / "10_race_found_and_fixed.py"
PICTURE = ROOT / "docs" / "race.svg"
TITLES = ("Without a wait: a race", "With an event: ordered")


def picture() -> str:
    """Return the picture."""
    with tempfile.TemporaryDirectory() as folder:
        run(EXAMPLE, ASCENDREF_HAZARDS=folder)
        (written,) = Path(folder).glob("*.json")
        devices = json.loads(written.read_text(encoding="utf-8"))
    drawings = [timeline.draw(d["tasks"], next(iter(d["hazards"]), None)) for d in devices]
    return timeline.svg(list(zip(TITLES, drawings, strict=True))) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
