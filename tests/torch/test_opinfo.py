"""PyTorch's own tests of the operators pass while everything is overridden."""

import warnings

import pytest

torch = pytest.importorskip("torch")

with warnings.catch_warnings():  # PyTorch's test library uses what it deprecates
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_device_type import instantiate_device_type_tests, ops
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_utils import TestGradients
    from torch.testing._internal.opinfo.core import SampleInput

import ascendref.torch as at
from ascendref.torch.overrides import OVERRIDES

from ..support.cases import DECLARED
from ..support.daily import TESTED

pytestmark = pytest.mark.full

#: OpInfo -> function
NAMES = {op: name for name in OVERRIDES for op in (name, f"nn.functional.{name}")}
NAMES["nn.functional.logsigmoid"] = "log_sigmoid"
# PyTorch composes these of elu
NAMES |= {"nn.functional.celu": "elu", "nn.functional.selu": "elu"}
#: those that have their turn
OPERATORS = [
    op
    for op in op_db
    if not TESTED.isdisjoint(f"{NAMES.get(op.name)}{end}" for end in ("", "_backward", "_grad"))
]
#: derivatives of higher order are tested with an operator for each way in which they are declared;
#: PyTorch composes those of logit
CURVED = [op for op in OPERATORS if NAMES[op.name] in (*DECLARED, "logit")]
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def gradients(op: object, sample: SampleInput, dtype: torch.dtype) -> list[torch.Tensor]:
    inputs = [t for t in (sample.input, *sample.args) if isinstance(t, torch.Tensor)]
    inputs = [t for t in inputs if t.requires_grad]
    result = op(sample.input, *sample.args, **sample.kwargs)
    seed = torch.linspace(-2, 2, result.numel(), dtype=dtype).reshape(result.shape)
    seed = seed.to(result.dtype)
    return list(torch.autograd.grad(result, inputs, seed))


def widened(value: object) -> object:
    """Return a tensor in F64, anything else as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().double().requires_grad_(value.requires_grad)


# PyTorch loads its forward derivatives with what it deprecates
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")
class TestOverridden(TestGradients):
    """What PyTorch asks of its own kernels."""

    def setUp(self) -> None:
        super().setUp()
        self.before = at.statistics()
        at.enable("all")

    def tearDown(self) -> None:
        at.disable()
        super().tearDown()

    def assert_taken(self, op: object, *, recorded: bool = False) -> None:
        """The calls were not left to PyTorch."""
        name = NAMES[op.name]
        now, before = at.statistics()[name], self.before[name]
        # PyTorch composes logit's gradient from other operators while the backward pass is recorded
        assert now.taken > before.taken or (recorded and name == "logit")
        assert now.fell_back == before.fell_back, now.why

    @ops(OPERATORS, allowed_dtypes=TYPES)
    def test_gradients_are_those_of_pytorch(
        self, device: str, dtype: torch.dtype, op: object
    ) -> None:
        for sample in op.sample_inputs(device, dtype, requires_grad=True):
            found = gradients(op, sample, dtype)
            at.disable()
            expected = gradients(op, sample, dtype)
            assert [t.stride() for t in found] == [t.stride() for t in expected]
            if dtype.itemsize == 2:  # in which PyTorch rounds every term of a sum
                expected = [t.to(dtype) for t in gradients(op, sample.transform(widened), dtype)]
            at.enable("all")
            self.assertEqual(found, expected)
        self.assert_taken(op)

    @ops(OPERATORS, allowed_dtypes=(torch.float64,))
    def test_gradcheck(self, device: str, dtype: torch.dtype, op: object) -> None:
        self._grad_test_helper(device, dtype, op, op.get_op())
        self.assert_taken(op)

    @ops([op for op in CURVED if op.supports_gradgrad], allowed_dtypes=(torch.float64,))
    def test_gradgradcheck(self, device: str, dtype: torch.dtype, op: object) -> None:
        self._check_helper(device, dtype, op, op.get_op(), "bwgrad_bwgrad")
        self.assert_taken(op, recorded=True)

    @ops([op for op in CURVED if op.supports_fwgrad_bwgrad], allowed_dtypes=(torch.float64,))
    def test_forward_over_reverse(self, device: str, dtype: torch.dtype, op: object) -> None:
        self._check_helper(device, dtype, op, op.get_op(), "fwgrad_bwgrad")
        self.assert_taken(op, recorded=True)

    @pytest.mark.filterwarnings("ignore:There is a performance drop")
    @ops(OPERATORS, allowed_dtypes=(torch.float64,))
    def test_vmap_of_the_gradient(self, device: str, dtype: torch.dtype, op: object) -> None:
        def gradient(first: torch.Tensor, *rest: torch.Tensor) -> tuple[torch.Tensor, ...]:
            def loss(first: torch.Tensor, *rest: torch.Tensor) -> torch.Tensor:
                return op(first, *rest, *scalars, **sample.kwargs).sum()

            # PyTorch differentiates this one for its first operand alone
            places = tuple(range(1 if "soft_margin" in op.name else 1 + len(rest)))
            return torch.func.grad(loss, places)(first, *rest)

        for sample in op.sample_inputs(device, dtype):
            scalars = [arg for arg in sample.args if not isinstance(arg, torch.Tensor)]
            tensors = [sample.input, *[a for a in sample.args if isinstance(a, torch.Tensor)]]
            if not all(t.dim() for t in tensors):
                continue  # PyTorch's forward functions fail with some of these,
            for batched in range(1, 2 ** len(tensors), 2):  # and if the first is not batched
                axes = tuple(0 if batched >> k & 1 else None for k in range(len(tensors)))
                stacked = [
                    t if axis is None else torch.stack([t, t / 2, -t])
                    for t, axis in zip(tensors, axes, strict=True)
                ]
                found = torch.func.vmap(gradient, axes)(*stacked)
                each = [
                    gradient(
                        *[t if a is None else t[k] for t, a in zip(stacked, axes, strict=True)]
                    )
                    for k in range(3)
                ]
                self.assertEqual(found, tuple(map(torch.stack, zip(*each, strict=True))))
        self.assert_taken(op, recorded=True)


instantiate_device_type_tests(TestOverridden, globals(), only_for="cpu")
