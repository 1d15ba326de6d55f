"""Results that pages of the vendor and of MindSpore print, in the arithmetic that gives them."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import ascendref as ar

GELU = [-1.0, 4.0, -8.0, 2.0, -5.0, 9.0]

#: function, type, data, compute type, printed results, and how many of them have all digits
PUBLISHED: list[tuple[Callable[..., Any], str, list[float], str, str, int]] = [
    # CANN 9, AscendC, Gelu (asc-devkit 82b89a15): inputs and results of the page's example
    (
        lambda x, **options: ar.gelu(x, "tanh", **options), "float16",
        [-2.56, -2.395, -2.23, -2.066, -1.9, -1.735, -1.571, -1.406, -1.241, -1.076, -0.9116,
         -0.7466, -0.582, -0.417, -0.2522, -0.0874, 0.0774, 0.2423, 0.407, 0.572, 0.737, 0.902,
         1.066, 1.231, 1.396, 1.561, 1.726, 1.891, 2.055, 2.22, 2.385, 2.55],
        "float16",
        "-0.01295471 -0.01953125 -0.02836609 -0.03991699 -0.05453491 -0.07196045 -0.09130859"
        " -0.11254883 -0.13342285 -0.15185547 -0.16516113 -0.17004395 -0.16320801 -0.14111328"
        " -0.10101318 -0.04067993 0.04107666 0.14428711 0.26782227 0.40942383 0.56689453 0.7363281"
        " 0.9135742 1.0966797 1.2822266 1.4677734 1.6533203 1.8349609 2.0136719 2.1914062 2.3632812"
        " 2.5390625", 32,
    ),
    # MindSpore's pages (mindspore_test a05ce588): mint.nn.functional.gelu, softplus, logsigmoid,
    # mse_loss
    (
        lambda x, **options: ar.gelu(x, "tanh", **options), "float32", GELU, "float32-steps",
        "-1.58808023e-01 3.99992990e+00 -3.10779147e-21 1.95459759e+00 -2.29180174e-07 9.0", 5,
    ),
    (ar.softplus, "float32", [0.1, 0.2, 30, 25], "float32-steps",
     "0.74439657 0.7981388 30. 25.", 3),
    (ar.log_sigmoid, "float32", [1, 2, 3], "float32-steps",
     "-0.31326166 -0.12692806 -0.04858734", 3),
    (
        lambda x, **options: np.atleast_1d(ar.mse_loss(x, np.ones_like(x), **options)), "float32",
        [1, 2, 3], "float32-steps", "1.6666667", 1,
    ),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(("function", "kind", "data", "compute", "printed", "alike"), PUBLISHED)
def test_published_results(
    function: Any, kind: str, data: list[float], compute: str, printed: str, alike: int
) -> None:
    x = np.array(data, kind)
    assert same_digits(function(x, compute_dtype=compute), printed) == alike
    # the default has fewer of them
    assert same_digits(function(x), printed) < alike


def same_digits(results: Any, printed: str) -> int:
    """Return how many results are what was printed, to its last digit."""
    pairs = zip(results.tolist(), map(Decimal, printed.split()), strict=True)
    return sum(
        abs(Decimal(x) - text) <= Decimal(5).scaleb(text.as_tuple().exponent - 1)
        for x, text in pairs
    )
