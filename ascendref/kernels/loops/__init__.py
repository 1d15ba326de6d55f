"""The loops over arrays."""
