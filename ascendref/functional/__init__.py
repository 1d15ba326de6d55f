"""The array functions."""
