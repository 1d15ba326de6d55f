"""Streams, events, host functions and callbacks."""
