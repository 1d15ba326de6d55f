"""The overrides: PyTorch's meaning at every edge, its layouts, and when they hold."""

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from random import Random
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F

import ascendref as ar
import ascendref.torch as at

from ..device.fault_injection import inject, instructions, interrupt
from ..support.alarm import alarm
from ..support.operands import beyond_exp
from ..support.rounding import exact

aten = torch.ops.aten
inf, nan = float("inf"), float("nan")
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
EDGES = (0, -0.0, 1, -1, 0.5, -0.5, 0.3, 0.7, inf, -inf, nan, 15, -15, 20, 25, 200, -200, 1e4, -1e4)
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 1e-5, torch.float64: 1e-12}

Scalars = list[tuple[Any, ...]]
LAMBDAS: Scalars = [(value,) for value in (0.5, -0.5, 0.3, 0, inf, nan)]
BETAS: Scalars = [(1, 20), (2.5, 20), (-1, 20), (0, 20), (0, -1), (inf, 20), (0.1, 5)]
BETAS += [(1, threshold) for threshold in (inf, nan, 1000.0)]
BOUNDS: Scalars = [(-1, 1), (-0.3, 0.7), (0, 6), (1, -1), (-inf, inf), (nan, 1), (-1, nan)]
EPS: Scalars = [(eps,) for eps in (None, -1.0, 0.0, 0.3, 0.5, 1.0, 2.0, inf, -inf, 1e-6)]
LIMITS = (0.5, 0, -0.5, 0.3, inf, -inf, nan)

#: operator of PyTorch -> (number of tensors, scalars)
SCALARS: dict[str, tuple[int, Scalars]] = {
    "hardshrink": (1, LAMBDAS),
    "hardshrink_backward": (2, LAMBDAS),
    "softshrink": (1, [(0.5,), (0.3,), (0,), (1e-3,)]),
    "softshrink_backward": (2, LAMBDAS),
    "hardtanh": (1, BOUNDS),
    "hardtanh_backward": (2, BOUNDS),
    "softplus": (1, BETAS),
    "softplus_backward": (2, BETAS),
    "smooth_l1_loss_backward": (
        3,
        [(r, beta) for r in (0, 2) for beta in (0.0, 1.0, 0.5, 0.3, 2.5, inf, 1 + 1e-9)],
    ),
    "relu": (1, [()]),
    "relu_": (1, [()]),
    "threshold": (1, list(product(LIMITS, LIMITS))),
    "threshold_backward": (2, [(value,) for value in LIMITS]),
    "logit": (1, EPS),
    "logit_backward": (2, EPS),
    "leaky_relu": (1, [(0.01,), (-2.5,), (0.0,), (inf,), (nan,)]),
    "leaky_relu_backward": (
        2,
        [(0.01, False), (-2.5, False), (0.5, True), (inf, False), (nan, False)],
    ),
    "hardswish": (1, [()]),
    "hardswish_backward": (2, [()]),
    "hardsigmoid": (1, [()]),
    "hardsigmoid_backward": (2, [()]),
    "elu": (1, [(1, 1, 1), (1.7, 1.05, 0.3), (-0.7, 2.0, -0.5), (1, nan, 1)]),
    "elu_backward": (
        2,
        [
            *[(*s, flag) for s in ((1, 1, 1), (1.7, 1.05, 0.3)) for flag in (False, True)],
            (-0.7, 2.0, -0.5, False),
            (inf, 1, 1, False),
            (1, nan, 1, True),
        ],
    ),
}


def grid(count: int, dtype: Any) -> list[torch.Tensor]:
    """Return all combinations of edges."""
    edges = torch.tensor(EDGES, dtype=dtype)
    if count == 1:  # enough for vectors
        return [edges.repeat(5)]
    if count == 3:
        edges = edges[:12]
    return [t.flatten().contiguous() for t in torch.meshgrid([edges] * count, indexing="ij")]


def fell_back(name: str) -> int:
    return at.statistics()[name].fell_back


