"""The page of operators that PyTorch computes."""

from __future__ import annotations

import re

from ascendref.borrowed.table import borrowed

from .groups import PAGE, page_text


def test_the_page_counts_what_is_in_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == page_text(page), "python -m tests.borrowed.groups --write"


def test_the_page_names_the_functions_whose_shapes_the_data_decide() -> None:
    line = re.search(r"decide\*\* \((.*?)\)", PAGE.read_text(encoding="utf-8"))
    assert line is not None
    patterns = [re.escape(name).replace("…", r"\w*") for name in re.findall("`(.*?)`", line[1])]
    for api, operator in borrowed().items():
        named = any(re.fullmatch(pattern, api) for pattern in patterns)
        assert named == bool(operator.found), api
