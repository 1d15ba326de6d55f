"""Attention of torch_npu's own with its gradients, beside the CPU's in F64."""

import math
from functools import partial

import torch
import torch_npu
from judging import beside, close, npu, operator, refuse
from torch.nn import functional as F

torch.manual_seed(0)
B, N, S, D = 2, 4, 6, 8
SCALE = 1 / math.sqrt(D)
LAYOUTS = {
    "BNSD": lambda x: x,
    "BSND": lambda x: x.transpose(1, 2),
    "BSH": lambda x: x.transpose(1, 2).flatten(2),
    "SBH": lambda x: x.permute(2, 0, 1, 3).flatten(2),
}
BACK = {
    "BNSD": lambda x, n: x,
    "BSND": lambda x, n: x.transpose(1, 2),
    "BSH": lambda x, n: x.unflatten(2, (n, -1)).transpose(1, 2),
    "SBH": lambda x, n: x.unflatten(2, (n, -1)).permute(1, 2, 0, 3),
}
#: the compressed mask of sparse_mode 2, 3 and 4
TRIANGLE = torch.ones(2048, 2048, dtype=torch.bool).triu(1)


def attention(q, k, v, hidden=None, added=0.0):
    """Return attention, and maxima and sums of the softmax, of tensors B, N, S, D."""
    shared = q.shape[1] // k.shape[1]
    k, v = (one.repeat_interleave(shared, 1) for one in (k, v))
    scores = SCALE * (q @ k.transpose(-1, -2) + added)
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    most = scores.amax(-1, keepdim=True)
    total = torch.exp(scores - most).sum(-1, keepdim=True)
    found = F.softmax(scores, -1).nan_to_num() @ v
    return found, *(one.detach().expand(*most.shape[:-1], 8) for one in (most, total))


def whole(q, k, v, hidden=None, added=0.0):
    """Return all results of attention, of which the last four are not compared."""
    return *attention(q, k, v, hidden, added), *[None] * 4


def made(heads=N, rows=S, columns=S):
    return torch.randn(B, N, rows, D), *(torch.randn(B, heads, columns, D) for _ in range(2))


# layouts; heads of the query that share one of the key
for layout, split in LAYOUTS.items():
    for heads in (N, 2, 1):

        def judge(q, k, v, layout=layout, heads=heads):
            parts = (BACK[layout](one, n) for one, n in ((q, N), (k, heads), (v, heads)))
            found, *others = attention(*parts)
            return LAYOUTS[layout](found), *others, *[None] * 4

        tensors = [split(one).contiguous() for one in made(heads)]
        assert beside("npu_fusion_attention", judge, tensors, N, layout, scale=SCALE)

# masks: in full, and by a triangle from the left upper or the right lower corner
rows, columns = torch.arange(S).unsqueeze(1), torch.arange(8)
some = torch.rand(B, 1, S, 8) < 0.3
some[..., 0] = False
near = (columns > rows + 2) | (columns < rows - 3)
shift = 8 - S
MASKS = [
    ({"atten_mask": some}, some),
    ({"atten_mask": some[:1, 0]}, some[:1]),
    ({"atten_mask": some[0, 0].to(torch.uint8), "sparse_mode": 1}, some[:1]),
    ({"atten_mask": near, "pre_tockens": 3, "next_tockens": 2}, near),
    ({"atten_mask": TRIANGLE, "sparse_mode": 2}, columns > rows),
    ({"atten_mask": TRIANGLE, "sparse_mode": 3}, columns > rows + shift),
    (
        {"atten_mask": TRIANGLE, "sparse_mode": 4, "pre_tockens": 3, "next_tockens": 1},
        (columns > rows + shift + 1) | (columns < rows + shift - 3),
    ),
    ({"next_tockens": 0}, None),  # without a mask, nothing is hidden
]
long = made(2, S, 8)
for options, hidden in MASKS:
    if hidden is not None:
        options["atten_mask"] = options["atten_mask"].npu()
    options |= {"inferred": False, "scale": SCALE}
    assert beside("npu_fusion_attention", partial(whole, hidden=hidden), long, N, "BNSD", **options)

# rows without anything to attend to are 0, with gradients 0
nothing = torch.zeros(S, S, dtype=torch.bool)
nothing[1] = True
q, k, v = (one.npu().requires_grad_() for one in made())
found = torch_npu.npu_fusion_attention(q, k, v, N, "BNSD", atten_mask=nothing.npu())[0]
assert (found[:, :, 1] == 0).all() and (found[:, :, 0] != 0).all()
found.sum().backward()
assert (q.grad[:, :, 1] == 0).all() and k.grad.isfinite().all()