#: operators whose edges are tested every day
EVERY_DAY = ("elu_backward", "relu", "threshold")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.every_operator] * (name in EVERY_DAY))
        for name in SCALARS
    ],
)
def test_edges_are_those_of_pytorchs_loop_over_single_elements(name: str, dtype: Any) -> None:
    """Zeros' signs included."""
    count, rows = SCALARS[name]
    tensors, function = grid(count, dtype), name.removesuffix("_backward").removesuffix("_")

    def call(tensors: list[Any], scalars: tuple[Any, ...]) -> Any:
        if name == "elu_backward":  # takes its scalars before the last tensor
            return aten.elu_backward(tensors[0], *scalars, tensors[1])
        return getattr(aten, name)(*[t.clone() for t in tensors], *scalars)

    before = fell_back(function)
    # PyTorch multiplies hardsigmoid's gradient by a sixth of F32, F64 data too
    rtol = max(TOLERANCE[dtype], 1e-7 if name == "hardsigmoid_backward" else 0.0)
    if function in ("relu", "threshold"):
        rtol = 0.0
    for scalars in rows:
        singles = [call([t[k : k + 1] for t in tensors], scalars) for k in range(len(tensors[0]))]
        expected = torch.cat(singles)
        with at.use("all"):
            found = call(tensors, scalars)
        torch.testing.assert_close(
            found, expected, rtol=rtol, atol=0, equal_nan=True, msg=str(scalars)
        )
        zeros = (found == 0) & (expected == 0)
        assert torch.equal(found.signbit()[zeros], expected.signbit()[zeros]), scalars
    assert fell_back(function) == before


@pytest.mark.parametrize("dtype", FLOATS[1:], ids=str)
def test_softplus_divides_by_exponentials_beyond_its_type(dtype: Any) -> None:
    arrays = beyond_exp(str(dtype).removeprefix("torch."), 1000)
    grad, x = (torch.tensor(exact(array)).to(dtype) for array in arrays)
    want = ar.softplus_backward(grad, x)
    assert torch.count_nonzero(want) > 500
    with at.use("all"):
        assert torch.equal(aten.softplus_backward(grad, x, 1, 20), want)
    x.requires_grad_()
    at.ops.softplus(x).backward(grad)
    assert torch.equal(x.grad, want)


@pytest.mark.parametrize(("dtype", "grad", "x"), [("float32", 1e38, -90), ("float64", 1e300, -715)])
def test_softplus_divides_as_pytorch_multiplies(dtype: str, grad: float, x: float) -> None:
    tensors = [torch.tensor([value], dtype=getattr(torch, dtype)) for value in (grad, x)]
    expected = aten.softplus_backward(*tensors, 1, 20)  # its exp(x) is subnormal
    with at.use("all"):
        found = aten.softplus_backward(*tensors, 1, 20)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=0)
    assert found != 0


def layouts(shape: tuple[int, ...]) -> list[torch.Tensor]:
    """Return tensors of a shape, and some that broadcast to it, in many layouts."""
    x = torch.rand(shape)
    made = [x, torch.rand(()).expand(shape), torch.rand(())]
    if len(shape) == 4:
        made.append(x.to(memory_format=torch.channels_last))
    if len(shape) >= 2:
        made.append(torch.rand(shape[::-1]).permute(*reversed(range(len(shape)))))
        made.append(torch.rand(*shape[:-1], 2 * shape[-1])[..., ::2])
        made.append(torch.rand(shape[-1:]))
        odd = [7 if size == 1 else step for size, step in zip(shape, x.stride(), strict=True)]
        made.append(torch.rand(2000).as_strided(shape, odd))
    return made


@pytest.mark.parametrize(
    "shape", [(), (1,), (5,), (0,), (1, 4), (4, 1), (2, 0, 3), (2, 3, 4, 5), (1, 3, 1, 5)]
)
def test_shapes_and_strides_are_pytorchs(shape: tuple[int, ...]) -> None:
    def prelu(weight: torch.Tensor) -> Callable[..., Any]:
        def gradients(grad: torch.Tensor, x: torch.Tensor) -> Any:
            given = [(x - 0.5).requires_grad_(), weight.clone().requires_grad_()]
            return torch.autograd.grad(F.prelu(*given), given, grad.expand(shape))

        return gradients

    def full_size(weight: torch.Tensor) -> Callable[..., Any]:
        factor = weight.reshape([1, -1] + [1] * (len(shape) - 2)) if len(shape) > 1 else weight
        return lambda grad, x: aten._prelu_kernel_backward(grad, x - 0.5, factor)

    calls: list[Callable[..., Any]] = [
        lambda grad, x: aten.hardshrink_backward(grad, x, 0.5),
        lambda grad, x: aten.softplus_backward(grad, x, 1, 20),
        lambda grad, x: aten.logit_backward(grad, x, 1e-3),
    ]
    whole: list[Callable[..., Any]] = [
        lambda grad, x: aten.smooth_l1_loss_backward(grad, x, x / 2, 1, 0.5)
    ]
    for weight in [torch.rand(1), *([torch.rand(shape[1])] if len(shape) > 1 else [])]:
        whole += [prelu(weight), full_size(weight)]
    for grad, x in product(layouts(shape), repeat=2):
        for call in calls + (whole if x.shape == shape else []):
            expected = call(grad, x)
            with at.use("all"):
                found = call(grad, x)
            torch.testing.assert_close(found, expected, check_stride=True, rtol=1e-5, atol=1e-6)


