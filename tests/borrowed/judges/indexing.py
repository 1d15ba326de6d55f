"""Judges of functions that select, place, repeat and arrange elements."""

import numpy as np

from .judge import Judge, held, judged


def changed(x, change):
    """Return a copy that a function has changed."""
    y = np.array(x)
    change(y)
    return y


def put_at(x, key, values, accumulate=False):
    """Return a copy with elements replaced, or added to."""
    if accumulate:
        return changed(x, lambda y: np.add.at(y, key, values))
    return changed(x, lambda y: y.__setitem__(key, values))


def along(x, dim, index):
    """Return the coordinates of elements whose index along an axis is given."""
    places = list(np.indices(index.shape))
    places[dim] = index
    return tuple(places)


def scatter(x, dim, index, source, code=0):
    key, source = along(x, dim, index), np.broadcast_to(source, index.shape)
    if code == 2:
        return changed(x, lambda y: np.multiply.at(y, key, source))
    return put_at(x, key, source, code == 1)


def scatter_reduce(x, dim, index, source, code, include):
    """Return elements that are replaced by combinations of several."""
    if code == 0:
        return scatter(x, dim, index, source)
    terms = {}
    places = np.moveaxis(np.array(along(x, dim, index)), 0, -1)
    for place, value in zip(places.reshape(-1, x.ndim), source.reshape(-1), strict=True):
        terms.setdefault(tuple(place), []).append(value)
    mean = np.mean if x.dtype.kind == "f" else lambda values: sum(values) // len(values)
    combine = (None, np.sum, np.prod, np.max, np.min, mean)[code]
    y = np.array(x)
    for key, values in terms.items():
        y[key] = combine([x[key], *values] if include else values)
    return y


def rows_with(function):
    """Return what applies a function to some rows and to others."""

    def applied(x, index, updates, locking=False):
        rows = updates.reshape(-1, *x.shape[1:])
        return changed(x, lambda y: function.at(y, index.reshape(-1), rows))

    return applied


def at(dim, index):
    """Return a key that selects slices along an axis."""
    return (*[slice(None)] * dim, np.asarray(index, int))


def take(x, dim, index):
    return np.take(x, index, dim)


def replaced(x, dim, index, values):
    return put_at(x, at(dim, index), values)


def scatter_nd(x, index, updates):
    return put_at(x, tuple(np.moveaxis(index, -1, 0)), updates)


def repeated(x, counts, _):
    return np.repeat(x.reshape(-1), counts)


def repeat_along(x, counts, dim, _):
    return np.repeat(x, counts, dim)


def masked_select(x, mask):
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def index_add(x, dim, index, source, alpha, *_):
    source = np.moveaxis(np.asarray(source * alpha), dim, 0)
    return changed(x, lambda y: np.add.at(np.moveaxis(y, dim, 0), index, source))


def masked_scatter(x, mask, source):
    mask = np.broadcast_to(mask, x.shape)
    return changed(x, lambda y: np.place(y, mask, source.reshape(-1)[: mask.sum()]))


def put(x, index, source, accumulate):
    return put_at(x.reshape(-1), index, source, accumulate).reshape(x.shape)


def index_put(x, indices, values, accumulate, _):
    return put_at(x, tuple(indices), values, accumulate)


