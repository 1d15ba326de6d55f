"""Support for compiled code besides arithmetic: memory, array headers, threads."""
