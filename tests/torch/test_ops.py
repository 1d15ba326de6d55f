"""The custom operators: PyTorch's own checks, any order of derivatives, batches, compilation."""

from contextlib import nullcontext
from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode

import ascendref as ar
import ascendref.torch as at
from ascendref.core.dtypes import FLOAT32
from ascendref.declaration.scalars import check_array_scalar, single
from ascendref.differentiable import Function
from ascendref.torch.override import Override
from ascendref.torch.overrides import FUNCTIONS, KERNELS, OVERRIDES, value_by_pytorch

from ..support.cases import DECLARED

# PyTorch loads its forward derivatives with what it deprecates
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")

#: function -> scalars that are not the defaults, as the operator takes them
SCALARS: dict[str, tuple[Any, ...]] = {
    "hardshrink": (0.25,),
    "leaky_relu": (0.25,),
    "hardtanh": (-0.5, 0.75),
    "softshrink": (0.25,),
    "softplus": (1.5, 1.0),
    "smooth_l1_loss": (1, 0.5),
    "logit": (0.1,),
    "swish": (0.7,),
    "threshold": (0.25, 0.5),
}
#: functions of probabilities
PROBABILITIES = ("binary_cross_entropy", "kl_div", "logit")
GRADIENTS = [name for name, function in FUNCTIONS.items() if function.gradient is not None]
VALUES = [name for name, function in FUNCTIONS.items() if function.computes_value]
#: these are tested every day; celu's gradient is PyTorch's
each_declared = pytest.mark.parametrize(
    "function", [FUNCTIONS[name] for name in (*DECLARED, "celu")], ids=[*DECLARED, "celu"]
)


def shapes_of(name: str) -> tuple[tuple[int, ...], ...]:
    function = FUNCTIONS[name]
    if function.operator.per_channel:
        return (4, 3, 2), (3,)
    if function.takes_halves:
        return ((4, 6),)
    return ((4, 3),) * len(function.operands)


def scalars_of(name: str) -> tuple[Any, ...]:
    return SCALARS.get(name, FUNCTIONS[name].numbers(())[: len(FUNCTIONS[name].scalars)])


def tensors(name: str, **options: Any) -> list[torch.Tensor]:
    """Return numbers between 0.05 and 0.95 for probabilities, -1.5 and 1.5 for the others."""
    generator = torch.Generator().manual_seed(3)
    made = []
    for shape in shapes_of(name):
        x = torch.rand(shape, generator=generator, dtype=options.get("dtype", torch.float64))
        x = x * 0.9 + 0.05 if name in PROBABILITIES else x * 3 - 1.5
        made.append(x.requires_grad_(options.get("requires_grad", True)))
    return made


@each_declared
def test_pytorch_finds_the_operators_well_defined(function: Function) -> None:
    name = function.name
    scalars, given = scalars_of(name), tensors(name)
    op = getattr(torch.ops.ascendref, name)
    torch.library.opcheck(op.default, (*given, *scalars, None))
    if name not in GRADIENTS:
        return
    backward = getattr(torch.ops.ascendref, f"{name}_backward").default
    grad = torch.rand_like(op(*given, *scalars, None))
    torch.library.opcheck(backward, (grad.requires_grad_(), *given, *scalars, None))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_any_order_are_those_of_pytorch(name: str) -> None:
    scalars, given = scalars_of(name), tensors(name)
    op = getattr(torch.ops.ascendref, name)
    assert torch.autograd.gradcheck(lambda *args: op(*args, *scalars, None), given)
    assert torch.autograd.gradgradcheck(lambda *args: op(*args, *scalars, None), given)
    result = op(*given, *scalars, None)
    expected = value_by_pytorch(FUNCTIONS[name], tuple([x.detach() for x in given]), scalars)
    if FUNCTIONS[name].computes_value:
        allowed = tolerance(FUNCTIONS[name].declared, scalars, given, expected)
        assert ((result - expected).abs() <= allowed).all()
    else:  # PyTorch computes it
        torch.testing.assert_close(result, expected, rtol=0, atol=0)


