"""A program on four devices of the CPU: the functions of ``ascendref.jax`` in `jax.shard_map`.

Each gradient is compared with that of the same function on one device. ``test_functions.py`` runs
it with the flag of XLA that makes the devices.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import numpy as jnp
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

import ascendref.jax as aj

X = jnp.linspace(-2, 2, 8 * 6, dtype=jnp.float32).reshape(8, 6)
MESH = Mesh(np.array(jax.devices()), ("i",))
ROWS, COLUMNS = P("i"), P(None, "i")


class Case(NamedTuple):
    """A function, its operands, and the axes on which they are divided."""

    function: Callable[..., Any]
    operands: tuple[Any, ...]
    specs: tuple[Any, ...]


CASES = {
    "hardshrink": Case(aj.hardshrink, (X,), (ROWS,)),
    "softplus": Case(aj.softplus, (X,), (ROWS,)),
    "logit": Case(partial(aj.logit, eps=0.1), (jax.nn.sigmoid(X) / 2,), (ROWS,)),
    "logit of columns": Case(aj.logit, (jax.nn.sigmoid(X.T) / 2,), (COLUMNS,)),
    "prelu, one weight for all": Case(aj.prelu, (X, jnp.full(1, 0.25)), (ROWS, P())),
    "prelu, weights for all": Case(aj.prelu, (X, jnp.linspace(0.1, 0.6, 6)), (ROWS, P())),
    "prelu, divided weights": Case(aj.prelu, (X.T, jnp.linspace(0.1, 0.8, 8)), (COLUMNS, ROWS)),
    "prelu of the same data": Case(aj.prelu, (X, jnp.linspace(0.1, 0.6, 6)), (P(), P())),
    "smooth_l1_loss": Case(
        partial(aj.smooth_l1_loss, reduction="sum", beta=0.5), (X, X[::-1] / 2), (ROWS, ROWS)
    ),
    "smooth_l1_loss, one target for all": Case(
        partial(aj.smooth_l1_loss, reduction="none"), (X, X[:1] / 2), (ROWS, P())
    ),
    "smooth_l1_loss, one x for all": Case(
        partial(aj.smooth_l1_loss, reduction="sum"), (X[0], X / 2), (P(), ROWS)
    ),
    "no elements": Case(aj.prelu, (X[:, :0], jnp.full(1, 0.25)), (ROWS, P())),
}


def assert_close(got: Any, want: Any) -> None:
    """Assert that results are equal but for the order of sums."""
    for actual, expected in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        if expected.size:  # JAX cannot bring shards without elements together
            np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


def check(case: Case, checked: bool) -> None:
    """Compare values, gradients and their derivatives, inside of a mapped function and of it."""
    places = tuple(range(len(case.operands)))
    divided = any(spec != P() for spec in case.specs)
    total = lambda *operands: case.function(*operands).sum()  # noqa: E731
    gradients = jax.grad(total, places)

    def curves(total: Any) -> Any:
        slopes = jax.grad(total, places)
        return jax.grad(lambda *o: sum(jnp.sin(slope).sum() for slope in slopes(*o)), places)

    def shared_total(*operands: Any) -> Any:
        value = total(*operands)
        return jax.lax.psum(value, "i") if divided else value

    def whole(function: Any) -> Any:
        """JAX adds up gradients of what is the same on all devices if it checks, else we do."""

        def summed(*operands: Any) -> Any:
            got = function(*operands)
            if checked or not divided:
                return got
            return tuple(
                jax.lax.psum(g, "i") if spec == P() else g
                for g, spec in zip(got, case.specs, strict=True)
            )

        return mapped(summed, case.specs)

    def mapped(function: Any, out_specs: Any) -> Any:
        return jax.shard_map(
            function, mesh=MESH, in_specs=case.specs, out_specs=out_specs, check_vma=checked
        )

    want = gradients(*case.operands)
    through = mapped(shared_total, P())
    assert_close(jax.jit(through)(*case.operands), total(*case.operands))
    assert_close(jax.jit(whole(gradients))(*case.operands), want)
    assert_close(jax.jit(jax.grad(through, places))(*case.operands), want)
    if checked:
        assert_close(jax.jit(curves(through))(*case.operands), curves(total)(*case.operands))


def check_transformations(checked: bool) -> None:
    """Compare gradients in `vmap`, `scan` and `checkpoint` of a mapped function."""
    slope = jax.grad(lambda row: aj.softplus(row).sum())
    want = slope(X)
    remembered = jax.grad(lambda x: jax.checkpoint(aj.softplus)(x).sum())
    for function in (
        slope,  # not compiled as a whole
        jax.jit(slope),
        jax.vmap(slope),
        remembered,
        lambda x: jax.lax.scan(lambda carry, row: (carry + slope(row), slope(row)), x[0], x)[1],
    ):
        mapped = jax.shard_map(
            function, mesh=MESH, in_specs=ROWS, out_specs=ROWS, check_vma=checked
        )
        assert_close(mapped(X), want)


def check_two_axes() -> None:
    """Compare gradients for data and weights that are divided on different axes of a mesh."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, 2), ("i", "j"))
    specs = P("i", "j"), P("j")
    weight = jnp.linspace(0.1, 0.6, 6)
    gradients = jax.grad(lambda x, weight: aj.prelu(x, weight).sum(), (0, 1))
    mapped = jax.shard_map(gradients, mesh=mesh, in_specs=specs, out_specs=specs)
    assert_close(jax.jit(mapped)(X, weight), gradients(X, weight))


def check_explicit_axes() -> None:
    """Compare gradients where the types of arrays say how they are divided."""
    mesh = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
    with jax.set_mesh(mesh):
        for name in ("softplus", "prelu, weights for all", "smooth_l1_loss"):
            function, operands, specs = CASES[name]
            places = tuple(range(len(operands)))
            gradients = jax.grad(lambda *o, f=function: f(*o).sum(), places)
            divided = [jax.device_put(o, s) for o, s in zip(operands, specs, strict=True)]
            assert_close(jax.jit(gradients)(*divided), gradients(*operands))


def main(*names: str) -> None:
    """Compare what has these names, or everything."""
    assert jax.device_count() == 4
    for name in names or CASES:
        for checked in (True,) if names else (True, False):
            check(CASES[name], checked)
    if not names:
        for checked in (True, False):
            check_transformations(checked)
        check_two_axes()
        slope = jax.grad(lambda row: aj.softplus(row).sum())
        assert_close(jax.pmap(slope)(X[:4]), slope(X[:4]))
        rows = jax.sharding.NamedSharding(MESH, ROWS)
        assert_close(jax.jit(slope)(jax.device_put(X, rows)), slope(X))
        check_explicit_axes()
    print("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
