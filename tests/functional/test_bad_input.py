"""Invalid values of every argument of every array function, refused by the argument's name."""

from array import array
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from io import BytesIO
from math import inf, nan
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ascendref as ar

from ..support.cases import whole_shapes

X = np.linspace(0.1, 0.9, 4, dtype=np.float32)


def raising(method: str) -> Any:
    """Return an object of which one method raises an error of its own."""

    def fail(*args: Any, **options: Any) -> Any:
        raise LookupError("its own error")

    return type(f"Raising{method}", (), {method: fail})()


def on_access(name: str) -> Any:
    """Return an object that raises an error of its own when an attribute is asked for."""

    def fail(self: Any) -> Any:
        raise LookupError("its own error")

    return type(f"On{name}", (), {name: property(fail)})()


class Broken(float):
    """A real number that has no value."""

    def __float__(self) -> float:
        raise LookupError("its own error")


METHODS = ("__array__", "__dlpack__", "__float__", "__index__", "__str__", "__repr__", "__eq__",
           "__hash__", "__bool__", "__len__", "__iter__", "__getattribute__")  # fmt: skip

ODD: dict[str, Any] = {
    "None": None,
    "True": True,
    "NotImplemented": NotImplemented,
    "...": ...,
    "an empty string": "",
    "a comma": ",",
    "two types": "f4,f4",
    "a bracket": "(",
    "a null character": "float32\0",
    "a text": "x",
    "a long text": "x" * 10_000,
    "bytes": b"float16",
    "a bytearray": bytearray(4),
    "a memoryview": memoryview(b"1234"),
    "an array.array": array("f", [1, 2, 3, 4]),
    "nan": nan,
    "-inf": -inf,
    "1e400": 10**400,
    "an integer beyond all digits": 10**5000,
    "a negative one": -(10**5000),
    "-1": -1,
    "a huge fraction": Fraction(10**5000, 7),
    "Decimal": Decimal("0.5"),
    "complex": 1j,
    "a list": [1.0, 2.0],
    "a nested list": [[1.0], [2.0, 3.0]],
    "a tuple": (),
    "three arrays": (X, X, X),
    "a dict": {"names": 1},
    "a set": {1.0},
    "a slice": slice(3),
    "a range": range(4),
    "a generator": (k for k in range(4)),
    "a type": int,
    "a function": len,
    "a module": np,
    "a date": datetime(2024, 2, 29),
    "an object": object(),
    "np.void": np.void(b"1234"),
    "np.str_": np.str_("x"),
    "np.bytes_": np.bytes_(b"x"),
    "np.datetime64": np.datetime64(1, "s"),
    "np.timedelta64": np.timedelta64(1, "s"),
    "np.complex64": np.complex64(1j),
    "np.longdouble": np.longdouble(0.5),
    "np.int8": np.int8(3),
    "np.True_": np.True_,
    "a float4": ml_dtypes.float4_e2m1fn(0.5),
    "float4 data": np.ones(4, ml_dtypes.float4_e2m1fn),
    "int4 data": np.ones(4, ml_dtypes.int4),
    "object data": np.array([1.0, None, "x", 2.0], object),
    "an object scalar": np.array(None, object),
    "text data": np.array(["a", "b", "c", "d"]),
    "dates": np.array([1, 2, 3, 4], "M8[s]"),
    "records": np.zeros(4, [("a", "f4"), ("b", "f4")]),
    "records of one number": np.zeros(4, [("a", "f4")]),
    "sub-arrays": np.zeros(4, [("a", "f4", (2,))]),
    "recarray": np.rec.array(np.zeros(4, [("a", "f4")])),
    "byte-swapped data": X.astype(X.dtype.newbyteorder()),
    "complex data": X.astype(np.complex64),
    "longdouble data": X.astype(np.longdouble),
    "uint64 data": np.ones(4, np.uint64),
    "BOOL data": np.ones(4, np.bool_),
    "masked data": np.ma.array(X, mask=[0, 1, 0, 0]),
    "np.ma.masked": np.ma.masked,
    "rank 9": np.ones((1,) * 9, np.float32),
    "rank 64": np.ones((1,) * 64, np.float32),
    "other sizes": np.ones(7, np.float32),
    "nothing": np.ones(0, np.float32),
    "np.dtype": np.dtype("f4,f4"),
    "np.ndarray": np.ndarray,
    "a broken number": Broken(0.5),
    "an endless array": type("Endless", (), {"__array__": lambda self, *a, **k: self})(),
    "a text as array": type("Text", (), {"__array__": lambda self, *a, **k: "x"})(),
    "no capsule": type("Empty", (), {"__dlpack__": lambda self, *a, **k: None})(),
    "a library without asarray": type(
        "Bare",
        (),
        {"__array__": lambda self, *a, **k: X.copy(), "__array_namespace__": lambda self: None},
    )(),
    "an array that cannot be wrapped": type(
        "Bare",
        (),
        {"__array__": lambda self, *a, **k: X.copy(), "__array_wrap__": lambda self: None},
    )(),
    **{method: raising(method) for method in METHODS},
    **{f"{name} on access": on_access(name) for name in ("__array__", "__dlpack__", "__class__",
       "dtype", "__array_interface__", "__array_struct__", "__array_namespace__")},
}  # fmt: skip


