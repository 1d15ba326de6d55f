"""Shapes, outputs and overlaps, for all operators."""

import pickle
from typing import Any

import numpy as np
import pytest

import ascendref as ar
from ascendref.kernels.runtime.kernel import Kernel

from ..support.calls import array_function, call
from ..support.cases import ALIKE, HALVED, SCALARS, SUMMING, TENSORS, whole_shapes
from ..support.operands import arguments, each_operator, each_type
from ..support.rounding import array_of, assert_bits, assert_same_bits, exact


@pytest.mark.daily(2)
@each_operator
@each_type
def test_defaults_are_the_documented_ones(operator: str, kind: str) -> None:
    tensors = arguments(operator, (50,), kind)
    assert_same_bits(call(operator, *tensors), call(operator, *tensors, *SCALARS[operator][0]))


@pytest.mark.full
@each_operator
@each_type
def test_rank_0_is_one_element(operator: str, kind: str) -> None:
    if operator in HALVED:
        with pytest.raises(ar.ArgumentValueError, match="rank 0; ranks 1 to 8 are allowed"):
            getattr(ar, operator)(*[array_of(kind, np.array(1.0)) for _ in TENSORS[operator]])
        return
    tensors = arguments(operator, (), kind)
    got = call(operator, *tensors)
    vector = call(operator, *[tensor.reshape(1) for tensor in tensors])
    assert got[0].shape == ()
    assert isinstance(got[0], np.ndarray)
    assert_bits(got[0].reshape(1), vector[0])


@each_operator
def test_the_layout_of_inputs_stays(operator: str) -> None:
    tensors = arguments(operator, (2, 5, 3, 7))
    want = call(operator, *tensors)
    last = [t.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2) if t.ndim == 4 else t
            for t in tensors[:2]]  # fmt: skip
    others = [np.broadcast_to(t, want[0].shape) if t.size > 1 else t for t in tensors[2:]]
    like = want[0].transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)
    for _ in range(2):
        got = call(operator, *last, *others)
        if len(tensors) < 3 or operator == "prelu_backward":  # a third tensor is in C order
            assert got[0].strides == like.strides
        assert_bits(got[0], want[0])


@each_operator
def test_rank_8_is_allowed_and_rank_9_is_not(operator: str) -> None:
    _, shape = whole_shapes(operator, (1, 2) * 4)
    for _ in range(2):  # the second call in a row, too
        assert call(operator, *arguments(operator, (1, 2) * 4))[0].shape == shape
        with pytest.raises(ar.ArgumentValueError, match="rank 9"):
            call(operator, *arguments(operator, (1,) * 9))


@each_operator
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2, 5)])
def test_empty_arrays_give_empty_results(operator: str, shape: tuple[int, ...]) -> None:
    tensors = arguments(operator, shape)
    if "prelu" in operator and len(shape) > 1:
        tensors[-1] = np.ones(shape[1], np.float32)
    shape = whole_shapes(operator, shape)[1]
    out = np.empty(shape, np.float32)
    given = (out, np.empty(tensors[-1].shape, np.float32)) if operator in SUMMING else out
    assert call(operator, *tensors)[0].shape == shape
    assert array_function(operator)(*tensors, out=given) is given


@pytest.mark.parametrize("shapes", [((0, 1), (1, 4)), ((0,), (3, 1)), ((2, 0, 1), (5,))])
@pytest.mark.parametrize("operator", ["hardshrink_backward", "smooth_l1_loss_backward"])
def test_empty_arrays_broadcast(operator: str, shapes: Any) -> None:
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    tensors = [*arrays, arrays[0]][: len(TENSORS[operator])]
    assert array_function(operator)(*tensors).shape == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize("operator", ["softplus_backward", "logit_grad"])
def test_shapes_that_would_broadcast_are_refused(operator: str) -> None:
    for one, other in (((3,), (1,)), ((1, 3), (3,)), ((0,), (1,)), ((), (1,))):
        with pytest.raises(ar.ArgumentValueError, match="shape"):
            call(operator, np.ones(one, np.float32), np.ones(other, np.float32))


@pytest.mark.parametrize("operator", ["hardshrink_backward", "smooth_l1_loss_backward"])
def test_shapes_that_do_not_broadcast_are_refused(operator: str) -> None:
    arrays = [np.ones(shape, np.float32) for shape in ((3, 2), (3,), (1,))]
    with pytest.raises(ar.ArgumentValueError, match="shape"):
        array_function(operator)(*arrays[: len(TENSORS[operator])])


