"""What compiled code does besides arithmetic: memory, array headers, threads."""