def test_outputs_are_written_where_they_are() -> None:
    grad, x = torch.rand(3, 4), torch.rand(3, 4)
    for out in (torch.empty(3, 4), torch.empty(4, 3).t(), torch.empty(3, 8)[:, ::2]):
        expected = aten.hardshrink_backward(grad, x, 0.5)
        with at.use("all"):
            assert aten.hardshrink_backward(grad, x, 0.5, grad_input=out) is out
        assert torch.equal(out, expected)
    before = fell_back("hardshrink")
    in_place = grad.clone()
    with at.use("all"):
        aten.hardshrink_backward(in_place, x, 0.5, grad_input=in_place)
        assert fell_back("hardshrink") == before
        aten.hardshrink_backward(grad, x, 0.5, grad_input=torch.empty(0))
        with pytest.raises(RuntimeError, match="single memory location"):
            aten.hardshrink_backward(grad, x, 0.5, grad_input=torch.empty(1).expand(3, 4))
    assert torch.equal(in_place, expected)
    assert fell_back("hardshrink") == before + 2


@pytest.mark.parametrize(
    ("call", "name", "why"),
    [
        (lambda: aten.logit_backward(*torch.rand(2, 3), nan), "logit", "eps is NaN"),
        (
            lambda: aten.hardshrink_backward(torch.ones(3), torch.ones(3).double(), 0.5),
            "hardshrink",
            "types differ",
        ),
        (
            lambda: aten.softplus_backward(
                torch.ones([2] * 9), torch.ones([2] * 9).transpose(0, 8), 1, 20
            ),
            "softplus",
            "a rank is above 8",
        ),
        (
            lambda: aten.smooth_l1_loss_backward(*torch.rand(3, 4).double(), 0, 1e-200),
            "smooth_l1_loss",
            "beta is not in the range of normal FLOAT numbers",
        ),
    ],
)
def test_what_falls_back_is_counted(call: Callable[[], Any], name: str, why: str) -> None:
    expected = call()
    before = at.statistics()[name]
    with at.use("all"):
        found = call()
    now = at.statistics()[name]
    assert now.taken == before.taken
    assert now.why.get(why, 0) == before.why.get(why, 0) + 1
    assert now.fell_back == sum(now.why.values()) == before.fell_back + 1
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype


