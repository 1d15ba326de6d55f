"""``ascendref.jax`` on several devices, in a process of its own."""

import pytest

from ..support.processes import run

pytest.importorskip("jax", reason="jax is an extra")


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
