"""Operators of torch_npu that are not emulated, refused by name.

torch_npu itself would refuse most of them only after checking arguments, with messages about
arguments or other versions of CANN; some would return nothing.
"""

from collections.abc import Callable, Container
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Final, NoReturn

import torch

NPU: Final = "PrivateUse1"
AUTOGRAD: Final = "AutogradPrivateUse1"
#: whether an operator has a kernel for a dispatch key
has_kernel: Final = torch._C._dispatch_has_kernel_for_dispatch_key
NO_FALLBACK: Final = "the fallback to the CPU is off (--no-fallback, ASCENDREF_NPU_FALLBACK=0)"
#: other dispatch keys under which torch_npu has kernels: gradients call operators of other names;
#: without device tensors, one of the last two runs
OTHER_KEYS: Final = (AUTOGRAD, "BackendSelect", "CompositeImplicitAutograd")
#: why operators of the namespace ``npu`` are refused -> their names, with ``*`` for any text; the
#: first reason holds
REASONS: Final = {
    "its documentation does not give its formula": (
        "_npu_ciou npu_ciou npu_ciou_backward npu_bert_apply_adam _npu_silent_check*"
        " npu_grid_assign_positive npu_ps_roi_pooling* npu_yolo_boxes_encode npu_ifmr"
        " npu_sub_sample npu_sim_exponential_"
    ),
    "its documentation does not say which deviation divides": "npu_normalize_batch",
    "its documentation does not say what follows the last index": "npu_random_choice_with_mask",
    "its documentation does not give the form of its mask": "_dropout_with_byte_mask*",
    "its documentation does not say what eps is added to": "npu_moe_gating_top_k*",
    "memory of the emulated device does not have the format NC1HWC0": "npu_stride_add",
    "the emulated device has no registers of overflows": "npu_*_float_status",
    "results are written to out only": "npu_apply_adam npu_apply_adam_w",
    "it is for several devices, and not a collective of torch.distributed": (
        "npu_all_gather_* npu_all_to_all_* npu_alltoallv_* npu_*_alltoallv npu_*_all_to_all"
        " npu_mm_all_reduce_base npu_*mm_reduce_scatter* npu_moe_distribute_*"
        " npu_moe_update_expert _npu_distribute_barrier npu_attention_to_ffn npu_ffn_to_attention"
        " *_worker_*"
    ),
    "how a device lays out a cache of keys and values is not documented": (
        "npu_*_kv_cache* npu_scatter_pa_cache npu_*_rope_cache* npu_*kvcache npu_mla_prolog*"
        " npu_advance_step_flashattn"
    ),
    "recurrent layers run as those of torch.nn": "*lstm* *gru*",
    "gradients are those of PyTorch": (
        "*_conv_*2d_backward _conv_depthwise2d_backward fft_*_backward stft_backward"
        " repeat_interleave_backward_* npu_moe_token_*grad*"
    ),
    "it serves graphs that CANN compiles": "*_get_max_workspace *_infer_output super_kernel_*",
    "it serves the hardware of a device": (
        "npu_hans_* obfuscation_* empty_with_swapped_memory _npu_matmul_abft_verify"
    ),
    "how a device scales, rounds and packs its numbers was not settled": (
        "*quant* npu_ffn npu_convert_weight_to_int4pack npu_batch_gather_matmul*"
        " npu_grouped_matmul_finalize_routing"
    ),
    "no formula of its steps was written": (
        "npu_block_sparse_* npu_nsa_* npu_*lightning_indexer* npu_sparse_flash_attention*"
        " npu_fused_* npu_multi_head_attention* npu_*gated_delta_rule* npu_*causal_conv1d*"
        " npu_mhc_* _npu_index_add* npu_interleave_rope npu_mrope npu_scatter* npu_moe_*"
        " _npu_moe_* npu_top_k_top_p_sample"
    ),
}
#: operators of the namespace ``npu`` that only create, describe or copy memory or call other
#: operators; `casts` and the folder `operators` have more
AVAILABLE: Final = frozenset(
    "copy_memory_ empty_with_format fast_gelu get_npu_format get_storage_size"
    " kl_div_backward kl_div_target_backward l1_loss_backward matmul_double_backward"
    " npu_binary_cross_entropy_with_logits_backward npu_change_data_ptr npu_fast_gelu"
    " npu_fast_gelu_backward npu_gather_backward npu_gelu npu_gelu_backward"
    " npu_prefetch npu_swiglu npu_swiglu_backward print_npugraph_tensor"
    " save_npugraph_tensor set_op_timeout_ms unsafe_empty_with_format".split()
)


def not_available(name: str, why: str) -> NotImplementedError:
    """Return the error of a call that is refused."""
    return NotImplementedError(f"emulated device: {name} is not available: {why}")


def reason(operator: str) -> str:
    """Return why an operator of the namespace ``npu``, given without overload, is refused."""
    for why, names in REASONS.items():
        if any(fnmatchcase(operator, name) for name in names.split()):
            return why
    return "it is not among the operators of torch_npu that are emulated"


