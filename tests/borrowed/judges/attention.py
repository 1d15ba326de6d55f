"""Judges of attention: query by query, as its formula is written."""

import numpy as np

from ascendref.borrowed.table import borrowed

from .judge import Judge, held

#: arguments of calls that say nothing else
DEFAULTS = {
    "numHeads": 4, "scaleValue": 0.5, "preTokens": 2147483647, "nextTokens": 2147483647,
    "inputLayout": "BNSD", "numKeyValueHeads": 2, "sparseMode": 0, "innerPrecise": 0,
    "blockSize": 0, "antiquantMode": 0, "softmaxLseFlag": False, "keyAntiquantMode": 0,
    "valueAntiquantMode": 0, "queryQuantMode": 0,
}  # fmt: skip
TRIANGLE = held(np.triu(np.ones((2048, 2048)), 1))


def by_batch(x, form, heads, lengths):
    """Return a list of arrays with the axes head, position and element, one for each batch."""
    if form.endswith("H"):
        x, form = x.reshape(*x.shape[:2], heads, -1), "BSND"
    if "T" in form:
        x = np.moveaxis(x, form.index("N"), 0)
        return [x[:, a:b] for a, b in zip([0, *lengths[:-1]], lengths, strict=True)]
    x = np.moveaxis(x, form.index("N"), 1)
    counts = [x.shape[2]] if not lengths else list(lengths)
    counts = counts * len(x) if len(counts) == 1 else counts
    return [one[:, :count] for one, count in zip(x, counts, strict=False)]


