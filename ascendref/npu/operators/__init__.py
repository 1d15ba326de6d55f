"""Operators that only torch_npu has, as formulas of PyTorch's operators.

Each function has the name and the parameters of an operator in the namespace ``npu``, and its
docstring is its formula, by the operator's docstring in torch_npu.
"""
