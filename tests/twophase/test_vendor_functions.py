"""Every function of the vendor's: in place, with unused and optional arguments, in its order."""

from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.declaration.fields import vendor_name
from ascendref.declaration.operator import APIS, Operator

from ..operators.entries import ENTRIES
from ..support.cases import numbers, whole_shapes
from ..support.rounding import assert_bits
from ..support.two_phase import from_device, launch, refused, scalars_of

SHAPE = (3, 4)
IN_PLACE = [api for api, operator in APIS.items() if operator.in_place]
UNUSED = [api for api, operator in APIS.items() if operator.unused]
NULLABLE = [(api, name) for api, operator in APIS.items() for name in operator.nullable]


class Call:
    """A call with tensors of F32 on a device, and what the array function gives for them."""

    def __init__(self, api: str) -> None:
        self.operator = operator = APIS[api]
        self.dev = ar.Device("Atlas A2")
        self.scalars = scalars_of(operator, ENTRIES[operator.name].scalars[-1])
        shapes, _ = whole_shapes(operator.name, SHAPE, scalars=tuple(map(_number, self.scalars)))
        self.arrays = [numbers("float32", shape, k, tame=True) for k, shape in enumerate(shapes)]
        results = operator.result_shapes(tuple(shapes), tuple(map(_number, self.scalars)))
        tensors = [self.dev.tensor(array) for array in self.arrays]
        outs = [self.dev.tensor(np.full(shape, 77, np.float32)) for shape in results]
        #: the arguments by name; a tensor that is overwritten is both
        values = [*outs[::-1], *self.scalars[::-1], *tensors[::-1]]
        named = dict(zip(operator.vendor_parameters[::-1], values, strict=True))
        for param in operator.unused:
            named[param.vendor or vendor_name(param.name)] = self.dev.tensor(
                np.full((5, 2), 77, np.int32)  # of any shape and type
            )
        self.arguments = {name: named[name] for name in operator.arguments}

    def run(self, /, **changes: Any) -> list[Any]:
        """Make the call, with some arguments replaced; return the results."""
        launch(self.dev, self.operator.api, *(self.arguments | changes).values())
        self.dev.synchronize()
        names = self.operator.tensor_names[len(self.operator.tensors) :]
        return [self.arguments[name].numpy() for name in names]

    def want(self, **scalars: float) -> tuple[Any, ...]:
        """Return what the array function computes, with some scalars replaced."""
        operator = self.operator
        given = {p.name: v for p, v in zip(operator.scalars, self.scalars, strict=True)} | scalars
        whole = ar.OPERATORS[operator.name]
        # a function without a scalar is one form of the operator
        values = tuple([given.get(param.name, "tanh") for param in whole.scalars])
        return from_device(operator.name, self.arrays, values, ["float32"] * len(operator.outputs))


def _number(value: Any) -> float:
    return {"none": 0.0, "mean": 1.0, "tanh": 1.0}.get(value, value)


@pytest.mark.full
@pytest.mark.parametrize("api", APIS)
def test_every_function_gives_the_bits_of_the_array_function(api: str) -> None:
    call = Call(api)
    before = {name: value.numpy().tobytes() for name, value in tensors(call).items()}
    for actual, expected in zip(call.run(), call.want(), strict=True):
        assert_bits(actual, expected)
    written = call.operator.tensor_names[len(call.operator.tensors) :]
    for name, value in tensors(call).items():
        assert (value.numpy().tobytes() == before[name]) == (name not in written)


def tensors(call: Call) -> dict[str, Any]:
    """Return the tensors of a call by name."""
    return {name: v for name, v in call.arguments.items() if isinstance(v, ar.Tensor)}


@pytest.mark.full
@pytest.mark.parametrize("api", IN_PLACE)
def test_functions_in_place_take_their_result_once(api: str) -> None:
    operator = APIS[api]
    assert operator.in_place is not None
    out_of_place = ar.OPERATORS[operator.name]
    named = vendor_name(operator.in_place)
    param = next(param for param in operator.tensors if param.name == operator.in_place)
    ref = param.vendor or f"{named}Ref"
    expected = [ref if name == named else name for name in out_of_place.arguments]
    assert list(operator.arguments) == expected[: -len(operator.outputs)]
    call = Call(api)
    strided = ar.Tensor(call.dev.malloc(400), SHAPE, "float32", (-8, -2), 31)
    strided.view()[...] = call.arguments[ref].numpy()
    call.run(**{ref: strided})
    assert_bits(strided.numpy(), call.want()[0])
    assert refused(api, **(call.arguments | {ref: None}))[0] == 161001


@pytest.mark.parametrize("api", UNUSED)
def test_tensors_that_are_not_used(api: str) -> None:
    """They may have any shape and type, and no memory; but they must be tensors."""
    call = Call(api)
    for param in call.operator.unused:
        for strange in (ar.Tensor(None, (0,), "complex64"), ar.Tensor(None, (1,) * 9, "bool")):
            (got,) = call.run(**{param.name: strange})
            assert_bits(got, call.want()[0])
        status, message = refused(api, **(call.arguments | {param.name: np.zeros(3)}))
        assert (status, message.split(";")[0]) == (161002, f"{param.name} is a ndarray")


@pytest.mark.full
@pytest.mark.parametrize(("api", "name"), NULLABLE)
def test_arguments_that_may_be_null(api: str, name: str) -> None:
    call = Call(api)
    operator: Operator = call.operator
    found = call.run(**{name: None})
    names = operator.vendor_parameters[len(operator.tensors) :]
    scalars = dict(zip(names, operator.scalars, strict=False))
    if name in scalars:
        assert_bits(found[0], call.want(**{scalars[name].name: scalars[name].default})[0])
    elif name in operator.tensor_names:
        place = operator.tensor_names.index(name)
        call.arrays[place] = np.full_like(call.arrays[place], operator.tensors[place].default)
    if name not in scalars:
        assert_bits(found[0], call.want()[0])


@pytest.mark.parametrize("api", [api for api, op in APIS.items() if op.device.least_rank])
def test_the_least_rank(api: str) -> None:
    call = Call(api)
    scalar = {name: call.dev.empty((), "float32") for name in call.operator.tensor_names}
    status, message = refused(api, **(call.arguments | scalar))
    assert (status, "has rank 0; ranks 1 to 8 are allowed" in message) == (161002, True)


def test_any_number_but_1_is_the_first_form_of_gelu() -> None:
    call = Call("aclnnGeluV2")
    for number, form in ((0, "none"), (1, "tanh"), (2, "none"), (-1, "none"), (2**40, "none")):
        assert_bits(call.run(approximate=number)[0], call.want(approximate=form)[0])
