"""Formulas as MathML, which browsers draw without a script: the site works offline."""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def inline(writer: Any, node: nodes.math) -> None:
    """Write a formula in a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """Write a formula of its own: a line for each part between quads, which may break at its =."""
    for line in parts(node.astext(), r"\\q?quad\b"):
        sides = "".join(tex2mathml(side, as_block=True) for side in parts(line, "(?==)"))
        writer.body.append(f'<div class="formula">{sides}</div>')
    raise nodes.SkipNode


def parts(formula: str, separator: str) -> Iterator[str]:
    """Yield what a separator parts outside of braces and environments, without a final comma."""
    depth = begin = 0
    for match in re.finditer(rf"\\begin\b|\\end\b|[{{}}]|{separator}", formula):
        if match[0] in ("{", r"\begin"):
            depth += 1
        elif match[0] in ("}", r"\end"):
            depth -= 1
        elif depth == 0:
            yield formula[begin : match.start()].strip().rstrip(",")
            begin = match.end()
    yield formula[begin:].strip()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
