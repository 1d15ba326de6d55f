"""The array functions on torch tensors: autograd, cached calls, compiled programs."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ascendref as ar
from ascendref.kernels.runtime.kernel import Kernel

from ..support.processes import run

# PyTorch loads its forward derivatives with what it deprecates
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_repeated_calls_give_the_same_bits(dtype: Any) -> None:
    generator = torch.Generator().manual_seed(2)
    grad, x, y = torch.rand(3, 6, 4, generator=generator).to(dtype)
    weight = torch.rand(4, generator=generator).to(dtype)
    for call in (
        lambda **o: ar.hardshrink_backward(grad, x, 0.5, **o),
        lambda **o: ar.softplus_backward(grad, x, 1.5, 20, **o),
        lambda **o: ar.smooth_l1_loss_backward(grad, x, y, "mean", 0.5, **o),
        lambda **o: ar.logit_grad(x, grad, None, **o),
        lambda **o: ar.prelu_backward(grad, x, weight, **o),
        lambda **o: ar.prelu(x, weight, **o),
        lambda **o: ar.glu(x, 1, **o),
        lambda **o: ar.swiglu_backward(grad[:, :2].contiguous(), x, 1, **o),
    ):
        for compute in (None, torch.float64):
            checked = call(compute_dtype=compute)
            again = call(compute_dtype=compute)
            several = isinstance(checked, tuple)
            out = tuple(map(torch.zeros_like, checked)) if several else torch.zeros_like(checked)
            versions = [t._version for t in (out if several else (out,))]
            for k in range(2):
                assert call(compute_dtype=compute, out=out) is out
                for t, version in zip(out if several else (out,), versions, strict=True):
                    assert t._version == version + k + 1
            torch.testing.assert_close(again, checked, rtol=0, atol=0)
            torch.testing.assert_close(out, checked, rtol=0, atol=0)


def test_cached_calls_leave_other_tensors_to_the_full_check() -> None:
    x = torch.randn(4, 6)
    expected = ar.hardshrink_backward(x, x)
    ar.hardshrink_backward(x, x)  # cached
    assert torch.equal(ar.hardshrink_backward(x.t(), x.t()), expected.t())
    assert torch.equal(ar.hardshrink_backward(x[0], x), torch.where(x.abs() > 0.5, x[0], 0))
    negated = torch._neg_view(x)
    assert torch.equal(ar.hardshrink_backward(negated, x), -expected)
    in_place = x.clone()
    assert torch.equal(ar.hardshrink_backward(in_place, x, out=in_place), expected)
    zero = torch._efficientzerotensor((4, 6))
    with pytest.raises(ar.ArgumentTypeError, match=r"^grad_output "):
        ar.hardshrink_backward(zero, x)
    with (
        pytest.raises(ar.ArgumentTypeError, match=r"^self .* forward derivative"),
        torch.autograd.forward_ad.dual_level(),
    ):
        ar.hardshrink_backward(x, torch.autograd.forward_ad.make_dual(x, x))
    assert isinstance(ar.hardshrink_backward(x.numpy(), x.numpy()), np.ndarray)
    many = torch.ones((1,) * 9)
    with pytest.raises(ar.ArgumentValueError, match=r"^grad_output has rank 9"):
        ar.hardshrink_backward(many, many)
    for _ in range(2):
        ar.mse_loss(x, x)
    with pytest.raises(ar.ArgumentValueError, match=r"^self has rank 9"):
        ar.mse_loss(many, many)


def test_cached_calls_on_views_leave_other_tensors_to_the_full_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: False)
    x = torch.randn(4, 6)
    whole = torch.cat([x, x])
    expected = ar.glu(x)
    ar.glu(x)  # cached
    assert torch.equal(ar.glu(whole)[:4], expected)
    assert torch.equal(ar.glu(whole[:4]), expected)
    assert torch.equal(ar.glu(x.t(), 0), expected.t())
    assert torch.equal(ar.glu(x.double()).float(), ar.glu(x, compute_dtype=torch.float64))
    assert torch.equal(ar.glu(x), expected)
    with pytest.raises(ar.ArgumentValueError, match=r"^out "):
        ar.glu(x, out=x[:, :3])
    with pytest.raises(ar.ArgumentValueError, match=r"^out overlaps"):
        ar.glu(x, out=x.view(-1)[3:15].view(4, 3))
    with pytest.raises(ar.ArgumentValueError, match=r"^out "):
        ar.glu(x, out=torch.empty(3, 4))


def test_what_was_written_cannot_be_gone_back_through() -> None:
    x = torch.ones(3, requires_grad=True)
    middle = x * 2
    result = middle.square().sum()
    with torch.no_grad():
        for _ in range(2):
            ar.hardshrink_backward(torch.ones(3), torch.ones(3), out=middle)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_tensors_that_require_grad_are_taken_where_nothing_is_recorded() -> None:
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return torch.nn.functional.hardshrink(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return ar.hardshrink_backward(grad, *ctx.saved_tensors)

    x = torch.tensor([0.25, 2.0], requires_grad=True)
    Function.apply(x).sum().backward()
    assert x.grad.tolist() == [0, 1]
    for _ in range(2):
        with torch.no_grad():
            assert not ar.hardshrink_backward(x, x).requires_grad
        with pytest.raises(ar.ArgumentTypeError, match=r"^grad_output .*requires grad"):
            ar.hardshrink_backward(x, x)


PROGRAM = """
import sys
{imports}
from torch._dynamo.utils import counters

def program(x, weight):
    y = x * 2
    for_x, for_weight = ar.prelu_backward(y, x, weight)
    return for_x + 1, for_weight + 1

x, weight = torch.randn(8, 3), torch.rand(3)
compiled = torch.compile(program, backend="eager")
for _ in range(2):
    for found, expected in zip(compiled(x, weight), program(x, weight)):
        assert torch.equal(found, expected)
assert sum(counters["graph_break"].values()) == 1, counters["graph_break"]
"""


@pytest.mark.full
@pytest.mark.parametrize(
    "imports", ["import ascendref as ar, torch", "import torch, torch._dynamo, ascendref as ar"]
)
def test_a_compiled_program_is_broken_once_without_a_warning(imports: str) -> None:
    run("-c", PROGRAM.format(imports=imports))
