"""Reading pages with plots."""

import base64
import json
from html.parser import HTMLParser
from typing import Any

import numpy as np

#: elements without an end
VOID = {"meta", "br", "hr", "img", "link"}


class Page(HTMLParser):
    """A page; AssertionError if its elements are not nested properly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        #: what is loaded from elsewhere
        self.loaded: list[str] = []
        self.headings: list[str] = []
        #: figures of Plotly by the heading above them
        self.figures: dict[str, list[dict[str, Any]]] = {}
        self.text = ""
        self._json = False
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href")]
        self._json = ("type", "application/json") in attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        elif self._json and self.open[-1] == "script":
            self.figures.setdefault(self.headings[-1], []).append(json.loads(data))
        elif self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def array(value: Any) -> np.ndarray[Any, Any]:
    """Return an array of a figure."""
    if not isinstance(value, dict):
        return np.asarray(value)
    shape = [int(size) for size in value.get("shape", "-1").split(",")]
    return np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"]).reshape(shape)
