"""Types and tensors that formulas take, by the table and by torch_npu's documentation."""

from pathlib import Path

import pytest

from ..support.processes import run

PROGRAM = Path(__file__).with_name("argument_types.py")
#: operator, argument and types that its documentation excludes, or None for a missing tensor
EXCLUDED = """
npu_quant_matmul scale float16
npu_quant_matmul pertoken_scale float16 bfloat16
npu_fusion_attention query int32
npu_fusion_attention key float32 bfloat16
npu_fusion_attention atten_mask float32 float16 int32
npu_fusion_attention_v2 atten_mask float32
npu_fusion_attention_grad atten_mask float32
npu_prompt_flash_attention atten_mask float16 float32
npu_fused_infer_attention_score query float32
npu_fused_infer_attention_score atten_mask float32
npu_incre_flash_attention atten_mask float16
npu_rms_norm input int32
npu_rms_norm gamma int32 None
npu_add_rms_norm gamma None
npu_add_rms_norm x2 None
npu_rotary_mul input int32
npu_rotary_mul r1 None
npu_fusion_attention value None
npu_moe_gating_top_k_softmax x int32
npu_scaled_masked_softmax x int32
npu_scaled_masked_softmax mask float32
npu_dynamic_quant input float32
npu_moe_finalize_routing scales float32
npu_grouped_matmul_add weight float32
npu_cross_entropy_loss target int32
npu_top_k_top_p k int64
"""


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    """Return, for operator, argument and type, whether the table allows it, and what was raised."""
    folder = tmp_path_factory.mktemp("types")
    lines = run("-W", "ignore", "-m", "ascendref", "npu", PROGRAM, cwd=folder).splitlines()
    rows = (line.split("\t") for line in lines if line.count("\t") == 4)
    return {
        (name, argument, kind.removeprefix("torch.")): (allowed == "True", how)
        for name, argument, kind, allowed, how in rows
    }


def test_arguments_are_refused_exactly_where_the_table_excludes_them(calls):
    assert len({name for name, _, _ in calls}) >= 130
    for (name, argument, kind), (allowed, how) in calls.items():
        refused = how.startswith(f"OperatorTypeError: {argument} ")
        if kind == "None":  # without any tensor, PyTorch finds no kernel
            refused = refused or "There were no tensor arguments" in how
        assert refused != allowed, (name, argument, kind, how)


def test_what_the_documentation_excludes_is_refused_by_name(calls):
    for line in EXCLUDED.split("\n")[1:-1]:
        name, argument, *kinds = line.split()
        for kind in kinds:
            how = calls[name, argument, kind][1]
            came = "is None" if kind == "None" else f"has the type torch.{kind}"
            assert how.startswith(f"OperatorTypeError: {argument} {came}; {name} needs "), how
