"""The documentation's configuration; ``python -m sphinx -W docs docs/_build/html`` builds it."""

from __future__ import annotations

import sys
from pathlib import Path

import ascendref

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "ascendref"
author = "the ascendref developers"
release = version = ascendref.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "details",
    "generated_pages",
    "gallery",
    "mathml",
    "references",
]
exclude_patterns = ["_build", "_generated", "_ext", "gallery/*.ipynb", "gallery/*.py"]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
toc_object_entries_show_parents = "hide"
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", r".*\.(json|py)|device")]  # files, an attribute

smartquotes_action = "qe"  # no dashes: options begin with two hyphens

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
myst_ignore_mail_links = True

autodoc_typehints = "none"  # the docstrings describe the parameters in full
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "ascendref"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["filter.js"]
html_favicon = html_logo = "_static/mark.svg"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
#: pages with wide tables, which have no sidebars
WIDE = ("accuracy", "frameworks", "npu-results", "operators", "performance")
html_sidebars = {
    page: []
    for page in (
        "internals", "claims", "changelog", "contributing", "architecture", "maintaining", *WIDE
    )
}  # fmt: skip
html_theme_options = {
    "logo": {"text": "ascendref"},
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"]} | {page: [] for page in WIDE},
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
project_copyright = "the ascendref developers, Apache-2.0"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    # every example is executed but the one for torch_npu, which needs a process of its own
    "filename_pattern": r"/(?!09_)\d\d_",
    "within_subsection_order": "gallery.RaceFirst",
    "default_thumb_file": str(DOCS / "_static" / "mark.svg"),
    "image_scrapers": ("gallery.picture_scraper",),
    "reset_argv": "gallery.arguments",
    "reset_modules": (),
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "copyfile_regex": r".*\.cpp",
}
