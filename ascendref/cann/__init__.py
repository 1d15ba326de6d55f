"""The C library: the vendor's headers and libraries for programs in C and C++, of our own making.

`functions` is the table of all functions. The headers (`headers`), the exported functions
(`source`) and what is asked of the Python side (`runtime.link`) follow from it. ``native/`` has the
sources in C that are the same for every table. `root` puts it all together.
"""
