"""HTML pages that need nothing but themselves: their frame, and reports with plots among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..core.output_files import output_file
from .outputs import check_writable, needs_plot_extra, print_written, report_write_errors

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
h1, h2 { line-height: 1.2; overflow-wrap: anywhere } h2 { margin-top: 2em }
code { background: #8882; overflow-wrap: anywhere }
table { border-collapse: collapse; display: block; font-size: 14px; overflow-x: auto;
  font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid #8884; padding: 2px 14px 2px 0; text-align: left;
  white-space: nowrap }
.plots { display: grid; gap: 1em; margin: 1em 0;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 30em), 1fr)) }
.plot { min-width: 0 }
"""

#: how plots are used, in Markdown
ABOUT_ZOOM: Final = (
    "Point at a mark for its numbers, drag to zoom in, double-click to zoom out, click on the"
    " legend to hide and to show."
)

#: a page with these rules loads nothing from anywhere, whatever its scripts try
_RULES: Final = (
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    " script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">"
)

#: draws each plot when it comes into view, in the page's colours, and labels as much of an axis
#: with labels of its own as fits
_SCRIPT: Final = """
const dark = matchMedia("(prefers-color-scheme: dark)");
const colours = () => ({"font.color": getComputedStyle(document.body).color});

function ticks(plot) {
  const all = plot.layout.meta?.ticks;
  if (!all) return {};
  const [low, high] = plot.layout.xaxis.range, most = plot.clientWidth / 75;
  const near = 0.05 * (high - low);
  for (let level = 0; ; level++) {
    const seen = all.filter(t => t.level >= level && low <= t.place && t.place <= high
      && (t.place === 0 || Math.abs(t.place) > near));
    if (seen.length <= most)
      return {"xaxis.tickvals": seen.map(t => t.place), "xaxis.ticktext": seen.map(t => t.text)};
  }
}

const config = {displaylogo: false, responsive: true,
  modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]]};

async function draw(plot) {
  const figure = JSON.parse(plot.nextElementSibling.textContent);
  await Plotly.newPlot(plot, figure.data, figure.layout, config);
  const adapt = () => Plotly.update(plot, {}, {...ticks(plot), ...colours()});
  await adapt();
  plot.on("plotly_relayout", change => {
    if (Object.keys(change).some(key => /^xaxis\\.(range|autorange)/.test(key))) adapt();
  });
  dark.addEventListener("change", adapt);
}

const watch = new IntersectionObserver(entries => {
  for (const entry of entries.filter(entry => entry.isIntersecting)) {
    watch.unobserve(entry.target);
    draw(entry.target);
  }
}, {rootMargin: "600px"});
document.querySelectorAll(".plot").forEach(plot => watch.observe(plot));
"""


def page(title: str, body: str, style: str = "") -> str:
    """Return a page; the title is text, body and style are HTML and CSS."""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{_RULES}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}{style}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )


def check_page(path: Path | None) -> None:
    """Raise OptionError if a page with plots cannot be written, before any work is done."""
    if path is None:
        return
    check_writable("--html", path)
    with needs_plot_extra("--html"):
        for name in ("markdown_it", "plotly"):
            import_module(name)


def write_page(path: Path, lines: Iterable[str], plots: Mapping[str, Sequence[Figure]]) -> None:
    """Write a report in Markdown as a page, with plots by the heading below which they stand."""
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from plotly.offline import get_plotlyjs

    text = list(lines)
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens: list[Token] = []
    for token in markdown.parse("\n".join(text)):
        tokens.append(token)
        if token.type == "heading_close":
            figures = plots.get(tokens[-2].content, ())
            if figures:
                tokens.append(Token("html_block", "", 0, content=_plots(figures)))
    body = (
        f"{markdown.renderer.render(tokens, markdown.options, {})}"
        f"<script>{get_plotlyjs()}</script>\n<script>{_SCRIPT}</script>"
    )
    with report_write_errors("--html", path), output_file(path) as file:
        file.write(page(text[0].removeprefix("# "), body).encode())
    print_written(path)


def _plots(figures: Iterable[Figure]) -> str:
    """Return places for plots, each followed by its figure."""
    places = "".join(
        '<div class="plot"></div><script type="application/json">'
        # nothing in a script ends it but this sign with what follows
        + str(figure.to_json()).replace("<", "\\u003c")
        + "</script>"
        for figure in figures
    )
    return f'<div class="plots">{places}</div>\n'
