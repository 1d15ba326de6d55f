"""Types and values under ``torch.autocast``: those of PyTorch's own functions and modules."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

import ascendref.torch as at
from ascendref.torch.overrides import FUNCTIONS as OURS

from ..support.cases import DECLARED

# PyTorch loads its forward derivatives with what it deprecates
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")


KINDS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
REDUCED = (torch.bfloat16, torch.float16)
#: names of PyTorch's functions that are others than ours
NAMES = {"log_sigmoid": "logsigmoid"}
#: PyTorch's function, if it has one, ours, numbers of elements on axis 1 of its tensors
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[int, ...]]] = {
    name: (
        # with values for scalars that have no defaults
        *[
            partial(f, **function.needed(function.declared))
            for f in (theirs, getattr(at.ops, name))
        ],
        (2, 1) if function.operator.per_channel else (2,) * function.defaults.count(None),
    )
    for name, function in OURS.items()
    if (theirs := getattr(F, NAMES.get(name, name), None) or getattr(torch, name, None))
}


def outcome(
    function: Callable[..., Any], name: str, kinds: tuple[Any, ...], **autocast: Any
) -> tuple[Any, ...] | None:
    """Return result and gradients of a function; None if it raises."""
    generator = torch.Generator().manual_seed(4)
    tensors: list[Any] = []
    for kind, channels in zip(kinds, FUNCTIONS[name][2], strict=True):
        x = torch.rand(3, 2, generator=generator) * 0.9 + 0.05
        x = x[0, :channels] if name == "prelu" and tensors else x - 0.5 * (name == "prelu")
        # PyTorch differentiates soft_margin_loss for its first operand alone
        tensors.append(x.to(kind).requires_grad_(name != "soft_margin_loss" or not tensors))
    with torch.autocast("cpu", **autocast):
        try:
            result = function(*tensors)
        except RuntimeError:
            return None
        with torch.autocast("cpu", enabled=False):
            result.float().sum().backward()
    return result, *[x.grad for x in tensors]


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss")
@pytest.mark.parametrize(
    ("name", "reduced"),
    [(n, kind) for n in FUNCTIONS for kind in (REDUCED if n in DECLARED else REDUCED[:1])],
)
def test_functions_take_and_return_the_types_of_pytorchs(name: str, reduced: Any) -> None:
    theirs, ours, operands = FUNCTIONS[name]
    # operands are below 1: what PyTorch composes of several kernels may be an ulp of 1 off
    atol = torch.finfo(reduced).eps
    for kinds in product(KINDS, repeat=len(operands)):
        for enabled in (True, False):
            expected = outcome(theirs, name, kinds, dtype=reduced, enabled=enabled)
            found = outcome(ours, name, kinds, dtype=reduced, enabled=enabled)
            with at.use("all"):
                overridden = outcome(theirs, name, kinds, dtype=reduced, enabled=enabled)
            for results in (found, overridden):
                torch.testing.assert_close(results, expected, rtol=1e-2, atol=atol, msg=str(kinds))


def gradients(layer: Any, wrap: Callable[..., Any], reduced: Any) -> Any:
    """Return result and gradients of a small network with a layer."""
    network = torch.nn.Sequential(torch.nn.Linear(4, 3), layer, torch.nn.Linear(3, 2))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.linspace(-0.5, 1, parameter.numel()).reshape_as(parameter))
    x = torch.linspace(-1, 1, 20).reshape(5, 4).requires_grad_()
    with torch.autocast("cpu", dtype=reduced):
        result = wrap(network)(x)
    result.float().mean().backward()
    return result, x.grad, [parameter.grad for parameter in network.parameters()]


def nested(network: Any) -> Callable[..., Any]:
    def call(x: torch.Tensor) -> Any:
        first, activation, last = network
        between = first(x)
        with torch.autocast("cpu", enabled=False):
            between = activation(between.float())
        return last(between)

    return call


def with_double_backward(network: Any) -> Callable[..., Any]:
    def call(x: torch.Tensor) -> Any:
        result = network(x)
        with torch.autocast("cpu", enabled=False):
            (grad,) = torch.autograd.grad(result.float().square().mean(), x, create_graph=True)
        return result.float().sum() + 1e-3 * grad.square().sum()

    return call


WRAPPED: dict[str, Callable[..., Any]] = {
    "eager": lambda network: network,
    "twice": lambda network: lambda x: network(x) + network(-x),
    "autocast off for the layer": nested,
    "checkpoint": lambda network: lambda x: checkpoint(network, x, use_reentrant=False),
    "reentrant checkpoint": lambda network: lambda x: checkpoint(network, x, use_reentrant=True),
    "double backward": with_double_backward,
    "compiled": lambda network: torch.compile(network, backend="aot_eager", fullgraph=True),
    "vmap": lambda network: lambda x: torch.func.vmap(network)(x[:, None]),
    "functional_call": lambda network: (
        lambda x: torch.func.functional_call(network, dict(network.named_parameters()), (x,))
    ),
}


@pytest.mark.parametrize("reduced", REDUCED, ids=str)
@pytest.mark.parametrize("way", WRAPPED)
def test_modules_train_as_pytorchs(way: str, reduced: Any) -> None:
    def check(layer: Any) -> None:
        found = gradients(layer, WRAPPED[way], reduced)
        torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-2)

    expected = gradients(torch.nn.PReLU(3), WRAPPED[way], reduced)
    check(at.PReLU(3))
    check(at.replace_modules(torch.nn.PReLU(3)))
    with at.use():
        check(torch.nn.PReLU(3))


def test_scaled_gradients_are_those_of_pytorch() -> None:
    weights = []
    for layer in (torch.nn.PReLU(4), at.PReLU(4)):
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                loss = layer(torch.linspace(-2, 1, 12).reshape(3, 4)).float().square().mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        weights.append(layer.weight.detach())
    torch.testing.assert_close(weights[1], weights[0], rtol=1e-3, atol=0)
    assert not torch.equal(weights[0], torch.full((4,), 0.25))


def test_a_loss_in_f32_is_computed_by_our_kernel() -> None:
    before = at.statistics()["smooth_l1_loss"]
    x = torch.rand(4, dtype=torch.bfloat16, requires_grad=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        at.ops.smooth_l1_loss(x, torch.zeros(4)).backward()
    after = at.statistics()["smooth_l1_loss"]
    assert (after.taken, after.fell_back) == (before.taken + 1, before.fell_back)