def refusal(name: str, why: str) -> Callable[..., NoReturn]:
    """Return a kernel that refuses every call of an operator."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise not_available(name, why)

    return refuse


def native_kernel(
    op: str | torch._ops.OpOverload, key: str = NPU, *may_call: str
) -> Callable[..., Any]:
    """Return the kernel registered under a dispatch key; it may call kernels of some keys."""
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.Undefined)
    for name in may_call or (NPU,):
        keys = keys | torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, name))
    return partial(torch.library.get_kernel(op, key).call_boxed, keys)


def _except_for_shapes(name: str, refuse: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel that refuses calls, except where PyTorch asks for shapes of results alone."""
    native = native_kernel(name, AUTOGRAD, NPU, AUTOGRAD, "Python")

    def run(*args: Any, **kwargs: Any) -> Any:
        mode = torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE)
        return (refuse if mode is None else native)(*args, **kwargs)

    return run


def refuse_collectives() -> list[torch.library.Library]:
    """Refuse collectives by HCCL, which need the fallback, while the returned objects are alive.

    torch_npu would call HCCL only on the first rank; the others would wait for it.
    """
    libraries = {name: torch.library.Library(name, "IMPL") for name in ("c10d", "npu_custom_dist")}
    for name in torch._C._dispatch_get_all_op_names():
        space = name.partition("::")[0]
        if space in libraries and has_kernel(name, NPU):
            libraries[space].impl(name, _collective(name, space), NPU, allow_override=True)
    return list(libraries.values())


def _collective(name: str, space: str) -> Callable[..., Any]:
    """Return the kernel of a collective operation, refused where it would need HCCL."""
    refuse = refusal(name, f"HCCL needs Gloo, and {NO_FALLBACK}")
    if space != "c10d":  # operators of torch_npu, which are for HCCL alone
        return refuse
    native = native_kernel(name)

    def run(*values: Any) -> Any:
        if not any(map(_is_group_of_hccl, values)):
            return native(*values)
        # PyTorch would go on collecting the calls of a batch that fails
        torch.distributed.distributed_c10d._world.pg_coalesce_state.clear()
        return refuse()

    return run


def _is_group_of_hccl(value: Any) -> bool:
    if not isinstance(value, torch.ScriptObject) or value._type().name() != "ProcessGroup":
        return False
    group = torch.distributed.ProcessGroup.unbox(value)
    return bool(group._get_backend(torch.device("npu")).name() == "hccl")


def refuse_functions() -> None:
    """Refuse functions of torch_npu that launch missing operators and then ignore or await them."""
    import torch_npu

    for owner, name, called, why in (
        (torch_npu._C, "_npu_stress_detect", "aclStressDetect", "no hardware is tested"),
        (torch_npu._C, "_npu_sleep", "aclnnSleep", "the C library does not have it"),
    ):
        setattr(owner, name, refusal(called, why))
    from torch_npu.op_plugin.atb import _atb_ops

    # raised by every operator of the library
    why = "they need libatb.so, a library of operators for NPUs (NNAL)"
    _atb_ops.NNAL_EX = not_available("torch_npu.atb and its operators", why)
    _atb_ops.GLOBAL_E = None
    _refuse_inductor()


def _refuse_inductor() -> None:
    """Have `torch.compile` name the backend that cannot compile for the device."""
    compiler = torch._TorchCompileInductorWrapper
    compile_graph = compiler.__call__

    def run(self: Any, graph: Any, inputs: Any) -> Any:
        made = (node.meta.get("example_value") for node in graph.graph.nodes)
        for one in (*inputs, *made):  # a graph may make its tensors, as that of a mask does
            if isinstance(one, torch.Tensor) and one.device.type == "npu":
                why = 'it has no compiler for the device; the backends "eager" and "aot_eager" run'
                raise not_available('torch.compile with the backend "inductor"', why)
        return compile_graph(self, graph, inputs)

    compiler.__call__ = run


def register_refusals(replaced: Container[str]) -> torch.library.Library:
    """Refuse operators that only torch_npu has, while the returned object is alive.

    ``replaced`` are names in the namespace ``npu`` that have other kernels.
    """
    npu = torch.library.Library("npu", "IMPL")
    for name in torch._C._dispatch_get_all_op_names():
        space, _, operator = name.partition("::")
        base = operator.partition(".")[0]
        if space != "npu" or operator in replaced or base in AVAILABLE:
            continue
        kernel = refusal(name, f"{reason(base)} (docs/torch-npu.md)")
        npu.impl(name, kernel, NPU, allow_override=True)
        for key in OTHER_KEYS:
            if has_kernel(name, key):
                other = _except_for_shapes(name, kernel) if key == AUTOGRAD else kernel
                npu.impl(name, other, key, allow_override=True)
    return npu
