"""
Training in JAX
===============

A network in JAX whose gradients of PReLU and the smooth L1 loss are the kernels' own::

    python examples/06_jax_training.py [PICTURE]

It needs the extras ``jax`` and ``plot`` (``docs/install.md``).

It learns a curve from points of BF16, once with F32 arithmetic in the gradients and once with BF16
arithmetic, which rounds after every operation. Everything is one compiled program of JAX.
"""

import sys
from functools import partial

import jax
import jax.numpy as jnp
from matplotlib.figure import Figure

import ascendref.jax as aj

WIDTH, STEPS = 32, 2000


def network(parameters, x, compute):
    hidden = x @ parameters["inner"] + parameters["shift"]
    hidden = aj.prelu(hidden, parameters["slopes"], compute_dtype=compute)
    return hidden @ parameters["outer"]


def loss(parameters, x, y, compute):
    return aj.smooth_l1_loss(network(parameters, x, compute), y, beta=0.1, compute_dtype=compute)


@partial(jax.jit, static_argnames="compute")
def train(parameters, x, y, compute):
    def step(parameters, _):
        value, grads = jax.value_and_grad(loss)(parameters, x, y, compute)
        return jax.tree.map(lambda p, g: p - 0.1 * g.astype(p.dtype), parameters, grads), value

    return jax.lax.scan(step, parameters, length=STEPS)


# %%
# The curve
# ---------
# The network learns sin(2x) on the interval from −2 to 2.

x = jnp.linspace(-2, 2, 256)[:, None]
y = jnp.sin(2 * x)
keys = jax.random.split(jax.random.key(0), 3)
start = {
    "inner": jax.random.normal(keys[0], (1, WIDTH)),
    "shift": jax.random.normal(keys[1], (WIDTH,)),
    "slopes": jnp.full(WIDTH, 0.25),
    "outer": jax.random.normal(keys[2], (WIDTH, 1)) / WIDTH,
}
learned = {}
for compute in ("float32", "bfloat16"):
    parameters, losses = train(start, x, y, compute)
    print(f"gradients in {compute:9} loss {losses[0]:.4f} -> {losses[-1]:.4f}")
    learned[compute] = network(parameters, x, compute)

if len(sys.argv) > 1:
    # Picture: the curve, and what the network makes of it after 2000 steps with gradients in F32
    # and in BF16 arithmetic.
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.plot(x, y, "--", color="0.5", label="sin(2x)")
    for compute, values in learned.items():
        axes.plot(x, values, label=f"gradients in {compute}")
    axes.set(xlabel="x", ylabel="network")
    figure.legend(loc="outside upper center", ncols=3)
    figure.savefig(sys.argv[1])
