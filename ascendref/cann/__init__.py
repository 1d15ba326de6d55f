"""The C library: our own implementation of the vendor's headers and libraries for C and C++.

From the table in `functions` follow headers, exports and the Python side; `root` builds the rest.
"""