def read_only_map(folder: Path) -> Any:
    """Return an array that lies in a file, for reading only."""
    X.tofile(folder / "x")
    return np.memmap(folder / "x", np.float32, "r", shape=(4,))


def arguments() -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """Return, for every argument of every array function, its name and a call with a value."""
    found: dict[str, tuple[str, Callable[[Any], Any]]] = {}

    def add(function: str, good: dict[str, Any], *more: str) -> None:
        for name in (*good, *more):
            found[f"{function} {name}"] = (
                name,
                lambda value, name=name: getattr(ar, function)(**good | {name: value}),  # type: ignore[misc]
            )

    for operator in ar.OPERATORS.values():
        shapes, _ = whole_shapes(operator.name, X.shape, "one")
        good: dict[str, Any] = {
            param.name: np.resize(X, shape)
            for param, shape in zip(operator.tensors, shapes, strict=True)
        }
        good |= {
            p.name: list(p.choices)[-1]
            if p.choices
            else -1
            if p.is_axis
            else True
            if p.is_flag
            else 0.5
            for p in operator.scalars
        }
        add(operator.name, good, "out", "compute_dtype")
    add("cast", {"array": X, "dtype": "float16", "round_mode": "odd"})
    add("compare", {"actual": X, "golden": X})
    add("assert_accepted", {"actual": X, "golden": X})
    add("ulp_distance", {"a": X, "b": X})
    add("set_num_threads", {"count": 1})
    found["num_threads count"] = ("count", lambda value: ar.num_threads(value).__enter__())
    return found


ARGUMENTS = arguments()


@pytest.fixture(autouse=True)
def _threads() -> Any:
    with ar.num_threads(1):
        yield


def error_of(call: Callable[[Any], Any], value: Any) -> Exception | None:
    """Return the error that a call ends in."""
    try:
        call(value)
    except Exception as error:
        return error
    return None


@pytest.mark.daily(16)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_what_an_argument_cannot_be_is_refused_by_its_name(argument: str, tmp_path: Path) -> None:
    name, call = ARGUMENTS[argument]
    function = argument.split()[0]
    # shapes and types of arrays that do not fit each other are the other one's fault as well
    others = {other for key, (other, _) in ARGUMENTS.items() if key.split()[0] == function}
    refused = 0
    for label, value in (ODD | {"a read-only map": read_only_map(tmp_path)}).items():
        before = X.tobytes()
        error = error_of(call, value)
        assert X.tobytes() == before, label
        if isinstance(error, ar.ArgumentError):
            is_array = issubclass(type(value), np.ndarray | np.generic)
            is_array |= error.problem.startswith("has shape")
            blamed = error.argument.split("[")[0]
            assert blamed in (others if is_array else {name}), (label, error)
            assert len(str(error)) < 700, label
            refused += 1
        elif error is not None:  # the assertion has something to say about numbers, too
            assert "the result is not accepted" in str(error), (label, error)
    assert refused > 40


#: arguments that take arrays or types -> a call with a value
DOORS: dict[str, Callable[[Any], Any]] = {
    "self": ar.relu,
    "out": lambda value: ar.relu(X, out=value),
    "array": lambda value: ar.cast(value, "float32"),
    "actual": lambda value: ar.compare(value, X),
    "golden": lambda value: ar.assert_accepted(X, value),
    "dtype": lambda value: ar.Device("Atlas A2").tensor(value),
}


@pytest.mark.parametrize("argument", DOORS)
def test_bf16_as_numpy_loads_it_is_refused_with_what_to_pass(argument: str) -> None:
    file = BytesIO()
    np.save(file, X.astype(ml_dtypes.bfloat16))
    loaded = np.load(BytesIO(file.getvalue()))
    hint = "; NumPy loads BF16 from files as V2: pass array.view(ml_dtypes.bfloat16)"
    with pytest.raises(ar.ArgumentTypeError) as caught:
        DOORS[argument](loaded)
    assert caught.value.argument == argument
    assert str(caught.value).endswith(hint)
    assert ar.relu(loaded.view(ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16