def tolerance(
    operator: Any, scalars: tuple[Any, ...], given: list[torch.Tensor], expected: torch.Tensor
) -> torch.Tensor:
    """Return twice the bound that the operator states for its own arithmetic, F64 by F64."""
    numbers = [check_array_scalar(p, x) for p, x in zip(operator.scalars, scalars, strict=True)]
    names = [param.name for param in operator.scalars]
    named = dict(zip(names, numbers, strict=True)) | {"part": 0}
    bound = operator.accuracy(FLOAT32, named, expected.numel())
    ulp = torch.full_like(expected, bound.ulp)
    if bound.more is not None:
        operands = operator.operands(tuple([x.detach().numpy() for x in given]), numbers)
        ulp += torch.from_numpy(bound.more(*operands))
    return 2 * ulp * torch.finfo(torch.float64).eps * expected.abs()


ONE = torch.ones(2)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        *[
            ("binary_cross_entropy", arguments, f"{name} is .*; a torch.Tensor is expected")
            for name, arguments in (
                ("input", (None, ONE)),
                ("input", ([1.0], ONE)),
                ("target", (ONE, None)),
                ("weight", (ONE, ONE, 2.0)),
            )
        ],
        ("smooth_l1_loss", (ONE, ONE, "all"), "reduction is 'all'; allowed are 'none', "),
        ("smooth_l1_loss", (ONE, ONE, [1]), r"reduction is \[1\]; allowed are 'none', "),
    ],
)
def test_bad_arguments_are_named(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ar.ArgumentError, match=f"^{message}"):
        getattr(at.ops, name)(*arguments)
    with pytest.raises(ar.ArgumentTypeError, match=r"^compute_dtype is 'int8'; allowed are None, "):
        at.ops.softplus(ONE, compute_dtype="int8")
    with pytest.raises(ar.ArgumentTypeError, match="model is 3; a torch"):
        at.replace_modules(3)


def test_hard_labels_have_derivatives() -> None:
    label, factor = torch.tensor([[0.0], [1.0], [0.5]]), torch.tensor([0.0, 1.0, 2.0])
    x = torch.tensor([-1.0, 0.5, 2.0])[:, None, None]
    given = [t.double() for t in torch.broadcast_tensors(x, label, factor)]

    def derivatives(function: Any) -> list[Any]:
        x, target = (t.clone().requires_grad_() for t in given[:2])
        loss = function(x, target, pos_weight=given[2], reduction="sum")
        first = torch.autograd.grad(loss, (x, target), create_graph=True)
        second = torch.autograd.grad(first[0].sum(), (x, target))
        return [*first, *second]

    ours, theirs = at.ops, torch.nn.functional
    name = "binary_cross_entropy_with_logits"
    got, want = (derivatives(getattr(of, name)) for of in (ours, theirs))
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_fake_tensors_have_derivatives(name: str) -> None:
    mode = FakeTensorMode()
    given = [mode.from_tensor(x) for x in tensors(name)]
    result = getattr(torch.ops.ascendref, name)(*given, *scalars_of(name), None)
    first = torch.autograd.grad(result.square().sum(), given, create_graph=True)
    with mode:  # PyTorch's derivatives of selections make new tensors
        second = torch.autograd.grad(sum([x.square().sum() for x in first]), given)
    assert [x.shape for x in second] == [x.shape for x in first] == [x.shape for x in given]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_batch_is_each_of_its_elements(name: str, axis: int) -> None:
    scalars, operands = scalars_of(name), tensors(name, requires_grad=False)
    forward = getattr(torch.ops.ascendref, name)
    check_batches(forward, operands, scalars, axis)
    if name in GRADIENTS:
        result = forward(*operands, *scalars, None)
        grad = torch.linspace(-1, 1, 24, dtype=torch.float64)[: result.numel()]
        backward = getattr(torch.ops.ascendref, f"{name}_backward")
        check_batches(backward, [grad.reshape(result.shape), *operands], scalars, axis)