#: calls with a scalar that PyTorch converts to the data's type, or to F32
CONVERTED: dict[str, Callable[[Any, float], Any]] = {
    "softshrink": aten.softshrink,
    "hardshrink": aten.hardshrink,
    "threshold": lambda x, v: aten.threshold(x, v, 0.0),
    "value": lambda x, v: aten.threshold(x, 0.0, v),
    "hardtanh": lambda x, v: aten.hardtanh(x, -v, v),
    "elu": aten.elu,
    "leaky_relu": aten.leaky_relu,
    "celu": aten.celu,
    "softplus": aten.softplus,
    "logit": aten.logit,
    "softshrink_backward": lambda x, v: aten.softshrink_backward(x, x, v),
    "hardshrink_backward": lambda x, v: aten.hardshrink_backward(x, x, v),
    "threshold_backward": lambda x, v: aten.threshold_backward(x, x, v),
    "softplus_backward": lambda x, v: aten.softplus_backward(x, x, v, 20.0),
    "logit_backward": lambda x, v: aten.logit_backward(x, x, v),
    "smooth_l1_loss": lambda x, v: aten.smooth_l1_loss(x, x, 1, v),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("name", CONVERTED)
def test_scalars_next_to_the_largest_number_are_refused_where_pytorch_does(
    name: str, dtype: Any
) -> None:
    x, largest = torch.tensor([0.5, 1.0, -2.0], dtype=dtype), torch.finfo(dtype).max
    above = math.nextafter(largest, math.inf)
    rounds_to_it = largest * (1 + torch.finfo(dtype).eps / 8)
    functions = [CONVERTED[name]]
    if name in ("softshrink", "hardshrink", "softplus", "logit"):
        functions.append(getattr(at.ops, name))
    for value in (largest, above, rounds_to_it, 1e39, math.inf):
        for scalar in (value, -value):
            refused = [raises(functions[0], x, scalar)]
            with at.use("all"):
                refused += [raises(function, x, scalar) for function in functions]
            assert len(set(refused)) == 1, (scalar, refused)


def raises(function: Callable[..., Any], *arguments: Any) -> bool:
    """Tell whether a call raises what PyTorch and ascendref raise for a bad scalar."""
    try:
        function(*arguments)
    except (RuntimeError, ValueError):
        return True
    return False


@pytest.mark.parametrize("compute", ["float64", "exact"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_softplus_that_is_rounded_once_knows_no_overflow(dtype: Any, compute: str) -> None:
    """log(1 + exp(βx)) / β is x for a large βx, and its derivative is 1."""
    for beta, threshold in ((1e30, 1e30), (1e4, 1e6), (1e30, math.inf)):
        x = torch.tensor([0.5, 2.0, 37.0], dtype=dtype, requires_grad=True)
        value = at.ops.softplus(x, beta, threshold, compute_dtype=compute)
        with at.use("all", compute_dtype=compute):
            overridden = torch.nn.functional.softplus(x, beta, threshold)
            (slope,) = torch.autograd.grad(overridden.sum(), x)
        (gradient,) = torch.autograd.grad(value.sum(), x)
        assert value.tolist() == overridden.tolist() == x.tolist()
        assert gradient.tolist() == slope.tolist() == [1.0] * 3


@pytest.mark.parametrize("compute", ["bfloat16", "float64"])
def test_the_compute_type_is_that_of_the_array_functions(compute: str) -> None:
    generator = torch.Generator().manual_seed(1)
    grad, x = torch.randn(2, 500, generator=generator).bfloat16()
    with at.use("all", compute):
        found = aten.softplus_backward(grad, x, 1.5, 20)
    assert torch.equal(found, ar.softplus_backward(grad, x, 1.5, 20.0, compute_dtype=compute))
    weight = torch.tensor([0.25], dtype=torch.bfloat16, requires_grad=True)
    with at.use(compute_dtype=getattr(torch, compute)):
        (found,) = torch.autograd.grad(F.prelu(x, weight), weight, grad)
    _, expected = ar.prelu_backward(grad, x, weight.detach(), compute_dtype=compute)
    assert torch.equal(found, expected)


def test_float64_scalars_are_not_narrowed() -> None:
    x = torch.tensor([0.1], dtype=torch.float64)
    with at.use("all"):
        assert aten.hardshrink_backward(x, x, 0.1).item() == 0
        beta = 1 / 3
        found = aten.softplus_backward(torch.ones_like(x), x, beta, 20)
    assert found.item() == pytest.approx(torch.sigmoid(beta * x).item(), rel=3e-16)


@pytest.mark.parametrize("layout", ["contiguous", "channels_last"])
def test_the_gradient_of_a_weight_is_summed_in_one_pass(layout: str) -> None:
    x = torch.randn(4, 6, 9, 7).bfloat16()
    if layout == "channels_last":
        x = x.to(memory_format=torch.channels_last)
    weight = torch.rand(6).bfloat16()
    grad = torch.randn_like(x)
    given = [x.clone().requires_grad_(), weight.requires_grad_()]
    result = F.prelu(*given)
    with at.use():
        found = torch.autograd.grad(result, given, grad)
    expected = ar.prelu_backward(grad, x, weight.detach())
    assert found[0].stride() == x.stride()
    for a, b in zip(found, expected, strict=True):
        assert torch.equal(a, b)


def test_recorded_traced_and_direct_calls_get_the_full_size_gradient() -> None:
    from torch.fx.experimental.proxy_tensor import make_fx

    x, weight = torch.randn(4, 3, 5), torch.rand(3)

    def gradients(x: torch.Tensor, weight: torch.Tensor, **options: Any) -> Any:
        given = [x.clone().requires_grad_(), weight.clone().requires_grad_()]
        return torch.autograd.grad(F.prelu(*given).square().sum(), given, **options)

    expected = gradients(x, weight)
    with at.use():
        traced = make_fx(lambda x, weight: gradients(x, weight))(x, weight)
        torch.testing.assert_close(gradients(x, weight, create_graph=True), expected)
        terms = aten._prelu_kernel_backward(x, x, weight.view(1, 3, 1))[1]
    assert terms.shape == x.shape
    torch.testing.assert_close(tuple(traced(x, weight)), expected)


# --- when they hold -------------------------------------------------------------------------------


def taken(name: str = "hardshrink") -> bool:
    """Tell whether a call is computed by ascendref now."""
    before = at.statistics()[name].taken
    x = torch.ones(3, requires_grad=True)
    getattr(F, name)(x, *([torch.ones(1)] if name == "prelu" else [])).sum().backward()
    return at.statistics()[name].taken > before


def test_the_default_takes_prelu_alone_and_all_of_it_is_undone() -> None:
    assert not taken("prelu")
    at.enable()
    try:
        assert taken("prelu")
        assert not taken()
        at.enable("all")
        assert taken()
    finally:
        at.disable()
    assert not taken()
    assert not taken("prelu")
    at.disable()


def test_settings_are_nested() -> None:
    with at.use("hardshrink"):
        with at.use(["softplus"]):
            assert taken("softplus")
            assert not taken()
        assert taken()
        with pytest.raises(KeyError), at.use("softplus"):
            raise KeyError
        at.enable("softplus")
        assert not taken()
        at.disable()
        assert taken()
    assert not taken()


def test_settings_of_several_threads_end_in_any_order() -> None:
    begun, over = threading.Event(), threading.Event()

    def other() -> None:
        with at.use("all"):
            begun.set()
            over.wait(60)

    thread = threading.Thread(target=other)
    with at.use("hardshrink"):
        thread.start()
        assert begun.wait(60)
        assert taken("softplus")
    assert taken()
    over.set()
    thread.join()
    assert not taken()


def test_threads_switch_while_others_compute() -> None:
    def work(name: str) -> None:
        for _ in range(30):
            with at.use(name):
                x = torch.ones(64, requires_grad=True)
                F.hardshrink(x).sum().backward()
                assert torch.equal(x.grad, torch.ones(64))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, ("all", "hardshrink") * 2))
    assert not taken()


def registered() -> list[str]:
    """Return which of three operators are computed by ascendref now."""
    return [name for name in ("hardshrink", "softplus", "prelu") if taken(name)]


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_an_interrupted_block_leaves_nothing_behind(step: int) -> None:
    def call() -> None:
        try:
            with at.use(["softplus", "prelu"]):
                pass
        except KeyboardInterrupt:  # its traceback is alive here
            assert registered() == ["hardshrink"]
            raise

    for instruction in instructions(step):
        with at.use("hardshrink"):
            reached = inject(call, instruction, interrupt)
            assert registered() == ["hardshrink"], instruction
        assert registered() == [], instruction
        if not reached:
            break
    assert instruction > 200


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("before", [[], ["softplus"]])
@pytest.mark.parametrize("after", [[], ["hardshrink"]])
def test_an_interrupted_enable_or_disable_is_done_or_not(
    before: list[str], after: list[str], step: int
) -> None:
    seen = set()
    for instruction in instructions(step):
        if before:
            at.enable(before)
        call = (lambda: at.enable(after)) if after else at.disable
        reached = inject(call, instruction, interrupt)
        found = registered()
        assert found in (before, after), instruction
        seen.add(tuple(found))
        with at.use("prelu"):
            assert registered() == ["prelu"]
        assert registered() == found, instruction
        at.disable()
        assert registered() == [], instruction
        if not reached:
            break
    assert seen == {tuple(before), tuple(after)}


def test_interrupts_at_any_time_leave_nothing_behind() -> None:
    random = Random(1)
    hits = 0
    with alarm(KeyboardInterrupt) as interrupt_after:
        for _ in range(100):
            try:
                interrupt_after(random.uniform(1e-6, 1e-3))
                for _ in range(20):
                    with at.use("hardshrink"):
                        pass
                interrupt_after(0)
            except KeyboardInterrupt:
                hits += 1
            assert registered() == []
    assert hits > 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *[
            ((ops,), "ops has .*; allowed are 'all', 'binary_cross_entropy'")
            for ops in ("swish", ("prelu", "swish"), (1,))
        ],
        ((7,), "ops is 7; a name or several"),
        (("all", "int8"), "compute_dtype is 'int8'"),
    ],
)
@pytest.mark.parametrize("function", [at.enable, at.use])
def test_bad_arguments_are_named(function: Any, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ar.ArgumentError, match=f"^{message}"):
        function(*arguments)
    assert not taken("prelu")
