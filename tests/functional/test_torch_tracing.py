"""The array functions where PyTorch traces, transforms or wraps: the same answer in every state."""

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import ascendref as ar
from ascendref.functional import call_cache

# PyTorch loads its forward derivatives with what it deprecates, and its tracer as well
pytestmark = [
    pytest.mark.filterwarnings("ignore:.torch.jit.*deprecated"),
    pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning"),
]

FOLLOWED = "can be traced and transformed$"
X = torch.tensor([[0.25, 3.0], [-2.0, 0.125]])
WEIGHT = torch.tensor([0.5, 2.0])
OUT = torch.empty(2, 2)

#: array function, as a function of one tensor
CALLS: dict[str, Callable[[Any], Any]] = {
    "elementwise": lambda x: ar.softplus_backward(x, x, 1.0, 20.0),
    "channel sums": lambda x: ar.prelu_backward(x, x, WEIGHT)[0],
    "out": lambda x: ar.softplus_backward(x, x, 1.0, 20.0, out=OUT),
    "cast": lambda x: ar.cast(x, "float16"),
}


class Module(torch.nn.Module):  # type: ignore[misc]
    """A function as a module with a parameter."""

    def __init__(self, function: Callable[[Any], Any], requires_grad: bool = True) -> None:
        super().__init__()
        self.function = function
        self.parameter = torch.nn.Parameter(X.clone(), requires_grad)

    def forward(self, x: Any) -> Any:
        return self.function(x)


class OfParameter(Module):
    def forward(self, x: Any) -> Any:
        return self.function(self.parameter)


class Unchanged(TorchDispatchMode):  # type: ignore[misc]
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class EmptyOnMeta(TorchDispatchMode):  # type: ignore[misc]
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        return result.to("meta") if func is torch.ops.aten.empty_like.default else result


class EmptyLikeOnMeta(TorchFunctionMode):  # type: ignore[misc]
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        return result.to("meta") if func is torch.empty_like else result


def under(context: Callable[[], Any]) -> Callable[..., Any]:
    """Call a function on a tensor of its own within a context."""

    def run(call: Callable[[Any], Any]) -> Any:
        with context():
            return call(X)

    return run


def beside(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function on a tensor that is no part of what is transformed or traced."""

    def run(call: Callable[[Any], Any]) -> Any:
        results = []

        def program(y: Any) -> Any:
            results.append(call(X))
            return y.sum()

        transform(program)
        return results[0]

    return run


def freed() -> Any:
    x = X.clone()
    x.untyped_storage().resize_(0)
    return x


def with_tangent(call: Callable[[Any], Any]) -> Any:
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        return call(forward_ad.make_dual(X, X))


class Own(torch.Tensor):  # type: ignore[misc]
    pass


def script(call: Callable[[Any], Any]) -> Any:
    # TorchScript takes parameters without annotations as tensors
    @torch.jit.ignore
    def ignored(x):  # type: ignore[no-untyped-def]
        return call(x)

    def program(x):  # type: ignore[no-untyped-def]
        return ignored(x)

    return torch.jit.script(program)(X)


#: way to call -> function that does so, and what the error says; None for the result
WAYS: dict[str, tuple[Callable[..., Any], str | None]] = {
    "jit.trace": (
        lambda call: torch.jit.trace(call, (X,), check_trace=False),
        rf"torch\.jit\.trace cannot record .*{FOLLOWED}",
    ),
    "jit.trace, a constant": (
        beside(lambda program: torch.jit.trace(program, (X,), check_trace=False)),
        rf"torch\.jit\.trace cannot record .*{FOLLOWED}",
    ),
    "jit.script": (script, None),
    "export": (lambda call: torch.export.export(Module(call), (X,)), FOLLOWED),
    "make_fx": (lambda call: make_fx(call)(X), rf"ProxyTorchDispatchMode .*{FOLLOWED}"),
    "make_fx, fake": (lambda call: make_fx(call, tracing_mode="fake")(X), FOLLOWED),
    "make_fx, a constant": (beside(lambda program: make_fx(program)(X)), FOLLOWED),
    "symbolic_trace": (
        lambda call: torch.fx.symbolic_trace(call),
        rf"is a torch\.fx\.Proxy .*{FOLLOWED}",
    ),
    "compile": (lambda call: torch.compile(call, backend="eager")(X), None),
    "fake": (lambda call: call(FakeTensorMode().from_tensor(X)), rf"is a FakeTensor.*{FOLLOWED}"),
    "FakeTensorMode": (under(FakeTensorMode), FOLLOWED),
    "FakeTensorMode for all": (under(lambda: FakeTensorMode(allow_non_fake_inputs=True)), FOLLOWED),
    "dispatch mode": (under(Unchanged), None),
    "dispatch mode that changes": (under(EmptyOnMeta), None),
    "function mode": (under(EmptyLikeOnMeta), None),
    "device": (under(lambda: torch.device("meta")), None),
    "vmap": (lambda call: torch.func.vmap(call)(X), rf"such as vmap.*{FOLLOWED}"),
    "vmap, a constant": (beside(lambda program: torch.func.vmap(program)(X)), None),
    "grad": (lambda call: torch.func.grad(lambda x: call(x).sum())(X), FOLLOWED),
    "grad, a constant": (beside(lambda program: torch.func.grad(program)(X)), None),
    "jvp": (lambda call: torch.func.jvp(call, (X,), (X,)), FOLLOWED),
    "jvp, a constant": (beside(lambda program: torch.func.jvp(program, (X,), (X,))), None),
    "functionalize": (lambda call: torch.func.functionalize(call)(X), FOLLOWED),
    "functionalize, a constant": (beside(lambda p: torch.func.functionalize(p)(X)), None),
    "functional_call": (
        lambda call: torch.func.functional_call(
            OfParameter(call, False), {"parameter": X.clone()}, (X,)
        ),
        None,
    ),
    "parameter": (lambda call: OfParameter(call)(X), r"requires grad"),
    "no_grad": (torch.no_grad()(lambda call: OfParameter(call)(X)), None),
    "inference_mode": (under(torch.inference_mode), None),
    "inference tensor": (lambda call: call(torch.inference_mode()(X.clone)()), None),
    "meta": (lambda call: call(X.to("meta")), "on meta .*; a dense CPU tensor is expected$"),
    "subclass": (lambda call: call(X.as_subclass(Own)), None),
    "freed": (lambda call: call(freed()), "is a torch tensor without memory"),
    "tangent": (with_tangent, "forward derivative"),
    "negated": (lambda call: call(torch._neg_view(-X)), None),
}


@pytest.mark.parametrize("cached", [False, True], ids=["first call", "cached call"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CALLS)
def test_the_answer_is_that_of_the_first_call(name: str, way: str, cached: bool) -> None:
    call = CALLS[name]
    expected = call(X).clone()
    if not cached:
        call_cache.LAST_USED.clear()
        call_cache._CACHED_CALLS.clear()
    run, problem = WAYS[way]
    if problem is None:
        found = run(call)
        assert type(found) is torch.Tensor
        torch.testing.assert_close(found, expected, rtol=0, atol=0)
    else:
        OUT.fill_(7.0)
        with pytest.raises(ar.ArgumentTypeError, match=problem):
            run(call)
        assert torch.equal(OUT, torch.full((2, 2), 7.0))
    assert torch.equal(call(X), expected)
