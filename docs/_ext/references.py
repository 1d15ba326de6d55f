"""References that Sphinx does not find by itself.

- A docstring of one module names classes of another as its readers know them, without the module:
  ``Device.malloc``. Such a name refers to the one documented object that ends in it.
- Pages link to Markdown files of the repository's root, which the site has under other names.
- Docstrings give status codes as numbers; the reference adds the name to the first of each.
- Docstrings of array functions name the page of their common rules, and leave out the imports of
  their examples.
"""

import re

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from ascendref import Status

#: files of the repository's root, and the pages of the site that take their place
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
#: how docstrings refer to docs/guide/array-functions.md
COMMON_RULES = "common rules of array functions"
RULES_FILE = " (docs/guide/array-functions.md)"
#: what examples assume, by the name that they use
IMPORTS = {"np": "numpy as np", "ar": "ascendref as ar"}
STATUS_NAMES = {str(status.value): status.name for status in Status}


def link_to_pages(app: Sphinx, name: str, content: list[str]) -> None:
    """Let links to files of the repository's root lead to the site's pages."""
    for file, page in PAGES.items():
        content[0] = content[0].replace(f"](../{file}", f"]({page}")


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Return a reference to the object whose full name ends in the target's; None if none does."""
    if node.get("refdomain") != "py":
        return None
    suffix = f".{node['reftarget']}"
    objects = env.domains.python_domain.objects
    found = [name for name, entry in objects.items() if name.endswith(suffix) and not entry.aliased]
    if len(found) != 1:
        return None
    entry = objects[found[0]]
    return make_refnode(
        app.builder, node["refdoc"], entry.docname, entry.node_id, content, found[0]
    )


def name_status_codes(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Add the name to each status code of a docstring where it comes first in the text."""
    named = set[str]()
    for number, line in enumerate(lines):
        if line.startswith("Examples"):
            break

        def with_name(match: re.Match[str]) -> str:
            code = match[0]
            if code in named or code not in STATUS_NAMES:
                return code
            named.add(code)
            return f"{code} (``{STATUS_NAMES[code]}``)"

        lines[number] = re.sub(r"(?<![\w`.])\d{6}(?![\w`])", with_name, line)


def name_common_rules(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Link the common rules of array functions, and import what examples assume."""
    for number, line in enumerate(lines):
        lines[number] = line.replace(
            COMMON_RULES + RULES_FILE, f":doc:`{COMMON_RULES} </guide/array-functions>`"
        )
    if "Examples" in lines and not any("import ascendref" in line for line in lines):
        examples = lines.index("Examples")
        names = [name for name in IMPORTS if any(f"{name}." in x for x in lines[examples:])]
        if names:
            imports = ", ".join(map(IMPORTS.__getitem__, names))
            lines.insert(examples + 2, f">>> import {imports}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look for what Sphinx itself does not find."""
    app.connect("source-read", link_to_pages)
    app.connect("autodoc-process-docstring", name_status_codes, priority=1)
    app.connect("autodoc-process-docstring", name_common_rules, priority=1)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
