"""The groups of operators that PyTorch computes, as docs/borrowed.md lists them.

``python -m tests.borrowed.groups`` prints the table; ``--write`` puts it into the page.
"""

from __future__ import annotations

import re
import sys
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from ascendref.borrowed.table import borrowed
from ascendref.cli.markdown import table

PAGE = Path(__file__).parents[2] / "docs" / "borrowed.md"
_TABLE = re.compile(r"(<!-- groups -->\n).*?(<!-- end -->)", re.DOTALL)
#: groups -> what is in them
GROUPS = {
    "elementwise": "arithmetic, elementary functions, comparisons, bits, rounding, types",
    "reduction": "sums, means, extrema, norms, running sums, orders, searches, distances",
    "indexing": "gathering, scattering, selection, parts, padding, repetition, permutation,"
    " triangles, ranges",
    "matrix": "products of matrices and vectors, factors, determinants, solutions",
    "list": "functions of lists of tensors (`aclnnForeach…`)",
    "network": "softmax, losses, gated units, convolution, pooling, norms, fake quantisation",
    "random": "numbers of several distributions, masks",
}


def text() -> str:
    """Return the table of the page."""
    rows = [
        (group, str(len(list(members))), GROUPS[group])
        for group, members in groupby(borrowed().values(), attrgetter("group"))
    ]
    rows.append(("all", str(len(borrowed())), ""))
    return "\n".join(["", *table(("group", "functions", "what is there"), rows), "", ""])


def page_text(page: str) -> str:
    """Return the page with the table in its place."""
    return _TABLE.sub(lambda match: match[1] + text() + match[2], page)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(text())
