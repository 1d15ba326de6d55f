"""Claims of docs/sources.md about other implementations, where they can be tried."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

import ascendref as ar


@pytest.fixture(name="torch")
def _torch() -> Any:
    return pytest.importorskip("torch", reason="torch is in the bench extra, not in the test extra")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
def test_pytorchs_results_depend_on_where_an_element_stands(torch: Any, kind: str) -> None:
    """3 elements do not fill a vector, 64 do."""

    def both(x: float, call: Any, own: Any) -> tuple[set[float], set[float]]:
        found = []
        for size in (3, 64):
            data = torch.full((size,), x, dtype=getattr(torch, kind))
            grad = torch.full_like(data, 3)
            found.append(set(call(grad, data).nan_to_num(77, inf, -inf).tolist()))
            assert len({str(value) for value in own(grad, data).tolist()}) == 1
        return found[0], found[1]

    for x, lambd in ((nan, 0.5), (5.0, nan)):
        assert both(
            x,
            lambda g, x, lambd=lambd: torch.ops.aten.hardshrink_backward(g, x, lambd),
            lambda g, x, lambd=lambd: ar.hardshrink_backward(g, x, lambd),
        ) == ({3}, {0})
    for x, eps, scalar in ((nan, 0.0, 77), (nan, 0.25, 77), (nan, 2.0, 77), (0.5, nan, 12)):
        assert both(
            x,
            lambda g, x, eps=eps: torch.ops.aten.logit_backward(g, x, eps),
            lambda g, x, eps=eps: ar.logit_grad(x, g, eps),
        ) == ({scalar}, {0})
    assert both(
        -0.0,
        lambda g, x: torch.ops.aten.logit_backward(g, x, None),
        lambda g, x: ar.logit_grad(x, g),
    ) == ({inf}, {-inf})


def test_pytorch_differs_at_a_negative_lambda_at_beta_0_and_next_to_eps(torch: Any) -> None:
    zero, one, aten = torch.zeros(1), torch.ones(1), torch.ops.aten
    assert aten.hardshrink_backward(one, zero, -1.0).item() == 1
    assert ar.hardshrink_backward(one, zero, -1.0).item() == 0
    assert aten.smooth_l1_loss_backward(one, zero, zero, 0, 0.0).item() == -1
    assert ar.smooth_l1_loss_backward(one, zero, zero, "none", 0.0).item() == 0
    for x, gradient in ((0.0, 0), (nan, 0)):
        data = torch.full((1,), x, requires_grad=True)
        torch.nn.functional.smooth_l1_loss(data, zero, beta=0.0).backward()
        assert data.grad.item() == gradient
    assert np.isnan(ar.smooth_l1_loss_backward(one, zero / 0, zero, "none", 0.0).item())
    data = torch.tensor([0.990234375], dtype=torch.float16)
    assert aten.logit_backward(torch.ones_like(data), data, 0.01).item() == 103.375
    assert ar.logit_grad(data, torch.ones_like(data), 0.01).item() == 0
    steps = ar.logit_grad(data, torch.ones_like(data), 0.01, compute_dtype="float16")
    assert steps.item() == pytest.approx(103.4, abs=0.1)


def test_jax_reads_subnormal_numbers_as_0_and_gives_the_other_infinity_at_minus_0() -> None:
    jax = pytest.importorskip("jax", reason="it is an extra")
    tiny = jax.numpy.float32([1e-40])
    assert not (tiny > 0).any()
    assert (np.asarray(tiny) > 0).all()
    assert jax.grad(jax.scipy.special.logit)(-0.0) == -inf
    assert ar.logit_grad(np.float32([-0.0]), np.ones(1, np.float32)) == inf


@pytest.mark.full
@pytest.mark.parametrize("compute", [None, "float16"])
def test_a_sum_of_prelu_whose_terms_overflow_is_right_in_truth_mode(compute: str | None) -> None:
    weight = np.ones(1, np.float32)
    grad, x = np.float32([1e30, -1e30, 1]), np.float32([-1e30, -1e30, -1])
    assert np.isnan(ar.prelu_backward(grad, x, weight, compute_dtype=compute)[1][0])
    assert ar.prelu_backward(grad, x, weight, compute_dtype="float64")[1][0] == -1
    assert ar.prelu_backward(grad[:1], x[:1], weight, compute_dtype=compute)[1][0] == -inf


def test_a_sum_of_prelu_lacks_what_underflows() -> None:
    weight, tiny = np.ones(1, np.float32), np.full(1 << 12, 2.0**-80, np.float32)
    assert ar.prelu_backward(tiny, -tiny, weight)[1][0] == 0
    assert ar.prelu_backward(tiny, -tiny, weight, compute_dtype="float64")[1][0] == -(2.0**-148)
