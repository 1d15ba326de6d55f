"""grad, vmap, hessian and second derivatives of activations and losses, beside the CPU's."""

from itertools import chain

import torch
import torch.nn.functional as F
import torch_npu
from torch.func import grad, hessian, jacfwd, jacrev, vmap

x, y = torch.linspace(-2.3, 2.4, 6), torch.linspace(0.1, 0.9, 6)
NAMES = (
    "celu elu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu relu6 selu"
    " silu softplus softshrink softsign tanhshrink glu"
).split()
ONE = {name: getattr(F, name) for name in NAMES}
ONE |= {
    "gelu": lambda x: F.gelu(x, approximate="tanh"),
    "threshold": lambda x: F.threshold(x, 0.1, 2.0),
    "softplus with a threshold": lambda x: F.softplus(x, 2.0, 1.0),
    "logit": lambda x: torch.logit(torch.sigmoid(x), 1e-3),
}
LOSSES = "mse_loss l1_loss smooth_l1_loss huber_loss kl_div soft_margin_loss".split()
TWO = {
    f"{name}, {kind}": (lambda x, y, name=name, kind=kind: getattr(F, name)(x, y, reduction=kind))
    for name in [*LOSSES, "binary_cross_entropy_with_logits"]
    for kind in ("sum", "mean")
}
TWO["weighted logits"] = lambda x, y: F.binary_cross_entropy_with_logits(
    x, y.detach(), weight=y.detach(), pos_weight=2 * y.detach()
)


def second(total, *args):
    """Return the derivatives of a gradient, by autograd."""
    args = [arg.detach().clone().requires_grad_() for arg in args]
    gradient = torch.autograd.grad(total(*args), args[0], create_graph=True)[0]
    found = torch.autograd.grad((gradient * gradient).sum() + args[0].sum(), args[0])
    return found[0]


def cases(function):
    """Yield what is compared."""

    def total(*args):
        return function(*args).sum()

    def batch(arg):
        return torch.stack([arg, arg / 2])

    yield "grad", lambda *args: grad(total)(*args)
    yield "vmap", lambda *args: vmap(function)(*map(batch, args))
    yield "vmap of grad", lambda *args: vmap(grad(total))(*map(batch, args))
    yield "vmap of one", lambda x, *args: vmap(lambda x: grad(total)(x, *args))(batch(x))
    yield "second axis", lambda x, *args: vmap(lambda x: grad(total)(x, *args), 1, 1)(batch(x).T)
    yield "jacrev", lambda *args: jacrev(function)(*args)
    yield "jacfwd", lambda *args: jacfwd(function)(*args)
    yield "hessian", lambda *args: hessian(total)(*args)
    yield "autograd", lambda *args: second(total, *args)


def refusal(call, *args):
    """Return a result, or the error that PyTorch raises for every device."""
    try:
        return call(*args).detach().cpu()
    except RuntimeError as error:
        return error


functions = chain(
    [(name, f, (x,)) for name, f in ONE.items()],
    [(name, f, (x, y)) for name, f in TWO.items()],
    [("prelu", F.prelu, (x, torch.tensor([0.25])))],
)
for name, function, args in functions:
    for what, call in cases(function):
        expected = refusal(call, *args)
        found = refusal(call, *[arg.npu() for arg in args])
        if isinstance(expected, RuntimeError):
            assert isinstance(found, RuntimeError), (name, what)
        else:
            assert isinstance(found, torch.Tensor), (name, what, found)
            assert torch.allclose(found, expected, 1e-5, 1e-6), (name, what, found, expected)

# gradients that only torch_npu has, beside those of the formulas in F64
z = torch.linspace(-2, 2, 8)
FORMULAS = [
    (torch_npu.fast_gelu, lambda x: x * torch.sigmoid(1.702 * x)),
    (lambda x: torch_npu.npu_gelu(x, approximate="none"), F.gelu),
    (lambda x: torch_npu.npu_gelu(x, approximate="tanh"), lambda x: F.gelu(x, approximate="tanh")),
    (torch_npu.npu_swiglu, lambda x: F.silu(x[:4]) * x[4:]),
]
for operator, formula in FORMULAS:
    found = second(lambda x, f=operator: f(x).sum(), z.npu()).cpu()
    expected = second(lambda x, f=formula: f(x).sum(), z.double()).float()
    assert torch.allclose(found, expected, 1e-5, 1e-6), (operator, found, expected)
