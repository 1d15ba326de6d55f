"""Comparing arrays: distances in ulp, errors, the vendor's acceptance rule."""
