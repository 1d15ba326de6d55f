"""The documentation site: what it lists, and how it looks in a browser."""
