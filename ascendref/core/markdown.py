"""Tables in Markdown."""

from collections.abc import Iterable, Iterator, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table.

    Examples
    --------
    >>> from ascendref.core.markdown import table
    >>> print("\\n".join(table(("operator", "stated"), [("softplus", "1 ulp + |z|")])))
    | operator | stated |
    |---|---|
    | softplus | 1 ulp + \\|z\\| |
    """
    yield f"| {' | '.join(headings)} |"
    yield "|---" * len(headings) + "|"
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]  # what a cell holds must not end it
        yield f"| {' | '.join(cells)} |"
