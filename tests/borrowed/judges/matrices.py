"""Judges of products, factors and solutions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .judge import Judge, judged
from .networks import gradient


def added(x: Any, product: Any, beta: Any, alpha: Any) -> Any:
    """Return β·x + α·product."""
    return (1 if beta is None else beta) * x + (1 if alpha is None else alpha) * product


def same_signs(parts: list[Any]) -> list[Any]:
    """Return vectors as columns whose largest elements are positive, and what goes with them."""
    *rest, first, second = parts
    largest = np.take_along_axis(first, abs(first).argmax(-2)[..., None, :], -2)
    signs = np.sign(largest)
    return [*rest, first * signs, second * signs]


def svd(x: Any, full: bool, vectors: bool) -> Any:
    """Return singular values and vectors."""
    left, values, right = np.linalg.svd(x, full_matrices=full)
    return values, left, right.swapaxes(-1, -2)


def qr_signs(parts: list[Any]) -> list[Any]:
    """Return factors of which the second has a positive diagonal."""
    q, r = parts
    signs = np.sign(np.diagonal(r, 0, -2, -1))
    return [
        q[..., : signs.shape[-1]] * signs[..., None, :],
        r[..., : signs.shape[-1], :] * signs[..., None],
    ]


def definite(n: int) -> Any:
    """Return a function that makes positive definite matrices."""

    def made(rng: Any) -> Any:
        x = rng.uniform(-1, 1, (2, n, n))
        return x @ x.swapaxes(1, 2) + 3 * np.eye(n)

    return made


def triangular(x: Any, a: Any, upper: bool, transpose: bool, unit: bool) -> Any:
    """Return the solution of a triangular system, and its matrix."""
    part = np.triu(a) if upper else np.tril(a)
    if unit:
        part = part - part * np.eye(len(a)) + np.eye(len(a))
    return np.linalg.solve(part.T if transpose else part, x), a


def cholesky(x: Any, upper: bool) -> Any:
    """Return a triangular factor."""
    factor = np.linalg.cholesky(x)
    return factor.swapaxes(-1, -2) if upper else factor


POINTS = np.random.default_rng(5).integers(-8, 9, (7, 2)) / 4
#: functions that make two sets of points, and their distances
DISTANT = (
    lambda _: POINTS[:3],
    lambda _: POINTS[3:],
    lambda _: np.sqrt(((POINTS[:3, None] - POINTS[None, 3:]) ** 2).sum(-1)),
)
MATRICES: dict[str, Judge] = {
    "Matmul": judged(lambda x, y, _: x @ y, "4 N 3 5, 5 2", 0)
    .also("3 5, 5 2", 1)
    .also("5, 5 2", 0)
    .also("4 3 5, 5", 0)
    .also("2 1 3 5, 4 5 2", 3),
    "Mm": judged(lambda x, y, _: x @ y, "N 5, 5 3", 1),
    "Mv": judged(lambda x, y, _: x @ y, "N 5, 5", 0),
    "BatchMatMul": judged(lambda x, y, _: x @ y, "N 3 5, N 5 2", 0),
    "Dot": judged(np.dot, "5, 5"),
    "Ger": judged(np.outer, "3, 5"),
    "Addmm": judged(
        lambda x, a, b, beta, alpha, _: added(x, a @ b, beta, alpha), "2, 3 5, 5 2", 2, 3, 0
    ).also("3 2, 3 5, 5 2", None, None, 1),
    "InplaceAddmm": judged(
        lambda x, a, b, beta, alpha, _: added(x, a @ b, beta, alpha), "3 2, 3 5, 5 2", 2, 3, 0
    ),
    "Addmv": judged(
        lambda x, a, b, alpha, beta, _: added(x, a @ b, beta, alpha), "3, 3 5, 5", 3, 2, 0
    ),
    "Addbmm": judged(
        lambda x, a, b, beta, alpha, _: added(x, (a @ b).sum(0), beta, alpha),
        "3 2, 4 3 5, 4 5 2",
        2,
        3,
        0,
    ),
    "Baddbmm": judged(
        lambda x, a, b, beta, alpha, _: added(x, a @ b, beta, alpha), "4 3 2, 4 3 5, 4 5 2", 2, 3, 0
    ),
    "Addr": judged(
        lambda x, a, b, beta, alpha: added(x, np.outer(a, b), beta, alpha), "3 5, 3, 5", 2, 3
    ),
    "Einsum": judged(
        lambda xs, text: np.einsum(text, *xs), ["2 3 5", "2 5 4"], "bij,bjk->bik"
    ).also(["3 5", "4 5"], "ij,kj->ki"),
    "Gemm": judged(
        lambda a, b, c, alpha, beta, ta, tb, _: (
            alpha * (a.T if ta else a) @ (b.T if tb else b) + beta * c
        ),
        "3 5, 2 5, 3 2",
        2.0,
        3.0,
        0,
        1,
        0,
    ).also("5 3, 5 2, 2", 1.0, 0.5, 1, 0, 1),
    "LinalgCross": judged(lambda x, y, d: np.cross(x, y, axis=d), "N 3 4, N 3 4", 1),
    "LinalgCholesky": judged(cholesky, definite(3), False).also(definite(4), True),
    "Inverse": judged(np.linalg.inv, definite(3)),
    "Logdet": judged(lambda x: np.linalg.slogdet(x)[1], definite(3)),
    "Slogdet": judged(lambda x: tuple(np.linalg.slogdet(x)), definite(3)),
    "LinalgQr": judged(
        lambda x, mode: tuple(np.linalg.qr(x, "complete" if mode == 1 else "reduced")), "2 4 3", 0
    )
    .also("4 3", 1)
    ._replace(chosen=qr_signs),
    "Qr": judged(
        lambda x, some: tuple(np.linalg.qr(x, "reduced" if some else "complete")), "4 3", True
    )
    .also("2 4 3", False)
    ._replace(chosen=qr_signs),
    "Svd": judged(svd, "2 4 3", False, True).also("3 3", True, True)._replace(chosen=same_signs),
    "TriangularSolve": judged(
        triangular, "3 2", lambda rng: rng.uniform(1, 2, (3, 3)), True, False, False
    ).also("3 2", lambda rng: rng.uniform(1, 2, (3, 3)), False, True, True),
    "TransposeBatchMatMul": judged(
        lambda x, y, b, s, p, q, r, *_: (x.transpose(p) @ y.transpose(q)).transpose(r),
        "3 4 5, 4 5 2",
        None,
        None,
        [1, 0, 2],
        [0, 1, 2],
        [1, 0, 2],
        0,
        1,
    ),
    "CdistBackward": judged(
        lambda g, x, y, d, p: gradient(
            lambda z: (((z[:, None] - y[None]) ** 2).sum(-1)) ** 0.5, g, 0, x
        ),
        "3 4",
        DISTANT[0],
        DISTANT[1],
        DISTANT[2],
        2.0,
    ),
}
