"""A cell of an LSTM, given the products of its matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from .formulas import Gradients, Tensors, formula


@formula(space="aten")
def _thnn_fused_lstm_cell(
    input_gates: Tensor,
    hidden_gates: Tensor,
    cx: Tensor,
    input_bias: Tensor | None,
    hidden_bias: Tensor | None,
) -> Tensors:
    """h = o·tanh(c), c = f·c' + i·g, and the gates i, f, g and o, of which tanh makes g."""
    total = input_gates.float() + hidden_gates.float()
    for bias in (input_bias, hidden_bias):
        if bias is not None:
            total = total + bias.float()
    i, f, g, o = total.chunk(4, 1)
    gates = [i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()]
    cy = gates[1] * cx.float() + gates[0] * gates[2]
    found = (gates[3] * cy.tanh(), cy, torch.cat(gates, 1))
    return tuple(one.to(cx.dtype) for one in found)


@formula(space="aten")
def _thnn_fused_lstm_cell_backward_impl(
    grad_hy: Tensor | None,
    grad_cy: Tensor | None,
    cx: Tensor,
    cy: Tensor,
    workspace: Tensor,
    has_bias: bool,
) -> Gradients:
    """Gradients of `_thnn_fused_lstm_cell` for sums of gates, c' and the sum of biases."""
    none = torch.zeros_like(cy, dtype=torch.float32)
    outer, inner = (none if one is None else one.float() for one in (grad_hy, grad_cy))
    i, f, g, o = workspace.float().chunk(4, 1)
    value = cy.float().tanh()
    inner = inner + outer * o * (1 - value * value)
    steps = [
        inner * g * i * (1 - i),
        inner * cx.float() * f * (1 - f),
        inner * i * (1 - g * g),
        outer * value * o * (1 - o),
    ]
    gates = torch.cat(steps, 1)
    kind = workspace.dtype
    return gates.to(kind), (inner * f).to(kind), gates.sum(0).to(kind) if has_bias else None
