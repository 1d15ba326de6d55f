"""References of docstrings to names of other modules, such as ``Device.malloc``.

A docstring of one module names classes of another as its readers know them, without the module.
Such a name refers to the one documented object that ends in it.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Look for what Sphinx itself does not find."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
