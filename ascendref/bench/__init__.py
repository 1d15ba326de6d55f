"""How fast the operators are, beside a peer and beside the memory, in one run."""
