"""Losses: a file per family, the loss and its gradient."""
