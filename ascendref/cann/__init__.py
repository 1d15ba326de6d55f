"""The C library: our own implementation of the vendor's headers and libraries for C and C++.

`functions` is the table of all functions. The headers (`headers`), the exported functions
(`source`) and the list of functions in Python (`runtime.link`) are generated from it. ``native/``
has the C sources that do not depend on the table. `root` builds the install root from all of them.
"""
