"""The list of known functions: ascendref's own, borrowed and absent ones are all of it."""

import re
from itertools import groupby

import pytest

from ascendref import aclnn
from ascendref.borrowed.known import absent, known
from ascendref.borrowed.table import borrowed
from ascendref.declaration.operator import APIS


def test_own_borrowed_and_absent_functions_are_all_known_ones() -> None:
    parts = [set(APIS), set(borrowed()), set(absent())]
    assert set.union(*parts) == set(known())
    assert sum(map(len, parts)) == len(known())
    assert {row.presence for row in map(known().__getitem__, borrowed())} == {"borrowed"}
    assert {row.presence for row in map(known().__getitem__, APIS)} == {"own"}


def test_own_functions_have_the_headers_of_the_list() -> None:
    for operator in APIS.values():
        assert operator.header in known()[operator.api].headers


def test_the_list_is_in_groups_each_in_alphabetical_order() -> None:
    groups = [(name, list(rows)) for name, rows in groupby(known().values(), lambda x: x.group)]
    assert len({name for name, _ in groups}) == len(groups)
    for _, rows in groups:
        names = [row.api for row in rows]
        assert names == sorted(names)
    for row in known().values():
        assert re.fullmatch(r"aclnn[A-Z]\w+", row.api)
        assert row.headers
        assert all(re.fullmatch(r"aclnn_\w+\.h", name) for name in row.headers)


@pytest.mark.full
@pytest.mark.parametrize("ending", ["", "GetWorkspaceSize"])
def test_an_absent_function_says_that_it_is_known(ending: str) -> None:
    for api in absent():
        assert not hasattr(aclnn, f"{api}{ending}")
    api = next(iter(absent()))
    with pytest.raises(AttributeError, match=f"'{api}{ending}': {api} is known, but absent; "):
        getattr(aclnn, f"{api}{ending}")


def test_a_name_that_is_not_known_gets_the_nearest_ones() -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(aclnn, "aclnnHardsigmodGetWorkspaceSize")  # noqa: B009
    assert "known" not in str(caught.value)
    assert "did you mean aclnnHardsigmoid or " in str(caught.value)
    with pytest.raises(AttributeError, match="'other'; `ascendref ops --all` lists all"):
        getattr(aclnn, "other")  # noqa: B009