def of_pages(x, heads, table, lengths, block):
    """Return the same of blocks, whose numbers are in a table."""
    if x.ndim == 3:
        x = np.moveaxis(x.reshape(*x.shape[:2], heads, -1), 2, 1)
    if x.ndim == 5:
        parts = [x[:, :, k] for k in range(x.shape[2])]
        x = np.concatenate(parts, -1)
    return [
        np.stack([x[row[k // block], :, k % block] for k in range(count)], 1)
        for row, count in zip(table, lengths, strict=True)
    ]


def sees(mode, mask, k, m, queries, keys, before, after):
    """Tell whether query k sees key m; without a mode only the mask counts."""
    if mode is None:
        return mask is None or mask.size == 2048**2 or not mask[k, m]
    if mode == 1 or (mode == 0 and mask is not None and mask[k, m]):
        return mask is None or not mask[k, m]
    own = k + (keys - queries if mode in (3, 4) else 0)
    if mode == 0:
        return mask is None or own - before <= m <= own + after
    return m <= own if mode in (2, 3) else own - before <= m <= own + after


def attention(given):
    form, _, result = (given["inputLayout"] or "BSH").partition("_")
    heads = given["numHeads"]
    kv_heads = given["numKeyValueHeads"] or heads
    lengths, kv_lengths = given["actualSeqLengths"], given["actualSeqLengthsKv"]
    query, keys, values = given["query"], given["key"], given["value"]
    keys, values = (x if isinstance(x, list) else [x] for x in (keys, values))
    queries = by_batch(query, form, heads, lengths)
    table = given.get("blockTable")
    if table is not None:
        paged = kv_heads, table, kv_lengths, given["blockSize"]
        keys, values = of_pages(keys[0], *paged), of_pages(values[0], *paged)
    else:
        keys, values = (
            [part for x in some for part in by_batch(x, form, kv_heads, kv_lengths)]
            for some in (keys, values)
        )
    mode, mask, shift = given["sparseMode"], given["attenMask"], given["pseShift"]
    single = "T" not in form and query.shape[form.index("S")] == 1
    outs, logs = [], []
    for batch, (q, k, v) in enumerate(zip(queries, keys, values, strict=True)):
        own = None if mask is None else mask.reshape(-1, *mask.shape[-2:])
        if own is not None:
            rows = own[batch % len(own)]
            own = mask[batch : batch + 1] if single and len(mask) == len(queries) else rows
        out, log = np.zeros((*q.shape[:2], v.shape[-1])), np.full(q.shape[:2], np.inf)
        for head in range(heads):
            h = head // (heads // kv_heads)
            for i in range(q.shape[1]):
                seen = [
                    j
                    for j in range(k.shape[1])
                    if sees(
                        None if single else mode, own, i, j, q.shape[1], k.shape[1],
                        given["preTokens"], given["nextTokens"],
                    )
                ]  # fmt: skip
                if not seen:
                    continue
                scores = k[h, seen] @ q[head, i] * given["scaleValue"]
                if shift is not None:
                    scores = scores + shift[batch % len(shift), head, i, seen]
                top = scores.max()
                weights = np.exp(scores - top)
                out[head, i] = weights @ v[h, seen] / weights.sum()
                log[head, i] = top + np.log(weights.sum())
        outs.append(out)
        logs.append(log)
    return laid_out(outs, logs, form, result or form, query, given.get("softmaxLseFlag"))


def laid_out(outs, logs, form, result, query, wants):
    """Return the results of all batches in a layout, and the logarithms if they are wanted."""
    if "T" in form:
        out, log = np.concatenate(outs, 1), np.concatenate(logs, 1)
        out = out if result == "NTD" else np.moveaxis(out, 0, 1)
        return out, log.T[..., None] if wants else None
    most = query.shape[form.index("S")]

    def padded(x, fill):
        rest = [(0, 0)] * (x.ndim - 2)
        return np.pad(x, [(0, 0), (0, most - x.shape[1]), *rest], constant_values=fill)

    out = np.stack([padded(x, 0) for x in outs])
    log = np.stack([padded(x, np.inf) for x in logs])
    whole = np.transpose(out, ["BNSD".index(axis) for axis in result.replace("H", "ND")])
    whole = whole.reshape(*whole.shape[:2], -1) if result.endswith("H") else whole
    return whole, log[..., None] if wants else None


def judge(api, *calls):
    """Return a judge of a function with calls, each the arguments that are not the usual ones."""
    names = [param.name for param in borrowed()[api].parameters if param.is_read]
    bare = [name.removesuffix("Optional") for name in names]

    def value(*given):
        found = attention(dict(zip(bare, given, strict=True)))
        return found if "softmaxLseFlag" in bare else found[0]

    usual = dict.fromkeys(bare) | {name: x for name, x in DEFAULTS.items() if name in bare}
    return Judge(value, calls=tuple([tuple((usual | call).values()) for call in calls]))


def tensors(query, key, value=None):
    """Return queries, and keys and values in lists."""
    keys = key if isinstance(key, list) else [key]
    values = keys if value is None else value if isinstance(value, list) else [value]
    return {"query": query, "key": keys, "value": values}


def shown(rng):
    """Return a mask of batches that hides some keys, and all keys from one query."""
    mask = rng.integers(0, 2, (2, 1, 4, 8))
    mask[0, 0, 1] = 1
    return mask


BOTH = {"softmaxLseFlag": True}
PLAIN = tensors("2 4 3 6", "2 2 5 6", "2 2 5 7")
PAGED = {"actualSeqLengthsKv": [5, 3], "blockSize": 4, "blockTable": held([[2, 0, 9], [1, 9, 9]])}
PACKED = tensors("7 4 6", "9 2 6") | {
    "inputLayout": "TND",
    "actualSeqLengths": [3, 3, 7],
    "actualSeqLengthsKv": [2, 5, 9],
}
SPARSE = [
    {"attenMask": TRIANGLE, "sparseMode": 2},
    {"attenMask": TRIANGLE, "sparseMode": 3} | BOTH,
    {"attenMask": TRIANGLE, "sparseMode": 4, "preTokens": 1, "nextTokens": 0},
]
FULL = [
    {"attenMask": shown, "sparseMode": 1, "innerPrecise": 2},
    {"attenMask": shown, "preTokens": 1, "nextTokens": 2},
    {"attenMask": "5 8 <2", "pseShift": "1 4 4 9"},
]
#: calls without pages and without T
COMMON = [
    PLAIN,
    PLAIN | {"inputLayout": None} | tensors("2 3 24", "2 5 12"),
    PLAIN | {"inputLayout": "BSND"} | tensors("2 3 4 6", "2 5 2 6"),
    PLAIN | {"inputLayout": "BNSD_BSND", "actualSeqLengths": [2, 0], "actualSeqLengthsKv": [4]},
    PLAIN | {"numKeyValueHeads": 0} | tensors("2 4 3 6", "2 4 5 6"),
    tensors("2 4 1 6", "2 2 5 6") | {"attenMask": "2 5 <2", "sparseMode": 3, "preTokens": 0},
    tensors("2 4 1 6", "2 2 5 6") | {"attenMask": TRIANGLE, "sparseMode": 2},
    *[PLAIN | each for each in [*SPARSE, *FULL]],
    tensors("1 4 5 6", "1 2 3 6") | SPARSE[1],  # two queries see no key
]
CALLS = [
    tensors("2 4 1 6", "3 4 12") | PAGED | BOTH,
    tensors("2 4 3 6", "3 2 4 6", "3 2 4 7") | PAGED | SPARSE[1],
    tensors("2 2 3 32", "3 2 2 4 16") | PAGED | {"numHeads": 2},
    PACKED | BOTH,
    PACKED | SPARSE[1] | {"inputLayout": "TND_NTD"},
    PACKED | SPARSE[2] | {"inputLayout": "NTD_TND"} | tensors("4 7 6", "2 9 6"),
    tensors("4 2 6", "3 2 4 6") | PAGED | {"inputLayout": "TND", "actualSeqLengths": [3, 4]}
    | {"numHeads": 2},
    tensors("2 4 3 6", ["1 2 5 6", "1 2 4 6"]),
    tensors("2 3 24", "2 5 12") | {"inputLayout": "BSH_NBSD"},
    *[call | (BOTH if call is PLAIN else {}) for call in COMMON],
]  # fmt: skip


def whole(call):
    """Return a call with keys and values in one tensor each."""
    lists = {name: call[name][0] for name in ("key", "value")}
    return {name: x for name, x in (call | lists).items() if name != "softmaxLseFlag"}


ATTENTION: dict[str, Judge] = {
    "FusedInferAttentionScoreV2": judge("aclnnFusedInferAttentionScoreV2", *CALLS),
    "FusedInferAttentionScoreV4": judge("aclnnFusedInferAttentionScoreV4", *CALLS[:4]),
    "PromptFlashAttentionV3": judge("aclnnPromptFlashAttentionV3", *map(whole, COMMON)),
}
