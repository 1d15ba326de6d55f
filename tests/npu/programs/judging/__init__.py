"""What programs compare operators of torch_npu with: PyTorch on the CPU, in F64."""

import torch

#: types and errors that are allowed, relative and absolute
TYPES = ((torch.float32, 1e-5), (torch.float16, 3e-3), (torch.bfloat16, 2e-2))


def listed(results):
    """Return results as a list."""
    return list(results) if isinstance(results, (tuple, list)) else [results]


def operator(name):
    """Return an operator of the namespace ``npu``, given by name or by overload."""
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.npu, base), overload or "default")


def npu(*tensors):
    """Return tensors on the device, floats in F32."""
    kinds = [torch.float32 if one.is_floating_point() else one.dtype for one in tensors]
    return [one.detach().to(kind).npu() for one, kind in zip(tensors, kinds, strict=True)]


def close(found, expected, error=1e-5):
    """Compare results with those of a judge, except where these are None."""
    for one, other in zip(listed(found), listed(expected), strict=True):
        if other is not None:
            other = other.detach().cpu()
            one = one.detach().cpu().to(torch.promote_types(one.dtype, other.dtype))
            torch.testing.assert_close(one, other, rtol=error, atol=error)


def derived(judge, tensors):
    """Return what a judge computes, a random gradient of its first result, and those of tensors.

    The last ones are in F64, of a judge that gets the tensors so.
    """
    leaves = [one.double().requires_grad_() for one in tensors]
    results = listed(judge(*leaves))
    given = torch.randn(results[0].shape)
    return results, given, torch.autograd.grad(results[0], leaves, given.double())


def has_kernel(name, key):
    """Return whether an operator has a kernel for a dispatch key."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"npu::{name}", key)


def agree(name, found, call, inputs):
    """Check shapes and types of results by what torch_npu infers of them."""
    if not has_kernel(name, "Meta"):
        return
    inferred = listed(call(*(one.to("meta") for one in inputs)))
    for one, other in zip(found, inferred, strict=True):
        if isinstance(other, torch.Tensor):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), (name, one.shape, other)


def beside(name, judge, tensors, *args, types=TYPES, inferred=True, same=(), call=None, **kwargs):
    """Compare an operator with a judge: values and, of what is differentiable, gradients.

    The tensors come first among the arguments, unless ``call`` places them. The judge gets them in
    F64. What it returns as None is not compared. Tensors whose
    numbers are in ``same`` keep their type and have no gradient. Return whether the operator has
    gradients.
    """
    call = call or (lambda *given: operator(name)(*given, *args, **kwargs))
    for dtype, error in types:
        on_device, on_host = [], []
        for number, tensor in enumerate(tensors):
            if number in same:
                on_device.append(tensor.npu())
                on_host.append(tensor)
            else:
                on_device.append(tensor.to(dtype).npu().requires_grad_())
                on_host.append(tensor.to(dtype).double().requires_grad_())
        results = listed(call(*on_device))
        if inferred:
            agree(name, results, call, [one.detach() for one in on_device])
        gradients = ([], [])
        for one, other in zip(results, listed(judge(*on_host)), strict=True):
            if other is None:
                continue
            assert one.device.type == "npu"
            torch.testing.assert_close(
                one.detach().cpu().double(), other.detach(), rtol=error, atol=error, msg=name
            )
            if one.requires_grad and has_kernel(name, "AutogradPrivateUse1"):
                torch.manual_seed(1)
                given = torch.randn(other.shape).to(one.dtype)
                gradients[0].append((one, given.npu()))
                gradients[1].append((other, given.double()))
        for pairs in gradients:
            if pairs:
                torch.autograd.backward(*zip(*pairs, strict=True))
        for one, other in zip(on_device, on_host, strict=True):
            if gradients[0] and other.requires_grad and other.grad is not None:
                assert one.grad.dtype == dtype
                torch.testing.assert_close(
                    one.grad.cpu().double(), other.grad, rtol=3 * error, atol=3 * error, msg=name
                )
    return bool(gradients[0])


def areas(one, other):
    """Return the areas of the intersection and the union of two boxes x0, y0, x1, y1."""
    width, height = (
        max(0.0, min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis]))
        for axis in (0, 1)
    )
    sizes = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return width * height, sizes - width * height


def raised(call):
    """Return the error that a call raises."""
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("a call that must fail succeeds")


def refuse(cases):
    """Check that calls raise errors, as PyTorch does, whose messages begin with a text."""
    for call, text in cases:
        error = raised(call)
        assert isinstance(error, RuntimeError), error
        assert str(error).startswith(text), error