def check_batches(
    op: Any, operands: list[torch.Tensor], scalars: tuple[Any, ...], axis: int
) -> None:
    """Compare an operator on a batch, of any of its operands, with the operator on each element."""

    def results(*given: torch.Tensor) -> tuple[torch.Tensor, ...]:
        made = op(*given, *scalars, None)
        return made if isinstance(made, tuple) else (made,)

    for batched in product((True, False), repeat=len(operands)):
        if not any(batched):
            continue
        axes = tuple(
            min(axis, t.dim()) if b else None for b, t in zip(batched, operands, strict=True)
        )
        stacked = [
            t if a is None else torch.stack([t, t / 2], a)
            for t, a in zip(operands, axes, strict=True)
        ]
        found = torch.func.vmap(results, axes)(*stacked)
        for k in range(2):
            each = [t if a is None else t.select(a, k) for t, a in zip(stacked, axes, strict=True)]
            for whole, part in zip(found, results(*each), strict=True):
                torch.testing.assert_close(whole[k], part)


@pytest.mark.parametrize("shape", [(), (4,)])
def test_a_batch_with_one_weight(shape: tuple[int, ...]) -> None:
    x, weight = torch.randn(shape, dtype=torch.float64), torch.tensor(0.25, dtype=torch.float64)
    check_batches(torch.ops.ascendref.prelu, [x, weight], (), 0)
    check_batches(torch.ops.ascendref.prelu_backward, [x + 1, x, weight], (), 0)


@pytest.mark.parametrize("compute", ["bfloat16", "float64"])
def test_gradients_have_the_bits_of_the_array_functions(compute: str) -> None:
    generator = torch.Generator().manual_seed(5)
    x = torch.randn(6, 4, 5, dtype=torch.bfloat16, generator=generator).requires_grad_()
    weight = torch.rand(4, dtype=torch.bfloat16, generator=generator).requires_grad_()
    seed = torch.randn(6, 4, 5, dtype=torch.bfloat16, generator=generator)
    found = torch.autograd.grad(at.ops.prelu(x, weight, compute_dtype=compute), (x, weight), seed)
    with torch.no_grad():
        expected = ar.prelu_backward(seed, x, weight, compute_dtype=compute)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


@each_declared
def test_compiled_programs_have_no_graph_break(function: Function) -> None:
    name = function.name
    scalars = scalars_of(name)
    op = getattr(torch.ops.ascendref, name)
    given = tensors(name, dtype=torch.float32)

    def program(*given: torch.Tensor) -> torch.Tensor:
        return op(*[x * 1.0 for x in given], *scalars, None).sum()

    torch.compiler.reset()  # it gives up after compiling this program for several functions
    compiled = torch.compile(program, backend="aot_eager", fullgraph=True)
    found = torch.autograd.grad(compiled(*given), given)
    expected = torch.autograd.grad(program(*given), given)
    torch.testing.assert_close(found, expected, rtol=0, atol=0)


def test_modules_are_replaced_with_all_that_belongs_to_them() -> None:
    class Own(torch.nn.PReLU):
        pass

    shared = torch.nn.PReLU(3)
    model = torch.nn.Sequential(shared, torch.nn.Sequential(shared, Own()), torch.nn.ReLU())
    weights = [id(weight) for weight in model.parameters()]
    calls = []
    shared.register_forward_hook(lambda *args: calls.append(args))
    names = list(model.state_dict())
    assert at.replace_modules(model) is model
    assert type(model[0]) is at.PReLU
    assert model[0] is model[1][0]
    assert type(model[1][1]) is Own
    assert [id(weight) for weight in model.parameters()] == weights
    assert list(model.state_dict()) == names
    before = at.statistics()["prelu"].taken
    model(torch.randn(2, 3)).sum().backward()
    assert len(calls) == 2
    assert at.statistics()["prelu"].taken == before + 2
    assert type(at.replace_modules(torch.nn.PReLU())) is at.PReLU


def test_forward_derivatives_are_refused() -> None:
    x, weight = torch.randn(2, 3), torch.rand(3)
    for argument, call in (
        ("input", lambda: torch.func.jvp(at.ops.silu, (x,), (x,))),
        ("target", lambda: torch.func.jvp(lambda y: at.ops.mse_loss(x, y), (x,), (x,))),
        ("weight", lambda: torch.func.jacfwd(lambda weight: at.ops.prelu(x, weight))(weight)),
    ):
        with pytest.raises(ar.ArgumentTypeError, match=f"^{argument} has a forward derivative"):
            call()
    _, tangent = torch.func.jvp(lambda y: y * at.ops.silu(x), (x,), (x,))
    torch.testing.assert_close(tangent, x * at.ops.silu(x))


