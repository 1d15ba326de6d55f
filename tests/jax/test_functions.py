"""Functions of ``ascendref.jax``: values, arguments, threads, processes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendref as ar

from ..support.cases import FLOATS, numbers
from ..support.processes import run
from ..support.rounding import FORMATS, assert_bits

jax = pytest.importorskip("jax", reason="jax is an extra")

from jax import numpy as jnp  # noqa: E402

import ascendref.jax as aj  # noqa: E402
from ascendref.core.extras import install_command  # noqa: E402
from ascendref.differentiable import differentiable_functions  # noqa: E402

#: JAX computes their values
LOSSES = [
    name for name, function in differentiable_functions().items() if not function.computes_value
]


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides the total loss")
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_are_those_of_torch(name: str, kind: str) -> None:
    torch = pytest.importorskip("torch", reason="torch is an extra")
    theirs = getattr(torch.nn.functional, name)
    x = np.linspace(0.05, 0.95, 45).reshape(3, 3, 5).astype(FORMATS[kind].dtype)
    wide = {"bfloat16": "float32", "float16": "float32"}.get(kind, kind)
    rounding = {"bfloat16": 2.0**-8, "float16": 2.0**-10}.get(kind, 3e-6)
    operands = [torch.from_numpy(array.astype(wide)) for array in (x, x[::-1].copy())]
    options: list[dict[str, Any]] = [{"reduction": r} for r in ("none", "mean", "sum")]
    if name == "smooth_l1_loss":
        options += [option | {"beta": beta} for option in options for beta in (0.5, 0.0)]
    if name == "kl_div":
        options += [{"reduction": "batchmean"}, {"log_target": True}]
    for option in options:
        with jax.enable_x64(True):
            got = getattr(aj, name)(x, x[::-1], **option)
        want = theirs(*operands, **option)
        assert got.dtype == x.dtype
        np.testing.assert_allclose(np.asarray(got, wide), want.numpy(), rtol=rounding, atol=1e-6)


WEAK = ("silu", "relu", "elu", "selu", "celu", "softplus", "leaky_relu", "mish", "log_sigmoid")


@pytest.mark.parametrize("name", WEAK)
def test_types_are_weak_where_those_of_jax_are(name: str) -> None:
    ours, theirs = getattr(aj, name), getattr(jax.nn, name)
    for operand in (0.5, jnp.asarray(0.5), jnp.full(3, 0.5), np.float32(0.5), jnp.float16(0.5)):
        for transform in (lambda f: f, jax.jit, jax.grad, lambda f: jax.vmap(f, axis_size=2)):
            if transform is jax.grad and np.ndim(operand):
                continue
            mapped = jnp.broadcast_to(operand, (2, *np.shape(operand)))
            given = operand if transform in (jax.jit, jax.grad) else mapped
            found, expected = transform(ours)(given), transform(theirs)(given)
            assert (found.dtype, found.weak_type) == (expected.dtype, expected.weak_type)
            np.testing.assert_allclose(found, expected, rtol=2e-3)
    wide = jnp.ones(2, jnp.bfloat16)
    assert (ours(0.5) * wide).dtype == jax.jit(lambda x: ours(x) * wide)(0.5).dtype == wide.dtype


def test_the_type_of_several_operands_is_weak_if_all_are() -> None:
    half = jnp.ones(2, jnp.bfloat16)
    assert aj.mse_loss(0.5, 1.0).weak_type
    assert not aj.mse_loss(0.5, np.float32(1.0)).weak_type
    assert aj.mse_loss(half, 1.0).dtype == half.dtype


def test_hard_labels_have_derivatives() -> None:
    def loss(target: Any, factor: Any, x: Any) -> Any:
        return aj.binary_cross_entropy_with_logits(x, target, None, factor, "sum")

    for x, target, factor in np.ndindex(4, 3, 3):
        numbers = np.float32(target / 2), np.float32(factor), np.float32(x - 1.5)
        got = np.array(jax.grad(loss, (0, 1))(*numbers))
        miss, hit = np.log1p(np.exp([x - 1.5, 1.5 - x]))
        np.testing.assert_allclose(got, [factor * hit - miss, target / 2 * hit], 1e-5, 1e-6)


def test_operands_are_promoted_as_jax_does() -> None:
    x, target = jnp.ones(3, jnp.bfloat16), jnp.zeros((2, 1), jnp.float32)
    assert aj.smooth_l1_loss(x, target, "none").shape == (2, 3)
    first, second = jax.grad(aj.smooth_l1_loss, (0, 1))(x, target)
    assert (first.dtype, first.shape) == (x.dtype, x.shape)
    assert (second.dtype, second.shape) == (target.dtype, target.shape)
    assert aj.prelu(x, 0.25).dtype == jnp.bfloat16
    assert np.isnan(aj.logit(2.0, None))
    assert aj.logit(2.0, 0.25) == aj.logit(0.75)
    assert aj.softplus(jnp.arange(3)).dtype == aj.softplus(1).dtype == jnp.float32
    assert aj.prelu(np.float16(-1), jnp.ones((1, 1, 1), jnp.float16)).dtype == jnp.float16
    grads = jax.grad(lambda w: aj.prelu(jnp.ones((2, 3)), w).sum())(jnp.ones((1, 3, 1)))
    assert grads.shape == (1, 3, 1)


def test_bad_arguments_are_named() -> None:
    x = jnp.ones((2, 3))
    masked = np.ma.masked_array(np.ones(3, np.float32), [0, 1, 0])
    for call, message in (
        (lambda: aj.hardshrink([1.0]), "x is a list; an array of JAX or NumPy, or a number"),
        (lambda: aj.hardshrink("x"), "x is a str"),
        (lambda: aj.hardshrink(None), "x is a NoneType"),
        (lambda: aj.hardshrink(masked), "x is a masked array"),
        (lambda: aj.logit(1j), "x has type complex64; allowed are float16, bfloat16, float32"),
        (lambda: aj.logit(x.astype(jnp.float8_e5m2)), "x has type float8_e5m2"),
        (lambda: aj.relu(np.ones(3, ">f4")), "x has type >f4; allowed are float16, .* native byte"),
        (
            lambda: aj.relu(np.ones(3, "V2")),
            "x has type .*; NumPy loads BF16 from files as V2: pass",
        ),
        (lambda: aj.mse_loss(x, np.array(["a"])), "target has type <U1; allowed are float16"),
        (lambda: aj.mse_loss(x.astype("int32"), 1j), "target has type complex64; allowed"),
        (lambda: aj.mse_loss(*[jnp.ones(1, f"float8_e{n}") for n in ("5m2", "4m3")]), "x has type"),
        (lambda: aj.prelu(x, x), "weight has 6 elements; 1 or 3 are allowed for the channels of x"),
        (lambda: aj.prelu(x[0], x[0]), r"weight has 3 elements; 1 is allowed .* of x \(shape \(3,"),
        (lambda: aj.prelu(x, jnp.ones(2)), "weight has 2 elements"),
        (lambda: aj.smooth_l1_loss(x, jnp.ones(4)), r"target has shape \(4,\), which does not"),
        (lambda: aj.smooth_l1_loss(x, x, "median"), "reduction is 'median'; allowed are"),
        (lambda: aj.smooth_l1_loss(x, x, beta=-1.0), "beta is -1.0; it must be at least 0"),
        (lambda: aj.softplus(x, "1"), "beta is '1'; a real number is expected"),
        (lambda: jax.jit(aj.hardshrink)(x, 0.5), "lambd is traced by JAX; it must be known when"),
        (lambda: jax.grad(aj.logit, 1)(0.5, 0.1), "eps is traced by JAX"),
        (lambda: aj.softplus(x, compute_dtype="int8"), "compute_dtype is 'int8'; allowed are"),
    ):
        with pytest.raises(ar.ArgumentError, match=f"^{message}"):
            call()
    # where promotion would widen the type
    with jax.enable_x64(True), pytest.raises(ar.ArgumentTypeError, match=r"^x has type complex64"):
        aj.mse_loss(np.complex64(1), np.float64(1))


def test_the_array_functions_name_what_traced_arrays_need() -> None:
    def function(x: Any) -> Any:
        return ar.softplus_backward(x, x)

    for transform in (jax.jit, jax.vmap, lambda f: jax.grad(lambda x: f(x).sum())):
        with pytest.raises(ar.ArgumentTypeError, match=r"^grad_output .*ascendref\.jax"):
            transform(function)(jnp.ones(3))


def test_programs_in_many_threads_have_the_same_bits() -> None:
    x = numbers("float32", (400_000,), 1)
    want = ar.softplus_backward(np.ones_like(x), x)
    grad = jax.jit(jax.grad(lambda x: aj.softplus(x).sum()))
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: np.asarray(grad(x)), range(24)):
            assert_bits(got, want)


@pytest.mark.parametrize("compute", [None, "float64"])
def test_the_limit_on_threads_holds(compute: str | None) -> None:
    x = numbers("float32", (300, 3, 500), 1, tame=True)
    loss = lambda x, w: aj.prelu(x, w, compute_dtype=compute).sum()  # noqa: E731
    grad = jax.jit(jax.grad(loss, (0, 1)))
    weight = np.float32([0.1, 0.2, 0.3])
    want = grad(x, weight)
    with ar.num_threads(1):
        for actual, other in zip(grad(x, weight), want, strict=True):
            assert_bits(np.asarray(actual), np.asarray(other))


PROGRAM = """
import sys, jax, numpy as np
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
events = []
jax.monitoring.register_event_listener(lambda event, **_: events.append(event))
import ascendref as ar, ascendref.jax as aj
x = np.linspace(-3, 3, 101, dtype=np.float32)
grad = jax.jit(jax.grad(lambda x: aj.softplus(x, compute_dtype="float64").sum())).trace(x)
events.clear()
got = grad.lower().compile()(x)
want = ar.softplus_backward(np.ones_like(x), x, compute_dtype="float64")
assert (np.asarray(got) == want).all()
compiled = sum(not row.cached for row in ar.kernel_statistics())
print(compiled, events.count("/jax/compilation_cache/cache_hits"))
"""


@pytest.mark.full
def test_a_second_process_compiles_nothing_and_takes_jaxs_program_from_disk(tmp_path: Path) -> None:
    arguments = "-c", PROGRAM, tmp_path / "programs"
    kernels = str(tmp_path / "kernels")
    compiled, loaded = map(int, run(*arguments, NUMBA_CACHE_DIR=kernels).split())
    assert compiled > 0
    assert loaded == 0
    assert run(*arguments, NUMBA_CACHE_DIR=kernels) == "0 1"


def test_the_module_says_where_jax_is_missing() -> None:
    code = (
        "import sys\nsys.modules['jax'] = None\n"
        "try:\n    import ascendref.jax\nexcept ImportError as error:\n    print(error)"
    )
    assert install_command("jax") in run("-c", code)


def test_importing_loads_no_kernels() -> None:
    code = "import sys, ascendref.jax; print('numba' in sys.modules)"
    assert run("-c", code) == "False"


@pytest.mark.full
@pytest.mark.parametrize(
    "names",
    [
        ("hardshrink", "softplus", "logit", "prelu, weights for all", "smooth_l1_loss"),
        pytest.param((), marks=pytest.mark.exhaustive),
    ],
)
def test_functions_and_gradients_on_four_devices(names: tuple[str, ...]) -> None:
    flags = "--xla_force_host_platform_device_count=4"
    assert run("-m", "tests.jax.sharded", *names, XLA_FLAGS=flags) == "done"
