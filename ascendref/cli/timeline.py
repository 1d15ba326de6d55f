"""Timelines of hazards as SVG: tasks in the order that a program establishes, not in that of time.

A row is a stream, or the host. A task stands to the right of everything that it comes after. The
two operations of a hazard which nothing orders stand one above the other.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..device.checker.hazards import Site

#: stream, None for the host, and position of an operation on it
Key = tuple[int | None, int]

#: hazards whose two operations are in no order
_UNORDERED: Final = ("race", "wait", "lifetime")
#: columns that are shown on each side of those of a hazard
_AROUND: Final = 2
#: pixels: a character, a line of text, margins inside of a box, gaps between boxes, names of rows
_CHARACTER, _LINE, _MARGIN, _GAP, _NAMES = 6.6, 15, 9, 26, 78

STYLE: Final = """
svg.timeline { background: #fff; font: 11px system-ui, sans-serif; fill: #222 }
.timeline .title { font-size: 13px; font-weight: 600 }
.timeline rect { fill: #e3ebf4; stroke: #8aa0b6 }
.timeline rect.marked { fill: #fbd5d5; stroke: #b00; stroke-width: 1.5 }
.timeline .row { stroke: #c5ced8 }
.timeline .order { fill: none; stroke: #456; stroke-width: 1.3 }
.timeline .tip { fill: #456 }
.timeline .missing { fill: none; stroke: #b00; stroke-width: 2; stroke-dasharray: 6 4 }
"""


class Box(NamedTuple):
    key: Key
    lines: tuple[str, ...]
    #: whether it is one of the two operations of the hazard
    marked: bool = False
    #: the record that a wait waits for
    after: Key | None = None


class Drawing(NamedTuple):
    """A timeline without the frame of a file."""

    parts: tuple[str, ...]
    width: int
    height: int


def svg(panels: Sequence[tuple[str, Drawing]]) -> str:
    """Return drawings, each below its title, as one picture with a legend."""
    width = max((drawing.width for _, drawing in panels), default=0)
    top, parts = 0, []
    for title, drawing in panels:
        if title:
            parts.append(f'<text class="title" x="6" y="{top + 18}">{escape(title)}</text>')
            top += 26
        parts.append(f'<g transform="translate(0 {top})">{"".join(drawing.parts)}</g>')
        top += drawing.height
    drawn = "".join(part for _, drawing in panels for part in drawing.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline" role="img" width="{width}"'
        f' height="{top + 30}" viewBox="0 0 {width} {top + 30}"><style>{STYLE}</style>'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>'
        f'{"".join(parts)}<g transform="translate(6 {top})">{_legend(drawn)}</g></svg>'
    )


def _legend(drawn: str) -> str:
    entries = (
        (
            'rect class="marked"',
            '<rect class="marked" y="7" width="16" height="14" rx="3"/>',
            "the hazard",
        ),
        ('class="missing"', '<path class="missing" d="M0 14 H24"/>', "nothing orders these two"),
        (
            'class="order"',
            '<path class="order" d="M0 14 H24" marker-end="url(#tip)"/>',
            "waits for this record of an event",
        ),
    )
    parts, left = [], 0
    for mark, sample, meaning in entries:
        if mark in drawn:
            text = f'<text x="32" y="18">{meaning}</text>'
            parts.append(f'<g transform="translate({left} 0)">{sample}{text}</g>')
            left += round(len(meaning) * _CHARACTER) + 44
    return "".join(parts)


def draw(tasks: Iterable[dict[str, Any]], hazard: dict[str, Any] | None) -> Drawing:
    """Draw tasks in the order of their submission: all of them, or those around a hazard."""
    boxes = {box.key: box for box in map(_task_box, tasks)}
    pair: list[Key] = []
    for name in ("first", "second"):
        if hazard is not None and hazard[name] is not None:
            box = _site_box(Site(**hazard[name]))
            boxes[box.key] = box._replace(after=boxes.get(box.key, box).after)
            pair.append(box.key)
    columns = _columns(boxes.values(), {})
    if hazard is not None and len(pair) == 2:
        first, second = pair
        unordered = hazard["kind"] in _UNORDERED and first[0] != second[0]
        latest = max(columns[first], columns[second])
        least = dict.fromkeys(pair, latest) if unordered else {second: columns[first] + 1}
        columns = _columns(boxes.values(), least)
    if pair and all(row is None for row, _ in pair):
        boxes = {key: boxes[key] for key in pair}
    elif pair:
        near = {columns[key] + shift for key in pair for shift in range(-_AROUND, _AROUND + 1)}
        boxes = {key: box for key, box in boxes.items() if columns[key] in near}
    return _drawing(list(boxes.values()), columns, pair)


def _task_box(task: dict[str, Any]) -> Box:
    after = None if task["after"] is None else (task["after"][0], task["after"][1])
    return Box((task["stream"], task["position"]), (task["label"],), after=after)


def _site_box(site: Site) -> Box:
    lines = [site.call]
    if site.byte_range is not None:
        first, after_last = site.byte_range
        lines += [
            f"{site.tensor}, {after_last - first} bytes",
            f"{first:#x} to {after_last - 1:#x}",
        ]
    file = Path(site.file).name
    lines.append(f"{file}:{site.line}" if site.line else file)
    return Box((site.stream, site.position), tuple(lines), marked=True)


def _columns(boxes: Iterable[Box], least: dict[Key, int]) -> dict[Key, int]:
    """Return the column of each box: one more than those of what it comes after."""
    columns: dict[Key, int] = {}
    latest: dict[int | None, int] = {}
    for box in boxes:
        column = max(least.get(box.key, 0), latest.get(box.key[0], -1) + 1)
        if box.after in columns:
            column = max(column, columns[box.after] + 1)
        columns[box.key] = latest[box.key[0]] = column
    return columns


class _Grid(NamedTuple):
    """Where columns and rows are, in pixels."""

    left: dict[int, int]
    widths: dict[int, int]
    #: the middle of each row
    middle: dict[int | None, int]
    width: int
    height: int


def _grid(boxes: list[Box], columns: dict[Key, int]) -> _Grid:
    """Return a grid in which every box has its place."""
    left: dict[int, int] = {}
    widths: dict[int, int] = {}
    middle: dict[int | None, int] = {}
    x, y = _NAMES, 6
    for column in sorted({columns[box.key] for box in boxes}):
        lines = [line for box in boxes if columns[box.key] == column for line in box.lines]
        left[column] = x
        widths[column] = round(max(map(len, lines)) * _CHARACTER) + 2 * _MARGIN
        x += widths[column] + _GAP
    for row in sorted({box.key[0] for box in boxes}, key=lambda row: -1 if row is None else row):
        height = max(_height(box) for box in boxes if box.key[0] == row)
        middle[row] = y + height // 2
        y += height + _GAP
    return _Grid(left, widths, middle, x, y)


def _height(box: Box) -> int:
    return len(box.lines) * _LINE + 10


def _drawing(boxes: list[Box], columns: dict[Key, int], pair: list[Key]) -> Drawing:
    """Return boxes with what connects them."""
    grid = _grid(boxes, columns)
    shown = {box.key for box in boxes}
    parts = []
    for row, y in grid.middle.items():
        name = "host" if row is None else f"stream {row}"
        parts.append(f'<text x="6" y="{y + 4}">{name}</text>')
        parts.append(f'<path class="row" d="M{_NAMES - 12} {y} H{grid.width - _GAP + 10}"/>')
    if len(pair) == 2 and columns[pair[0]] == columns[pair[1]]:
        column = columns[pair[0]]
        begin, end = (grid.middle[row] for row, _ in pair)
        x = grid.left[column] + grid.widths[column] // 2
        parts.append(f'<path class="missing" d="M{x} {begin} V{end}"/>')
    for box in boxes:
        if box.after in shown and box.after is not None and box.after[0] != box.key[0]:
            parts.append(_arrow(grid, box.after, box.key, columns))
    for box in boxes:
        parts += _box(grid, box, columns[box.key])
    return Drawing(tuple(parts), grid.width - _GAP + 16, grid.height)


def _arrow(grid: _Grid, begin: Key, end: Key, columns: dict[Key, int]) -> str:
    x1, y1 = grid.left[columns[begin]] + grid.widths[columns[begin]], grid.middle[begin[0]]
    x2, y2 = grid.left[columns[end]], grid.middle[end[0]]
    bend = (x1 + x2) // 2
    curve = f"M{x1} {y1} C{bend} {y1} {bend} {y2} {x2} {y2}"
    return f'<path class="order" d="{curve}" marker-end="url(#tip)"/>'


def _box(grid: _Grid, box: Box, column: int) -> Iterator[str]:
    """Yield a box and its lines of text."""
    x, y, height = grid.left[column], grid.middle[box.key[0]] - _height(box) // 2, _height(box)
    mark = ' class="marked"' if box.marked else ""
    size = f'width="{grid.widths[column]}" height="{height}"'
    yield f'<rect{mark} x="{x}" y="{y}" {size} rx="4"/>'
    for number, line in enumerate(box.lines, start=1):
        weight = ' font-weight="600"' if box.marked and number == 1 else ""
        place = f'x="{x + _MARGIN}" y="{y + 1 + _LINE * number}"'
        yield f"<text {place}{weight}>{escape(line)}</text>"
