"""How numbers are computed, on plain arrays: no device, no vendor names."""
