"""Attention: softmax(scale·q·kᵀ, masked)·v, in F32.

Inside, tensors have the axes batch, head, row and element (BNSD).
"""