# what is added to scores, before or after they are scaled; scores without a value
FUSED = operator("npu_fusion_attention")
SECOND = operator("npu_fusion_attention_v2")
for shape in ((B, N, S, S), (1, N, S, S), (B, N, 1, S)):
    assert beside(
        "npu_fusion_attention",
        lambda q, k, v, pse: whole(q, k, v, added=pse),
        [*made(), torch.randn(shape)],
        call=lambda q, k, v, pse: FUSED(q, k, v, N, "BNSD", pse, scale=SCALE),
    )
    assert beside(
        "npu_fusion_attention_v2",
        lambda q, k, v, pse: whole(q, k, v, added=pse / SCALE),
        [*made(), torch.randn(shape)],
        call=lambda q, k, v, pse: SECOND(q, k, v, N, "BNSD", pse=pse, scale=SCALE, pse_type=0),
    )


def sunk(q, k, v, sink):
    """Return attention whose rows have a score more, of 0 elements."""
    scores = torch.cat([SCALE * (q @ k.transpose(-1, -2)), sink.expand(B, N, S, 1)], -1)
    return torch.softmax(scores, -1)[..., :-1] @ v, *[None] * 6


for call in (FUSED, SECOND):
    assert beside(
        "npu_fusion_attention",
        sunk,
        [*made(), torch.randn(N, 1, 1)],
        call=lambda q, k, v, sink, call=call: call(
            q, k, v, N, "BNSD", scale=SCALE, sink=sink.reshape(N).float()
        ),
        inferred=False,
    )

# sequences of several lengths, one after the other
rows_end, columns_end = [2, 5, 5, 9], [3, 7, 8, 12]
packed = [torch.randn(10, N, D), torch.randn(12, 2, D), torch.randn(12, 2, D)]


def sequences(q, k, v, rule=None):
    pieces = []
    for start, end, first, last in zip(
        [0, *rows_end[:-1]], rows_end, [0, *columns_end[:-1]], columns_end, strict=True
    ):
        if end > start:
            parts = (
                one[a:b].transpose(0, 1)[None]
                for one, a, b in ((q, start, end), (k, first, last), (v, first, last))
            )
            hidden = None
            if rule is not None:
                hidden = torch.ones(end - start, last - first).triu(rule(end - start, last - first))
                hidden = hidden.bool()
            pieces.append([one[0].transpose(0, 1) for one in attention(*parts, hidden)])
    # the last row belongs to no sequence
    padded = (F.pad(torch.cat(one), (0, 0, 0, 0, 0, 1)) for one in zip(*pieces, strict=True))
    return *padded, *[None] * 4


ENDS = {"actual_seq_qlen": rows_end, "actual_seq_kvlen": columns_end, "scale": SCALE}
assert beside("npu_fusion_attention", sequences, packed, N, "TND", **ENDS)
judge = partial(sequences, rule=lambda rows, columns: columns - rows + 1)
masked = {"inferred": False, "atten_mask": TRIANGLE.npu(), "sparse_mode": 3, **ENDS}
assert beside("npu_fusion_attention", judge, packed, N, "TND", **masked)

q, k, v = (one.npu().requires_grad_() for one in packed)
found, most, total, *_ = FUSED(q, k, v, N, "TND", **ENDS)
given = torch.randn(found.shape).npu()
expected = torch.autograd.grad(found, (q, k, v), given)
gradients = torch.ops.npu.npu_fusion_attention_grad(
    *(one.detach() for one in (q, k, v)), given, N, "TND", softmax_max=most, softmax_sum=total,
    attention_in=found.detach(), scale_value=SCALE, actual_seq_qlen=rows_end,
    actual_seq_kvlen=columns_end,
)  # fmt: skip
close(gradients[:3], expected)
assert gradients[3] is None
ends = {name: torch.tensor(one) for name, one in ENDS.items() if name.startswith("actual")}
assert torch.equal(torch_npu.npu_fusion_attention_v3(q, k, v, N, "TND", **ENDS | ends)[0], found)

