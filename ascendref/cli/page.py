"""Pages in HTML, of one file that loads nothing from anywhere."""

from collections.abc import Iterable
from html import escape
from typing import Final

_STYLE: Final = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
h1, h2 { line-height: 1.2; overflow-wrap: anywhere } h2 { margin-top: 2em }
.kind { color: light-dark(#b00, #f77) }
.picture { overflow-x: auto } .picture img { background: #fff; max-width: 100% }
p, li { overflow-wrap: anywhere }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #8888; padding: 0.2em 0.6em; text-align: left }
"""
#: a page with these rules loads nothing from anywhere and runs no scripts
_RULES: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, parts: Iterable[str]) -> str:
    """Return a page with a title, which is text, and parts, which are HTML."""
    head = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_RULES}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>",
        f"<h1>{escape(title)}</h1>",
    ]
    return "\n".join([*head, *parts, "</body></html>\n"])