@each_operator
def test_an_output_whose_elements_share_memory_is_refused(operator: str) -> None:
    tensors = arguments(operator, (3, 4))
    memory = np.full(24, 77, np.float32)
    shape = whole_shapes(operator, (3, 4))[1]
    for strides in ((0, 4), (4, 4), (8, 4), (4, 0), (-4, 4), (6, 2), (16, 2)):
        start = memory[4:] if strides[0] < 0 else memory
        view = np.lib.stride_tricks.as_strided(start, shape, strides)
        given = (view, np.empty(1, np.float32)) if operator in SUMMING else view
        with pytest.raises(ar.ArgumentValueError, match="two indices to one address"):
            array_function(operator)(*tensors, out=given)
    assert (memory == 77).all()


@pytest.mark.parametrize("operator", [*ALIKE, *SUMMING])
def test_one_array_may_be_every_input_and_the_output(operator: str) -> None:
    if operator == "prelu_backward":
        x = np.array([-2.0], np.float32)
        sums = np.empty(1, np.float32)
        ar.prelu_backward(x, x, x, out=(x, sums))
        assert (x[0], sums[0]) == (4, 4)
        return
    x = arguments(operator, (300,))[0]
    want = array_function(operator)(*[x.copy() for _ in TENSORS[operator]])
    array_function(operator)(*[x for _ in TENSORS[operator]], out=x)
    assert_bits(x, want)


@each_operator
@pytest.mark.parametrize("shift", [1, 4, -2])
def test_an_output_that_partly_overlaps_an_input_is_refused(operator: str, shift: int) -> None:
    memory = np.linspace(0.1, 0.9, 40, dtype=np.float32)
    before = memory.copy()
    shapes, (size,) = whole_shapes(operator, (6,), "one")
    out = memory[10 + shift : 10 + size + shift]
    for number in [k for k, shape in enumerate(shapes[:2]) if shape != (1,)]:
        tensors = arguments(operator, (6,))
        tensors[number] = memory[10 : 10 + shapes[number][0]]
        given = (out, np.empty(1, np.float32)) if operator in SUMMING else out
        with pytest.raises(ar.ArgumentValueError, match="overlaps"):
            array_function(operator)(*tensors, out=given)
    assert_bits(memory, before)


def test_an_output_on_an_input_in_another_order_is_refused() -> None:
    x = np.ones((4, 4), np.float32)
    for out in (x.T, x[::-1], x[:, ::-1]):
        with pytest.raises(ar.ArgumentValueError, match="overlaps"):
            ar.hardshrink_backward(x, x, out=out)
    with pytest.raises(ar.ArgumentValueError, match="overlaps"):
        ar.hardshrink_backward(x[0], x, out=x)  # one row of the output is read for all of them


def test_interleaved_views_do_not_overlap() -> None:
    memory = np.linspace(-1, 1, 20, dtype=np.float32)
    x, out = memory[::2], memory[1::2]
    want = ar.hardshrink_backward(x.copy(), x.copy())
    ar.hardshrink_backward(x, x, out=out)
    assert_bits(memory[1::2], want)


@pytest.mark.parametrize("operator", ALIKE)
def test_an_array_read_twice_with_a_strided_alias_is_fine(operator: str) -> None:
    memory = arguments(operator, (64,))[0]
    tensors = [memory[:32], memory[32:0:-1], memory[::2]][: len(TENSORS[operator])]
    assert_bits(
        array_function(operator)(*tensors), array_function(operator)(*[t.copy() for t in tensors])
    )


@pytest.mark.parametrize("out", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_first_results_of_a_wider_type_anywhere_in_memory(
    kind: str, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first calls compute with copies, which may lie next to each other."""
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: True)
    x = array_of(kind, np.linspace(-3, 3, 1000))
    want = exact(ar.sigmoid(x)).astype(out)
    for count in range(40):
        held = [np.empty_like(x) for _ in range(count)]
        del held[::2]  # copies take their places
        assert_bits(ar.sigmoid(x, out=np.full(x.size, -777.0, out)), want)


@pytest.mark.parametrize("first", [True, False])
@each_operator
def test_types_may_be_equal_objects(
    operator: str, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy has one object for a type; arrays that were unpickled have their own."""
    monkeypatch.setattr(Kernel, "copies_first", lambda *_: first)
    tensors = arguments(operator, (20,))
    want = call(operator, *tensors)
    others = pickle.loads(pickle.dumps(tensors))
    assert others[0].dtype is not tensors[0].dtype
    for _ in range(3):
        assert_same_bits(call(operator, *others), want)
