"""Judges of products, factors and solutions of matrices."""

import numpy as np

from .judge import Judge, gradient, held, judged


def with_product(product=np.matmul):
    """Return what computes β·x + α·product."""

    def added(x, a, b, beta, alpha, *_):
        return (1 if beta is None else beta) * x + (1 if alpha is None else alpha) * product(a, b)

    return added


def same_signs(parts):
    """Return vectors as columns whose largest elements are positive, and what goes with them."""
    *rest, first, second = parts
    largest = np.take_along_axis(first, abs(first).argmax(-2)[..., None, :], -2)
    signs = np.sign(largest)
    return [*rest, first * signs, second * signs]


def svd(x, full, vectors):
    left, values, right = np.linalg.svd(x, full_matrices=full)
    return values, left, right.swapaxes(-1, -2)


def qr_signs(parts):
    """Return factors of which the second has a positive diagonal."""
    q, r = parts
    signs = np.sign(np.diagonal(r, 0, -2, -1))
    count = signs.shape[-1]
    return [q[..., :count] * signs[..., None, :], r[..., :count, :] * signs[..., None]]


def definite(n):
    """Return a function that makes positive definite matrices."""

    def made(rng):
        x = rng.uniform(-1, 1, (2, n, n))
        return x @ x.swapaxes(1, 2) + 3 * np.eye(n)

    return made


def regular(rng):
    return rng.uniform(1, 2, (3, 3))


def triangular(x, a, upper, transpose, unit):
    part = np.triu(a) if upper else np.tril(a)
    if unit:
        part = part - part * np.eye(len(a)) + np.eye(len(a))
    return np.linalg.solve(part.T if transpose else part, x), a


def cholesky(x, upper):
    factor = np.linalg.cholesky(x)
    return factor.swapaxes(-1, -2) if upper else factor


def gemm(a, b, c, alpha, beta, transpose_a, transpose_b, _):
    return alpha * (a.T if transpose_a else a) @ (b.T if transpose_b else b) + beta * c


def matmul(x, y, _):
    return x @ y


def blocks(x):
    """Return matrices of multiples of 16 rows and 32 columns, as if they were in FRACTAL_NZ.

    Each column of blocks has as many bytes as fit: 32 in a row, 16 columns of F16. The judge sees
    integers of eight bits as INT64.
    """
    width = 32 if x.dtype.kind == "i" else 16
    rows, columns = x.shape[-2:]
    flat = np.zeros((*x.shape[:-2], rows * columns))
    for r in range(rows):
        for c in range(columns):
            column, row = c // width * rows * width, r * width
            flat[..., column + row + c % width] = x[..., r, c]
    return flat.reshape(x.shape)


POINTS = np.random.default_rng(5).integers(-8, 9, (7, 2)) / 4


def distances(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(-1) ** 0.5


MATRICES: dict[str, Judge] = {
    "Matmul": judged(matmul, ("4 N 3 5, 5 2", 0), ("3 5, 5 2", 1), ("5, 5 2", 0), ("4 3 5, 5", 0),
        ("2 1 3 5, 4 5 2", 3)),
    "Mm": judged(matmul, ("N 5, 5 3", 1)),
    "Mv": judged(matmul, ("N 5, 5", 0)),
    "BatchMatMul": judged(matmul, ("N 3 5, N 5 2", 0), ("1 3 5, 4 5 2", 0), ("4 3 5, 1 5 2", 0)),
    "Dot": judged(np.dot, "5, 5"),
    "Ger": judged(np.outer, "3, 5"),
    "Addmm": judged(with_product(), ("2, 3 5, 5 2", 2, 3, 0), ("3 2, 3 5, 5 2", None, None, 1)),
    "InplaceAddmm": judged(with_product(), ("3 2, 3 5, 5 2", 2, 3, 0)),
    "Addmv": judged(lambda x, a, b, alpha, beta, _: with_product()(x, a, b, beta, alpha),
        ("3, 3 5, 5", 3, 2, 0)),
    "Addbmm": judged(with_product(lambda a, b: (a @ b).sum(0)), ("3 2, 4 3 5, 4 5 2", 2, 3, 0),
        ("3 2, 1 3 5, 4 5 2", 2, 3, 0)),
    "Baddbmm": judged(with_product(), ("4 3 2, 4 3 5, 4 5 2", 2, 3, 0),
        ("4 3 2, 4 3 5, 1 5 2", 2, None, 0)),
    "InplaceBaddbmm": judged(with_product(), ("4 3 2, 4 3 5, 4 5 2", 2, 3, 0)),
    "Addr": judged(with_product(np.outer), ("3 5, 3, 5", 2, 3)),
    "Einsum": judged(lambda xs, text: np.einsum(text, *xs), (["2 3 5", "2 5 4"], "bij,bjk->bik"),
        (["3 5", "4 5"], "ij,kj->ki")),
    "Gemm": judged(gemm, ("3 5, 2 5, 3 2", 2.0, 3.0, 0, 1, 0), ("5 3, 5 2, 2", 1.0, 0.5, 1, 0, 1)),
    "LinalgCross": judged(lambda x, y, d: np.cross(x, y, axis=d), ("N 3 4, N 3 4", 1)),
    "LinalgCholesky": judged(cholesky, (definite(3), False), (definite(4), True)),
    "Inverse": judged(np.linalg.inv, definite(3)),
    "Logdet": judged(lambda x: np.linalg.slogdet(x)[1], definite(3)),
    "Slogdet": judged(lambda x: tuple(np.linalg.slogdet(x)), definite(3)),
    "LinalgQr": judged(
        lambda x, mode: tuple(np.linalg.qr(x, "complete" if mode == 1 else "reduced")),
        ("2 4 3", 0),
        ("4 3", 1),
        chosen=qr_signs,
    ),
    "Qr": judged(lambda x, some: tuple(np.linalg.qr(x, "reduced" if some else "complete")),
        ("4 3", True), ("2 4 3", False), chosen=qr_signs),
    "Svd": judged(svd, ("2 4 3", False, True), ("3 3", True, True), chosen=same_signs),
    "TriangularSolve": judged(triangular, ("3 2", regular, True, False, False),
        ("3 2", regular, False, True, True)),
    "TransposeBatchMatMul": judged(
        lambda x, y, b, s, p, q, r, *_: (x.transpose(p) @ y.transpose(q)).transpose(r),
        ("3 4 5, 4 5 2", None, None, [1, 0, 2], [0, 1, 2], [1, 0, 2], 0, 1),
    ),
    "TransMatmulWeight": judged(blocks, "32 64", "2 16 32", strided=False),
    "CdistBackward": judged(lambda g, x, y, d, p: gradient(lambda z: distances(z, y), g, 0, x),
        ("3 4", held(POINTS[:3]), held(POINTS[3:]), held(distances(POINTS[:3], POINTS[3:])), 2.0)),
}  # fmt: skip
