"""Settings of the whole test suite."""

from __future__ import annotations

from hypothesis import settings

# the same examples in every run: a failure in CI is a failure here
settings.register_profile("stable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("stable")