# the gradient that torch_npu calls, from results and with dropout
q, k, v = (one.npu().requires_grad_() for one in made(2))
pse = torch.randn(B, N, S, S).npu().requires_grad_()
sink = torch.randn(N).npu().requires_grad_()
for keep in (1.0, 0.7):
    torch.npu.manual_seed(5)
    found, most, total, _, seed, offset, count = FUSED(
        q, k, v, N, "BNSD", pse, scale=SCALE, keep_prob=keep, sink=sink
    )
    assert count == (0 if keep == 1 else B * N * S * S)
    given = torch.randn(found.shape).npu()
    expected = torch.autograd.grad(found, (q, k, v, pse, sink), given)
    gradients = torch.ops.npu.npu_fusion_attention_grad(
        *(one.detach() for one in (q, k, v)), given, N, "BNSD", pse=pse.detach(),
        softmax_max=most, softmax_sum=total, attention_in=found.detach(), scale_value=SCALE,
        keep_prob=keep, seed=seed, offset=offset, numels=count, sink=sink.detach(),
    )  # fmt: skip
    close(gradients, expected)
    wanted = expected
    results = {"softmax_max": most, "softmax_sum": total, "attention_in": found.detach()}
    if keep == 1:  # added to scores that are scaled already, the same
        more = {"pse": pse.detach() * SCALE, "pse_type": 0}
        expected = [*expected[:3], expected[3] / SCALE, expected[4]]
    else:
        more = {"pse": pse.detach(), "keep_prob": keep, "seed": seed, "offset": offset}
    gradients = torch.ops.npu.npu_fusion_attention_grad_v2(
        *(one.detach() for one in (q, k, v)), given, N, "BNSD", scale_value=SCALE, numels=count,
        sink=sink.detach(), **results, **more,
    )  # fmt: skip
    close([*gradients[:4], gradients[6]], expected)
    assert gradients[4].numel() == gradients[5].numel() == 0
    torch.npu.manual_seed(5)  # seed and offset as tensors, which the host has
    *third, seed, offset = torch_npu.npu_fusion_attention_v3(
        q, k, v, N, "BNSD", pse, scale=SCALE, keep_prob=keep, sink=sink
    )
    assert torch.equal(third[0], found)
    close(torch.autograd.grad(third[0], (q, k, v, pse, sink), given), wanted)
    gradients = torch.ops.npu.npu_fusion_attention_grad_v3(
        *(one.detach() for one in (q, k, v)), given, N, "BNSD", pse=pse.detach(),
        scale_value=SCALE, keep_prob=keep, seed=seed, offset=offset, sink=sink.detach(), **results,
    )  # fmt: skip
    close(gradients, wanted)
torch.npu.manual_seed(5)
again = FUSED(q, k, v, N, "BNSD", pse, scale=SCALE, keep_prob=0.7, sink=sink)[0]
assert torch.equal(again, found)
chances = torch.eye(S).expand(B, N, S, S).npu()  # as values, they show what is kept
kept = FUSED(*(torch.zeros(B, N, S, 8).npu() for _ in range(2)), chances, N, "BNSD", keep_prob=0.7)
kept = kept[0].cpu() * S
assert set(kept.mul(0.7).round().unique().tolist()) == {0.0, 1.0}
assert 0.6 < (kept > 0).float().mean() < 0.8

# the mask of a seed and an offset, or one that is given
ends = {"actual_seq_qlen": [3, 5], "actual_seq_kvlen": [2, 6]}
state = {"seed": 9, "offset": 4}
columns = [slice(0, 2), slice(2, 6)]
parts = [slice(0, 3), slice(3, 5)], columns, columns


def sequences(tensor, places):
    """Return the sequences of a tensor in the layout TND, in the layout BNSD."""
    return [tensor[place].transpose(0, 1).unsqueeze(0) for place in places]


for layout, shapes, limits, sizes in (
    ("BNSD", [(B, N, S, 8)] * 3, {}, [(B, N, S, S)]),
    ("TND", [(5, N, 8), (6, N, 8), (6, N, 8)], ends, [(1, N, 3, 2), (1, N, 2, 4)]),
):
    counts = [torch.Size(size).numel() for size in sizes]
    mask = torch.ops.npu._npu_dropout_gen_mask(q, [sum(counts)], 0.3, **state)
    bits = ((mask.cpu().unsqueeze(1) >> torch.arange(8)) & 1).reshape(-1)
    kept = bits[: sum(counts)].split(counts)
    tensors = [torch.randn(shape) for shape in shapes]
    split = [[one] for one in tensors]
    if limits:
        split = [sequences(one, places) for one, places in zip(tensors, parts, strict=True)]
    pieces = []
    for one, other, third, flags, size in zip(*split, kept, sizes, strict=True):
        chances = torch.softmax(one.double() @ other.double().transpose(-1, -2) * SCALE, -1)
        pieces.append(chances * flags.reshape(size) / 0.7 @ third.double())
    expected = torch.cat(pieces, 2)
    expected = expected.squeeze(0).transpose(0, 1) if limits else expected
    for given in (state, {"dropout_mask": mask}):
        found, *_, seed, offset, count = FUSED(
            *npu(*tensors), N, layout, scale=SCALE, keep_prob=0.7, **limits, **given
        )
        assert count == sum(counts)
        assert "seed" not in given or (seed, offset) == (9, 4)
        close(found, expected)