def test_calls_are_recorded_and_seen_as_pytorchs_functions_are() -> None:
    class Own(torch.Tensor):
        pass

    x, target = torch.randn(2, 3), torch.randn(2, 3)
    model = torch.nn.Sequential(at.replace_modules(torch.nn.PReLU(3)), torch.nn.Linear(3, 2))
    traced = torch.fx.symbolic_trace(model)
    torch.testing.assert_close(traced(x), model(x), rtol=0, atol=0)
    assert at.ops.prelu in [node.target for node in traced.graph.nodes]
    traced = torch.fx.symbolic_trace(lambda x, y: at.ops.mse_loss(x * 2, y, reduction="sum"))
    torch.testing.assert_close(traced(x, target), at.ops.mse_loss(x * 2, target, "sum"))
    assert type(at.ops.mse_loss(x, target.as_subclass(Own))) is Own


def float32_scalars(name: str) -> tuple[float, ...]:
    """Return a function's scalars as the array functions narrow them, if they are not defaults."""
    return tuple(map(single, SCALARS.get(name, ())))


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64], ids=str)
def test_values_have_the_bits_of_the_array_functions(name: str, dtype: Any) -> None:
    x, *others = tensors(name, dtype=dtype, requires_grad=False)
    rest = *others, *float32_scalars(name)
    expected = getattr(ar, name)(x, *rest)
    found = [getattr(at.ops, name)(x, *rest)]
    if isinstance(KERNELS[name].value, Override):
        before, calls = at.statistics()[name].taken, [getattr(torch.ops.aten, name)]
        if hasattr(torch.ops.aten, f"{name}_"):
            calls.append(getattr(torch.ops.aten, f"{name}_"))
        with at.use(name):
            found += [call(x.clone(), *rest) for call in calls]
        assert at.statistics()[name].taken == before + len(calls)
    for value in found:
        torch.testing.assert_close(value, expected, rtol=0, atol=0)


@pytest.mark.parametrize(
    "name", [name for name in VALUES if name in GRADIENTS and len(FUNCTIONS[name].operands) == 1]
)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_gradients_of_functions_have_the_bits_of_the_array_functions(name: str, dtype: Any) -> None:
    function = FUNCTIONS[name]
    (x,) = tensors(name, dtype=dtype)
    scalars = float32_scalars(name)
    value = getattr(at.ops, name)(x, *scalars)
    seed = torch.linspace(-2, 3, value.numel(), dtype=dtype).reshape(value.shape)
    given = [seed, seed]
    given[function.places[0]] = (value if function.forward.of_result else x).detach()
    numbers = function.kernel_scalars(scalars) if scalars or function.fixed else ()
    expected = getattr(ar, function.operator.name)(*given, *numbers)
    with at.use(name) if name in OVERRIDES else nullcontext():
        theirs = value_by_pytorch(function, (x,), function.numbers(scalars))
        gradients = [torch.autograd.grad(y, x, seed)[0] for y in (value, theirs)]
    torch.testing.assert_close(gradients[0], expected, rtol=0, atol=0)
    if isinstance(KERNELS[name].gradient, Override):
        torch.testing.assert_close(gradients[1], expected, rtol=0, atol=0)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_options_of_pytorchs_operators(approximate: str) -> None:
    x = torch.linspace(-3, 3, 50, dtype=torch.float64).requires_grad_()
    (expected,) = torch.autograd.grad(torch.nn.functional.gelu(x, approximate=approximate).sum(), x)
    before = at.statistics()["gelu"]
    with at.use("gelu"):
        value = torch.nn.functional.gelu(x, approximate=approximate)
        found = [*torch.autograd.grad(value.sum(), x)]
    found += torch.autograd.grad(at.ops.gelu(x, approximate).sum(), x)
    for value in found:
        torch.testing.assert_close(value, expected, rtol=0, atol=1e-15)
    after = at.statistics()["gelu"]
    # a value and a gradient each
    assert (after.taken, after.fell_back) == (before.taken + 4, before.fell_back)
