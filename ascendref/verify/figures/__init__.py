"""Figures with matplotlib, and interactive plots with Plotly (extra ``plot``)."""