# both halves of the columns, together, are all columns
q, k, v = (LAYOUTS["SBH"](one).contiguous().npu() for one in made())
full = FUSED(q, k, v, N, "SBH", scale=SCALE)
halves = [FUSED(q, k[part], v[part], N, "SBH", scale=SCALE)[:3] for part in (slice(2), slice(2, S))]
together = torch_npu.npu_ring_attention_update(*halves[0], *halves[1])
close(together, full[:3])
given = torch.randn(full[0].shape).npu()
given_results = {"softmax_max": full[1], "softmax_sum": full[2], "attention_in": full[0]}
pieces = [
    torch.ops.npu.npu_fusion_attention_grad(
        q, k[part], v[part], given, N, "SBH", scale_value=SCALE, **given_results
    )
    for part in (slice(2), slice(2, S))
]
expected = torch.ops.npu.npu_fusion_attention_grad(
    q, k, v, given, N, "SBH", scale_value=SCALE, **given_results
)
(q_first, *first, _, _), (q_second, *second, _, _) = pieces
close([q_first + q_second, *map(torch.cat, zip(first, second, strict=True))], expected[:3])

# three parts of the columns as rows of results, with logarithms of sums
q, k, v = made(2, S, 12)
expected, most, total = attention(*(one.double() for one in (q, k, v)))
cuts = [slice(0, 2), slice(2, 7), slice(7, 12)]
shares = [attention(q, k[:, :, cut], v[:, :, cut]) for cut in cuts]
for kind in (torch.float32, torch.float16):
    found, sums = torch_npu.npu_attention_update(
        [(high + low.log())[..., 0].reshape(-1).npu() for _, high, low in shares],
        [share.reshape(-1, D).to(kind).npu() for share, _, _ in shares],
        1,
    )
    assert found.dtype == kind and sums.dtype == torch.float32
    close(found, expected.reshape(-1, D), 1e-5 if kind == torch.float32 else 2e-3)
    close(sums, (most + total.log())[..., 0].reshape(-1))

# inference: the first rows and columns of each batch
q, k, v = (one.half() for one in made(2, S, 8))
lengths, others = [4, 6], [8, 3]
expected = torch.zeros(B, N, S, D, dtype=torch.float64)
sums = torch.full((B, N, S, 1), -torch.inf, dtype=torch.float64)
for batch, (row, column) in enumerate(zip(lengths, others, strict=True)):
    parts = (q[batch, :, :row], k[batch, :, :column], v[batch, :, :column])
    found, most, total = attention(*(one.double()[None] for one in parts))
    expected[batch, :, :row] = found[0]
    sums[batch, :, :row] = (most + total.log())[0, ..., :1]
LENGTHS = {"actual_seq_lengths": lengths, "actual_seq_lengths_kv": others}
LENGTHS_V2 = {"actual_seq_qlen": lengths, "actual_seq_kvlen": others}
LENGTHS_V2 |= {"num_query_heads": N, "softmax_scale": SCALE, "return_softmax_lse": True}
for layout in ("BSH", "BSND", "BNSD", "BNSD_BSND"):
    before, _, after = layout.partition("_")
    device = [LAYOUTS[before](one).contiguous().npu() for one in (q, k, v)]
    options = {"input_layout": layout, "num_key_value_heads": 2}
    named = {**LENGTHS, **options, "num_heads": N}
    want = LAYOUTS[after or before](expected)
    close(torch_npu.npu_prompt_flash_attention(*device, scale_value=SCALE, **named), want, 1e-3)
    score = torch_npu.npu_fused_infer_attention_score
    found = score(*device, scale=SCALE, softmax_lse_flag=True, **named)
    close(found[0], want, 1e-3)
    used = sums > -torch.inf
    close(found[1].cpu()[used], sums[used])
    second = torch_npu.npu_fused_infer_attention_score_v2(*device, **LENGTHS_V2, **options)
    assert all(torch.equal(one, other) for one, other in zip(found, second, strict=True))
    out = [torch.empty_like(one) for one in found]
    third = torch_npu.npu_fused_infer_attention_score_v2.out(
        *device, workspace=q.npu(), out=out, **LENGTHS_V2, **options
    )
    assert third[0].data_ptr() == out[0].data_ptr()
    assert all(torch.equal(one, other) for one, other in zip(out, second, strict=True))
