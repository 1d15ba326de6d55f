"""Activations: a file per family, the function and its gradient."""
