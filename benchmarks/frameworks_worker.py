"""What one framework makes of five functions: ``python frameworks_worker.py FRAMEWORK FOLDER``.

`benchmarks.frameworks` runs this file with the Python of an environment that has the framework but
no ascendref. ``FOLDER/jobs.json`` lists calls, each with a file of inputs. For each, value and
gradient for a gradient of 1 go to a file ``.npy`` in ``FOLDER/FRAMEWORK``, or to ``.txt`` why there
are none.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Function = Callable[..., Any]


class Framework(NamedTuple):
    """Five functions of a tensor, and how they are called."""

    #: from NumPy, with the name of a type
    tensor: Callable[[Any, str], Any]
    #: value and gradient of a function of one tensor, for a gradient of ones
    both: Callable[[Function, Any], tuple[Any, Any]]
    functions: dict[str, Function]
    #: the functions among them that are formulas of this file
    formulas: frozenset[str] = frozenset()
    array: Callable[[Any], Any] = np.asarray
    mean: Function = lambda x: x.mean()


def formulas(where: Function, log: Function, absolute: Function = abs) -> dict[str, Function]:
    """Return the functions as users write them who find none in the framework."""

    def smooth_l1(x: Any, beta: float) -> Any:
        return where(absolute(x) < beta, 0.5 * x * x / beta, absolute(x) - 0.5 * beta)

    def logit(x: Any, eps: float | None) -> Any:
        z = x if eps is None else where(x < eps, eps, where(x > 1 - eps, 1 - eps, x))
        return log(z / (1 - z))

    return {
        "hardshrink": lambda x, lambd: where(absolute(x) > lambd, x, 0.0),
        "prelu": lambda x, weight: where(x > 0, x, weight * x),
        "smooth_l1": smooth_l1,
        "logit": logit,
    }


def torch() -> Framework:
    """PyTorch."""
    import torch
    from torch.nn import functional as F

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        value = call(x.requires_grad_())
        return value.detach(), torch.autograd.grad(value, x, torch.ones_like(value))[0]

    return Framework(
        lambda array, kind: torch.from_numpy(array.astype(np.float32)).to(getattr(torch, kind)),
        both,
        {
            "hardshrink": F.hardshrink,
            "softplus": F.softplus,
            "prelu": F.prelu,
            "smooth_l1": lambda x, beta: F.smooth_l1_loss(
                x, torch.zeros_like(x), reduction="none", beta=beta
            ),
            "logit": torch.logit,
        },
        array=lambda x: x.float().numpy(),
    )


def jax(*, jit: bool = False) -> Framework:
    """JAX, an operation at a time or compiled."""
    import jax
    from jax import numpy as jnp
    from jax.scipy.special import logit

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        def run(x: Any) -> tuple[Any, Any]:
            value, gradient = jax.vjp(call, x)
            return value, gradient(jnp.ones_like(value))[0]

        return (jax.jit(run) if jit else run)(x)

    own = {
        "softplus": lambda x, beta, threshold: jax.nn.softplus(x),
        "logit": lambda x, eps: logit(x if eps is None else jnp.clip(x, eps, 1 - eps)),
    }
    plain = formulas(jnp.where, jnp.log)
    return Framework(
        lambda array, kind: jnp.asarray(array, kind), both, plain | own, frozenset(plain) - set(own)
    )


def tensorflow(*, jit: bool = False) -> Framework:
    """TensorFlow and Keras, an operation at a time or compiled by XLA."""
    import keras
    import tensorflow as tf

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        def run(x: Any) -> tuple[Any, Any]:
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = call(x)
            return value, tf.convert_to_tensor(tape.gradient(value, x))

        return (tf.function(run, jit_compile=True) if jit else run)(x)

    def where(condition: Any, a: Any, b: Any) -> Any:
        kind = next(x.dtype for x in (a, b) if tf.is_tensor(x))
        return tf.where(condition, tf.cast(a, kind), tf.cast(b, kind))

    own = {
        "hardshrink": keras.ops.hard_shrink,
        "softplus": lambda x, beta, threshold: tf.nn.softplus(x),
    }
    plain = formulas(where, tf.math.log)
    return Framework(
        lambda array, kind: tf.constant(array, kind),
        both,
        plain | own,
        frozenset(plain) - set(own),
        mean=tf.reduce_mean,
    )


def tinygrad() -> Framework:
    """Tinygrad, whose operations are fused by its compiler."""
    from tinygrad import Tensor

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        value = call(x)
        return value, value.gradient(x, gradient=value.ones_like())[0]

    plain = formulas(lambda condition, a, b: condition.where(a, b), Tensor.log, Tensor.abs)
    return Framework(
        lambda array, kind: Tensor(array.astype(np.float32)).cast(kind).contiguous().realize(),
        both,
        plain | {"softplus": lambda x, beta, threshold: x.softplus(beta)},
        frozenset(plain),
        Tensor.numpy,  # a cast in tinygrad would be fused, and replace the rounding to F16
    )


def mindspore() -> Framework:
    """MindSpore."""
    import mindspore as ms
    from mindspore import ops

    gradient = ops.GradOperation(sens_param=True)

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        value = call(x)
        return value, gradient(call)(x, ops.ones_like(value))

    return Framework(
        lambda array, kind: ms.Tensor(array.astype(np.float32)).astype(getattr(ms, kind)),
        both,
        {
            "hardshrink": ops.hardshrink,
            "softplus": ops.softplus,
            "prelu": ops.prelu,
            "smooth_l1": lambda x, beta: ops.smooth_l1_loss(x, ops.zeros_like(x), beta),
            "logit": ops.logit,
        },
        array=lambda x: x.astype(ms.float32).asnumpy(),
    )


def paddle() -> Framework:
    """PaddlePaddle."""
    import paddle
    from paddle.nn import functional as F

    def both(call: Function, x: Any) -> tuple[Any, Any]:
        x = x.detach()
        x.stop_gradient = False
        value = call(x)
        value.backward(paddle.ones_like(value))
        return value, x.grad

    def tensor(array: Any, kind: str) -> Any:
        found = paddle.to_tensor(array.astype(np.float32)).astype(kind).detach()
        found.stop_gradient = False
        return found

    return Framework(
        tensor,
        both,
        {
            "hardshrink": F.hardshrink,
            "softplus": F.softplus,
            "prelu": F.prelu,
            "smooth_l1": lambda x, beta: F.smooth_l1_loss(
                x, paddle.zeros_like(x), "none", beta, is_huber=False
            ),
            "logit": paddle.logit,
        },
        array=lambda x: x.astype("float32").numpy(),
    )


FRAMEWORKS: dict[str, Callable[[], Framework]] = {
    "torch": torch,
    "jax": jax,
    "jax-jit": lambda: jax(jit=True),
    "tensorflow": tensorflow,
    "tensorflow-jit": lambda: tensorflow(jit=True),
    "tinygrad": tinygrad,
    "mindspore": mindspore,
    "paddle": paddle,
}


def main(name: str, folder: Path) -> None:
    """Run the jobs that have no results yet.

    A job at which the process ends without an error is run once more, the first of a new process.
    """
    framework, results = FRAMEWORKS[name](), folder / name
    results.mkdir(exist_ok=True)
    (results / "formulas.json").write_text(json.dumps(sorted(framework.formulas)))
    first = True
    for place, job in enumerate(json.loads((folder / "jobs.json").read_text())):
        done, refused = results / f"{place}.npy", results / f"{place}.txt"
        if done.exists() or refused.exists():
            continue
        if first:
            refused.write_text("the process crashes")
        first = False
        try:
            inputs = load(folder / job["inputs"], job["dtype"])
            np.save(done, np.array(call(framework, job, inputs)))
            refused.unlink(missing_ok=True)
        except Exception as error:
            refused.write_text(" ".join(str(error).split())[:90])


def call(framework: Framework, job: dict[str, Any], inputs: Any) -> list[Any]:
    """Return value and gradient; of the sum in a weight's gradient, or of a mean, that alone."""
    function, kind = framework.functions[job["function"]], job["dtype"]
    data, scalars = framework.tensor(inputs, kind), list(job["scalars"].values())
    if job["function"] == "prelu":
        scalars = [framework.tensor(np.float32(scalars), kind)]
    if job["what"] == "sum":
        found = framework.both(lambda weight: function(data, weight), *scalars)[1:]
    elif job["what"] == "mean":
        found = (framework.mean(function(data, *scalars)),)
    else:
        found = framework.both(lambda x: function(x, *scalars), data)
    return [np.asarray(framework.array(x), np.float32).ravel() for x in found]


def load(path: Path, kind: str) -> Any:
    """Return inputs in their type, which is stored as integers if it is BF16."""
    array = np.load(path)
    if kind == "bfloat16":
        try:
            from ml_dtypes import bfloat16
        except ImportError:  # exact as float32
            return (array.astype(np.uint32) << 16).view(np.float32)
        return array.view(bfloat16)
    return array


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