def pad(mode):
    """Return what pads the last axes."""

    def padded(x, padding, *value):
        pairs = [(padding[2 * k], padding[2 * k + 1]) for k in range(len(padding) // 2)]
        widths = [*[(0, 0)] * (x.ndim - len(pairs)), *reversed(pairs)]
        return np.pad(x, widths, mode, **({"constant_values": value[0]} if value else {}))

    return padded


def pad_backward(mode):
    """Return the transposed map of a padding, from the places that it copies."""

    def backward(grad, x, padding):
        places = pad(mode)(np.arange(x.size).reshape(x.shape), padding)
        found = np.zeros(x.size)
        np.add.at(found, places.reshape(-1), grad.reshape(-1))
        return found.reshape(x.shape)

    return backward


def unique(x, ordered, inverse, counts=True):
    values, places, numbers = np.unique(x, return_inverse=True, return_counts=True)
    return values, places.reshape(x.shape), numbers


def runs(x, inverse, counts, dim):
    """Return runs of equal slices."""
    if dim == 1000:
        x, dim = x.reshape(-1), 0
    slices = np.moveaxis(x, dim, 0)
    starts = np.flatnonzero(
        [k == 0 or (slices[k] != slices[k - 1]).any() for k in range(len(slices))]
    )
    places = np.searchsorted(starts, np.arange(len(slices)), "right") - 1
    return np.take(x, starts, dim), places, np.diff([*starts, len(slices)])


def unique_slices(x, ordered, inverse, dim):
    values, places, counts = np.unique(x, axis=dim, return_inverse=True, return_counts=True)
    return values, places.reshape(-1), counts


def one_hot(index, classes, on, off, axis):
    found = np.where(np.arange(classes) == index[..., None], on, off)
    return np.moveaxis(found, -1, axis)


def slices(x, starts, ends, axes, steps):
    key = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        key[axis] = slice(start, end, step)
    return x[tuple(key)]


def im2col(x, kernel, dilation, padding, stride):
    """Return the windows of a picture as columns."""
    n, c = x.shape[:2]
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    out = [(x.shape[2 + k] - dilation[k] * (kernel[k] - 1) - 1) // stride[k] + 1 for k in (0, 1)]
    parts = [
        x[:, :, i * dilation[0] :, j * dilation[1] :][:, :, :: stride[0], :: stride[1]][
            :, :, : out[0], : out[1]
        ]
        for i in range(kernel[0])
        for j in range(kernel[1])
    ]
    return np.stack(parts, 2).reshape(n, c * len(parts), out[0] * out[1])


def unfold_backward(grad, sizes, dim, size, step):
    """Return sums over the windows that an element is in."""
    found = np.zeros(sizes, grad.dtype)
    moved = np.moveaxis(found, dim, 0)
    for k in range(grad.shape[dim]):
        for j in range(size):
            moved[k * step + j] += np.take(grad[..., j], k, dim)
    return found


def unpool(x, index, size, *_):
    """Return elements at places of larger planes."""
    axes = len(size)
    found = np.zeros((*x.shape[:-axes], int(np.prod(size))), x.dtype)
    flat = index.reshape(*x.shape[:-axes], -1)
    np.put_along_axis(found, flat, x.reshape(flat.shape), -1)
    return found.reshape(*x.shape[:-axes], *size)


def planes(before, n, after):
    """Return a function that makes different places in planes of a size."""

    def made(rng):
        every = rng.permuted(np.tile(np.arange(n), (*before, 1)), axis=-1)
        return every[..., : int(np.prod(after))].reshape(*before, *after)

    return made


def embedding_backward(grad, index, n, padding, by_freq):
    found = np.zeros((n, grad.shape[-1]))
    counts = np.bincount(index.reshape(-1), minlength=n)
    for k, row in zip(index.reshape(-1), grad.reshape(-1, grad.shape[-1]), strict=True):
        if k != padding:
            found[k] += row / counts[k] if by_freq else row
    return found


def fill_diagonal(x, value, wrap):
    return changed(x, lambda y: np.fill_diagonal(y, value, wrap=wrap))


def permuted(x, perm, shape, first):
    return x.transpose(perm).reshape(shape) if first else x.reshape(shape).transpose(perm)


def chunk_cat(xs, dim, chunks):
    """Return chunks of tensors, one below the other, beside each other."""
    parts = []
    for x in xs:
        length = -(-x.shape[dim] // chunks)
        widths = [(0, length * chunks - x.shape[dim] if k == dim else 0) for k in range(x.ndim)]
        x = np.pad(x, widths)
        parts.append(x.reshape(*x.shape[:dim], chunks, -1))
    return np.concatenate(parts, dim + 1)


def renormed(x, index, most, p):
    """Return a table, with rows shortened that indices name."""
    norms = (abs(x) ** p).sum(1, keepdims=True) ** (1 / p)
    named = np.isin(np.arange(len(x)), index)[:, None]
    return np.where(named & (norms > most), x * most / (norms + 1e-7), x)


COUNTS = held([2, 0, 1, 3])
BINARY = lambda rng: rng.integers(0, 2, (4, 6))  # noqa: E731
PUT = ("5 6", 1, "5 3 ~6", "5 3")


def gathered(x, dim, i, batch, _):
    """Return slices along an axis, for each place of the first axes by its own indices."""
    batch %= i.ndim
    found = [np.take(x[k], i[k], dim % x.ndim - batch) for k in np.ndindex(x.shape[:batch])]
    return np.reshape(found, (*x.shape[:batch], *found[0].shape))


def scatter_updated(x, starts, updates, axis):
    """Return data with updates along an axis, for each place of the first from its own index."""
    found = np.moveaxis(x.copy(), axis, 1)
    for row, start, update in zip(found, starts, np.moveaxis(updates, axis, 1), strict=True):
        row[start : start + len(update)] = update
    return np.moveaxis(found, 1, axis)


MODES = {"ReflectionPad": "reflect", "ReplicationPad": "edge"}
#: shapes of padded tensors and of tensors, and the widths of their borders
PADS = (
    ("N 3 9", "N 3 6", [2, 1]),
    ("N 3 8 9", "N 3 5 6", [2, 1, 0, 3]),
    ("2 3 7 8 9", "2 3 4 5 6", [2, 1, 0, 3, 1, 2]),
)
INDEXING: dict[str, Judge] = {
    "Embedding": judged(lambda w, i: w[i], "7 3, N 4 <7"),
    "EmbeddingDenseBackward": judged(embedding_backward, ("4 2 3, 4 2 <6", 6, 1, False),
        ("9 3, 9 <4", 4, 2**64 - 1, True)),
    "EmbeddingRenorm": judged(renormed, ("6 4, 5 <6", 1.5, 2.0)),
    "Gather": judged(lambda x, *at: x[along(x, *at)], ("4 6 3", 1, "4 2 3 <6"),
        ("4 6", 0, "N 6 <4")),
    "GatherNd": judged(lambda x, i, _: x[tuple(np.moveaxis(i, -1, 0))], ("4 6 3, N 2 <4", False)),
    "GatherV2": judged(take, ("4 6 3", 1, "N 2 <6"), ("4 6 3", -1, "5 <3"), ("7", 0, "3 <7")),
    "GatherV3": judged(gathered, ("4 6 3", 1, "N 2 <6", 0, 0), ("2 6 3", -2, "2 5 <6", 1, 0),
        ("2 3 4 5", 3, "2 3 2 <5", -1, 1)),
    "IndexSelect": judged(take, ("4 6 3", 1, "5 <6"), ("4 6", 0, "N <4")),
    "Take": judged(np.take, "4 6, N 3 <24"),
    "Index": judged(lambda x, i: x[tuple([k if k.size else slice(None) for k in i])],
        ("4 6 3", ["N 2 <4", "2 <6"]), ("4 6 3", ["5 <4"]), ("4 6 3", ["0 <1", "2 <6"])),
    "IndexFill": judged(replaced, ("4 6 3", 1, "2 <6", 3)),
    "IndexFillTensor": judged(replaced, ("4 6 3", 1, [0, 4], 3)),
    "IndexPutImpl": judged(index_put, ("4 6 3", ["2 <4"], "2 6 3", False, False),
        ("4 6 3", ["5 <4", "5 <6"], "5 3", True, False)),
    "IndexAdd": judged(index_add, ("4 6 3", 1, "5 <6, 4 5 3", 2)),
    "IndexAddV2": judged(index_add, ("4 6 3", 1, "5 <6, 4 5 3", 2, 0)),
    "IndexCopy": judged(replaced, ("4 6 3", 1, "3 ~6, 4 3 3")),
    "InplaceMaskedScatter": judged(masked_scatter, "4 6, 4 6, 24", "4 6, 6, 4 6"),
    "MaskedSelect": judged(masked_select, "4 6, 4 6", "4 6, 6"),
    "Nonzero": judged(np.argwhere, BINARY, result="index"),
    "NonzeroV2": judged(lambda x: np.argwhere(x).T, BINARY, result="index"),
    "RepeatInterleave": judged(repeated, ("4", COUNTS, 6)),
    "RepeatInterleaveInt": judged(repeated, ("3 4", 2, 24)),
    "RepeatInterleaveIntWithDim": judged(repeat_along, ("N 4 3", 2, 1, 8)),
    "RepeatInterleaveTensor": judged(lambda r, n: np.repeat(np.arange(len(r)), r), (COUNTS, 6),
        result="index"),
    "RepeatInterleaveWithDim": judged(repeat_along, ("N 4 3", COUNTS, 1, 6)),
    "Flip": judged(np.flip, ("N 4 3", [0, 2]), ("N 4 3", [1])),
    "ScatterAdd": judged(lambda *given: scatter(*given, 1), ("5 6", 1, "4 3 <6, 4 3"),
        ("4 6 3", 0, "5 6 3 <4, 5 6 3")),
    "Scatter": judged(scatter, (*PUT, 0), ("5 6", 1, "5 3 <6, 5 3", 1),
        ("5 6", 0, "3 4 <5, 3 4", 2)),
    "ScatterValue": judged(scatter, (*PUT[:3], 3, 0), ("5 6", 1, "5 3 <6", 2, 1),
        ("5 6", 0, "3 4 <5", 2, 2)),
    "ScatterReduce": judged(scatter_reduce, ("4 6", 0, "5 6 <4, 5 6", 2, False),
        ("4 6", 1, "4 3 ~6, 4 3", 0, True),
        *[("4 6", 1, "4 5 <6, 4 5", code, code != 4) for code in (1, 3, 4, 5)]),
    "ScatterMax": judged(rows_with(np.maximum), ("5 6, 3 2 <5, 3 2 6", False)),
    "ScatterMin": judged(rows_with(np.minimum), ("5 6, 3 2 <5, 3 2 6", False)),
    "ScatterDiv": judged(rows_with(np.divide), ("5 6, 3 <5, 3 6 +", False)),
    "ScatterMul": judged(rows_with(np.multiply), ("5 6, 3 <5, 3 6", False)),
    "TfScatterAdd": judged(rows_with(np.add), "5 6, 3 2 <5, 3 2 6"),
    "ScatterNd": judged(scatter_nd, "4 6 3, 2 1 <1, 2 6 3",
        ("7", lambda rng: rng.permutation(7)[:4, None], "4")),
    "ScatterNdUpdate": judged(scatter_nd, ("4 6 3", held([[3, 1], [0, 5]]), "2 3")),
    "InplaceScatterUpdate": judged(scatter_updated, ("2 3 6 2", held([1, 4]), "2 3 2 2", -2),
        ("2 6", held([5, 0]), "2 1", 1)),
    "InplacePut": judged(put, ("4 6, 5 ~24, 5", False), ("4 6, 3 2 <24, 3 2", True)),
    "MaxUnpool2d": judged(unpool, ("2 3 2 2", planes((2, 3), 20, (2, 2)), [4, 5])),
    "MaxUnpool3d": judged(unpool,
        ("2 3 2 1 2", planes((2, 3), 32, (2, 1, 2)), [4, 2, 4], [2, 2, 2], [0, 0, 0])),
    "Unique": judged(lambda *given: unique(*given)[:2], ("4 6", True, True)),
    "Unique2": judged(unique, ("4 6", True, True, True)),
    "UniqueConsecutive": judged(runs, (held([1, 1, 2, 2, 2, 3, 1]), True, True, 1000),
        (held([[1, 1, 2], [0, 0, 3]]), True, True, 1)),
    "UniqueDim": judged(unique_slices, (held([[1, 2], [0, 3], [1, 2]]), True, True, 0),
        (held([[1, 1, 2], [3, 3, 0]]), True, True, 1)),
    "OneHot": judged(one_hot, ("N 3 <5", 6, "1, 1", -1), ("4 3 <5", 5, "1, 1", 0)),
    "Cat": judged(np.concatenate, (["3 N 4", "3 5 4", "3 1 4"], 1), (["3 4", "N 4"], 0)),
    "ChunkCat": judged(chunk_cat, (["4 3", "2 3"], 0, 2), (["5 3", "4 3"], 0, 2)),
    "CircularPad2d": judged(pad("wrap"), ("2 3 4 5", [1, 2, 3, 0])),
    "CircularPad3d": judged(pad("wrap"), ("2 3 4 5 2", [1, 0, 2, 1, 0, 2])),
    "CircularPad2dBackward": judged(pad_backward("wrap"), ("2 3 7 8, 2 3 4 5", [1, 2, 3, 0]),
        ("3 4 7, 3 4 5", [2, 0, 0, 0])),
    "CircularPad3dBackward": judged(pad_backward("wrap"),
        ("2 3 6 8 3, 2 3 4 5 2", [1, 0, 2, 1, 0, 2])),
    "ConstantPadNd": judged(pad("constant"), ("N 4 5", [1, 2, 3, 0], 2), ("4 5", [0, 3], 1)),
    "ConfusionTranspose": judged(permuted, ("2 3 4", [1, 0, 2], [3, 8], True),
        ("2 3 4", [1, 0], [6, 4], False)),
    "Diag": judged(np.diag, ("4 5", 1), ("4", -1)),
    "DiagFlat": judged(np.diagflat, ("2 3", 1), ("4", -2)),
    "InplaceFillDiagonal": judged(fill_diagonal, ("4 5", 2, False), ("7 3", 3, True)),
    "InplaceFillTensor": judged(lambda x, v: np.full(x.shape, v), ("N 3", ""), "3 2, 1"),
    "InplaceOne": judged(np.ones_like, "N 3"),
    "Flatten": judged(lambda x, a: x.reshape(int(np.prod(x.shape[:a])), -1), ("2 3 4", 1),
        ("2 3 4", 0), ("2 3 4", 2)),
    "Im2col": judged(im2col, ("2 3 5 6", [2, 3], [1, 2], [1, 0], [2, 1])),
    **{
        f"{name}{len(padding) // 2}d": judged(pad(mode), (shape, padding))
        for name, mode in MODES.items()
        for _, shape, padding in PADS
    },
    **{
        f"{name}{len(padding) // 2}dBackward": judged(pad_backward(mode), (grad, shape, padding))
        for name, mode in MODES.items()
        for grad, shape, padding in PADS
    },
    "Stack": judged(np.stack, (["3 N 4", "3 N 4"], 1), (["3 4", "3 4"], -1), (["3 4"], -1),
        (["3 4"], 1)),
    "Roll": judged(lambda x, s, d: np.roll(x, s, tuple(d) if d else None),
        ("N 4 3", [2, -1], [1, 2]), ("4 3", [5], [])),
    "Slice": judged(lambda x, d, a, b, s: slices(x, [a], [b], [d], [s]), ("N 7 3", 1, 1, 4, 2),
        ("4 7", -1, -5, 100, 3)),
    "SliceV2": judged(slices, ("4 7 3", [1, 0], [4, 6], [0, 1], [2, 3]),
        ("4 7", [-3], [100], [-1], [1])),
    "SplitTensor": judged(lambda x, n, d: np.split(x, range(n, x.shape[d], n), d), ("3 7 2", 3, 1)),
    "SplitWithSize": judged(lambda x, n, d: np.split(x, np.cumsum(n)[:-1], d),
        ("3 7 2", [1, 4, 2], 1)),
    "ChannelShuffle": judged(
        lambda x, g: x.reshape(len(x), g, -1, *x.shape[2:]).swapaxes(1, 2).reshape(x.shape),
        ("2 6 3 5", 3),
    ),
    "Permute": judged(np.transpose, ("N 4 3", [2, 0, 1]), ("4 3", [1, 0])),
    "Tril": judged(np.tril, ("N 4 3", 1), ("4 5", -1)),
    "Triu": judged(np.triu, ("N 4 3", 1), ("4 5", -1)),
    "UnfoldGrad": judged(unfold_backward, ("2 3 4 3", [2, 9, 4], 1, 3, 3), ("4 2", [5], 0, 2, 1)),
    "Expand": judged(lambda x, size: np.broadcast_to(x, size), ("3 1 4", [2, 3, 5, 4])),
    "Repeat": judged(np.tile, ("N 3", [2, 1, 3])),
    "Eye": judged(np.eye, (4, 6)),
    "Arange": judged(np.arange, (2, 17, 3)),
    "Range": judged(lambda a, b, s: np.arange(a, b + 1, s), (2, 17, 3)),
    "Linspace": judged(lambda a, b, n: np.linspace(a, b, n), (-2, 6, 5)),
    "LogSpace": judged(lambda a, b, n, base: np.logspace(a, b, n, base=base), (-1, 3, 5, 2.0)),
}  # fmt: skip