hidden = torch.rand(B, 1, 1, 8) < 0.3
hidden[..., 0] = False
want = attention(*(one.double() for one in (q[:, :, :1], k, v)), hidden)[0]
options = {"atten_mask": hidden.npu(), "num_heads": N, "num_key_value_heads": 2}
for layout in ("BSH", "BSND", "BNSD"):
    device = [LAYOUTS[layout](one).contiguous().npu() for one in (q[:, :, :1], k, v)]
    found = torch_npu.npu_incre_flash_attention(
        *device, scale_value=SCALE, input_layout=layout, **options
    )
    close(found, LAYOUTS[layout](want), 1e-3)

# what is wrong, and what is not emulated, says so
q, k, v = (one.npu() for one in made())
WRONG = (
    (lambda: FUSED(q, k, v, N, "NBSD"), "input_layout is 'NBSD'; allowed: 'BSH', 'SBH', 'BSND'"),
    (lambda: FUSED(q, k, v, 3, "BNSD"), "head_num is 3; the query has 4 heads"),
    (lambda: FUSED(q, k, v, N, "BSH"), "input_layout is BSH, of a tensor with 4 dimensions"),
    (lambda: FUSED(q, k, v, N, "BNSD", keep_prob=0.0), "keep_prob is 0.0"),
    (lambda: FUSED(q[0], k[0], v[0], S, "TND"), "actual_seq_qlen is None"),
    *(
        (
            lambda ends=ends: FUSED(
                q[0], k[0], v[0], S, "TND", actual_seq_qlen=ends[0], actual_seq_kvlen=ends[1]
            ),
            f"{name} is {wrong}; expected: ends from 0 to 4, none less than",
        )
        for name, ends, wrong in (
            ("actual_seq_qlen", ([3, 2], [2, 4]), [3, 2]),
            ("actual_seq_qlen", ([-1, 2], [2, 4]), [-1, 2]),
            ("actual_seq_kvlen", ([2, 4], [3, 2]), [3, 2]),
            ("actual_seq_kvlen", ([2, 4], [-2, 4]), [-2, 4]),
        )
    ),
    *(
        (
            lambda call=call: call(q, k, v, N, "BNSD", atten_mask=q[:1, :1] * 0),
            "atten_mask has the type",
        )
        for call in (FUSED, SECOND)
    ),
    (lambda: FUSED(q, None, v, N, "BNSD"), "key is None; npu_fusion_attention needs a tensor"),
    (lambda: FUSED(q, k.half(), v, N, "BNSD"), "key has the type torch.float16"),
    (lambda: FUSED(q, k, v, N, "BNSD", sparse_mode=3), "atten_mask is None; sparse_mode 3 needs"),
    (
        lambda: FUSED(q, k, v, N, "BNSD", softmax_layout="NTD"),
        "softmax_layout is 'NTD'; allowed: '', 'TND'",
    ),
    (
        lambda: FUSED(q[0], k[0], v[0], S, "TND", actual_seq_qlen=[9], actual_seq_kvlen=[2]),
        "actual_seq_qlen is [9]; expected: ends from 0 to 4, none less than another before",
    ),
    (
        lambda: FUSED(q, k, v, N, "BNSD", atten_mask=near.npu(), sparse_mode=2),
        "atten_mask has the shape [6, 8]; for sparse_mode 2, its last two axes have 2048",
    ),
    (
        lambda: FUSED(q, k, v, N, "BNSD", atten_mask=nothing.npu(), next_tockens=0),
        "atten_mask keeps scores further than",
    ),
    (
        lambda: FUSED(q, k, v, N, "BNSD", atten_mask=nothing.npu(), sparse_mode=6),
        "sparse_mode is 6; allowed: 0, 1, 2, 3, 4",
    ),
    (
        lambda: SECOND(q, k, v, N, "BNSD", query_rope=q),
        "emulated device: npu::npu_fusion_attention_v2 is not available: with query_rope",
    ),
    (
        lambda: torch_npu.npu_incre_flash_attention(
            q.half(), k.half(), v.half(), num_heads=N, block_table=q
        ),
        "emulated device: npu::npu_incre_flash_attention is not available: with block_table",
    ),
)
refuse(WRONG)
