"""Decides which argument of a call belongs to which parameter of a C function, as ``verso grad`` does: an integer that
directly follows an array is its length unless it is given; declared lengths are checked; arrays of results that are not
given begin with zeros."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

_floats = {"double": (np.float64, 0), "float": (np.float32, 1), "long double": (np.longdouble, 2)}
_expression = re.compile(r"[\w+\-*/() ]+")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function."""

    name: str
    kind: str  # "number", "integer", "enum", "array", "pointer"
    type: str  # as the program spells it
    dtype: np.dtype | None  # of the number, or of the array's elements
    scalar: int  # the verso_scalar of a floating-point number
    floating: bool
    constant: bool  # the function does not write to it
    text: bool  # a string
    dimensions: tuple[Any, ...]

    @property
    def is_array(self) -> bool:
        return self.kind == "array"

    @property
    def is_input(self) -> bool:
        """It can be differentiated with respect to."""
        return self.floating and self.kind in ("number", "array")

    def row_length(self, integers: Mapping[str, int]) -> int:
        """Returns how many numbers one element of the outermost dimension has."""
        sizes = [self._size(d, integers) for d in self.dimensions[1:]]
        if None in sizes:
            raise TypeError(f"the size of '{self.name}' ('{self.type}') is unknown; give the integers in its declaration")
        return int(np.prod([s for s in sizes if s is not None], dtype=np.int64))

    def declared_length(self, integers: Mapping[str, int]) -> int | None:
        """Returns how many numbers the array has by its declaration; None if that does not say."""
        sizes = [self._size(d, integers) for d in self.dimensions]
        return None if None in sizes else int(np.prod([s for s in sizes if s is not None], dtype=np.int64))

    @staticmethod
    def _size(dimension: Any, integers: Mapping[str, int]) -> int | None:
        if dimension is None or isinstance(dimension, int):
            return dimension
        if not _expression.fullmatch(dimension):
            return None
        try:
            return int(eval(dimension.replace("/", "//"), {"__builtins__": {}}, dict(integers)))  # noqa: S307
        except (NameError, ZeroDivisionError):
            return None


def parameter_of(about: Mapping[str, Any]) -> Parameter:
    """Reads a parameter from the description of ``verso library``."""
    scalar = about.get("scalar")
    floating = bool(about.get("floating"))
    dtype: np.dtype | None = None
    number = 0
    if scalar is not None and floating:
        kind, number = _floats[scalar]
        dtype = np.dtype(kind)
    elif scalar is not None:
        dtype = np.dtype(("i" if about["signed"] else "u") + str(about["size"]))
        if scalar == "_Bool":
            dtype = np.dtype(np.bool_)
    return Parameter(
        name=about["name"],
        kind=about["class"],
        type=about["type"],
        dtype=dtype,
        scalar=number,
        floating=floating,
        constant=bool(about.get("constant")),
        text=about["class"] == "array" and scalar == "char",
        dimensions=tuple(about.get("dimensions", ())),
    )


class Null:
    """The value of a parameter that is passed as a null pointer."""


def _spread(name: str, parameters: Sequence[Parameter], args: Sequence[Any], given: dict[str, Any]) -> None:
    """Assigns arguments without names to parameters, all of them or all but lengths of arrays."""
    takers = list(parameters)
    if len(args) != len(takers):
        takers = [p for i, p in enumerate(parameters) if not is_length(parameters, i)]
    takers = [p for p in takers if p.name not in given]
    if len(args) > len(takers):
        names = ", ".join(p.name for p in parameters)
        raise TypeError(f"{name}({names}) takes at most {len(takers)} arguments without names here, not {len(args)}")
    for parameter, value in zip(takers, args):
        given[parameter.name] = value


def is_length(parameters: Sequence[Parameter], index: int) -> bool:
    """Returns whether the parameter is the length of the array before it, unless it is given."""
    return index > 0 and parameters[index].kind == "integer" and parameters[index - 1].is_array


def _convert(parameter: Parameter, value: Any, keeps: bool) -> Any:
    """Returns the value as an array of the parameter's type: a NumPy array as it is, if its type is right. ``keeps``: what
    the function writes to the array must not be lost."""
    if value is None:
        if parameter.kind in ("number", "integer", "enum"):
            raise TypeError(f"'{parameter.name}' ('{parameter.type}') needs a number, not None")
        return Null
    if parameter.kind == "pointer":
        raise TypeError(f"'{parameter.name}' is '{parameter.type}', which can only be None; write a C function that takes "
                        "numbers and arrays and calls this one")
    assert parameter.dtype is not None
    if parameter.text:
        data = value.encode() if isinstance(value, str) else bytes(value)
        return np.frombuffer(data + b"\0", dtype=np.int8)
    if parameter.is_array:
        array = np.asarray(value)
        if not np.can_cast(array.dtype, parameter.dtype, "same_kind") and array.size > 0:
            array = _exact(parameter, array)
        converted = np.require(array, parameter.dtype, ["C", "A"])
        lost = converted is not value or not converted.flags.writeable
        if keeps and not parameter.constant and isinstance(value, np.ndarray) and lost:
            raise TypeError(f"the function may write to '{parameter.name}', so it must be a writable, contiguous array of "
                            f"type {parameter.dtype}")
        return converted
    array = np.asarray(value)
    if array.size != 1:
        raise TypeError(f"'{parameter.name}' ('{parameter.type}') takes one number, not {array.size}")
    array = array.reshape(1)
    return array.astype(parameter.dtype) if parameter.floating else _exact(parameter, array)


def _exact(parameter: Parameter, array: np.ndarray) -> np.ndarray:
    """Converts to integers; refuses what would change."""
    assert parameter.dtype is not None
    with np.errstate(invalid="ignore"):
        converted = array.astype(parameter.dtype)
    if not np.array_equal(converted, array):
        raise TypeError(f"'{parameter.name}' ('{parameter.type}') cannot have the value {array.reshape(-1)[0]!r} "
                        f"of type {array.dtype}")
    return converted


def bind(name: str, parameters: Sequence[Parameter], args: Sequence[Any], named: Mapping[str, Any],
         of: str | None = None, of_length: int | None = None, keeps: bool = False) -> list[Any]:
    """Returns one value for each parameter: an array, or Null. ``of`` names the array that receives the results, which
    need not be given; ``of_length``: its length, if its declaration does not say. ``keeps``: arrays that the function may
    write to must not be copies."""
    given = dict(named)
    for key in given:
        if all(p.name != key for p in parameters):
            raise TypeError(f"{name} has no parameter '{key}'; it has {', '.join(p.name for p in parameters)}")
    _spread(name, parameters, args, given)
    values = {p.name: _convert(p, given[p.name], keeps) for p in parameters if p.name in given}
    _bind_lengths(parameters, values)
    for index, parameter in enumerate(parameters):
        if parameter.name == of and parameter.name not in values:
            values[of] = np.zeros(_result_length(parameters, index, values, of_length), parameter.dtype)
    _bind_lengths(parameters, values)
    integers = _integers(parameters, values)
    for parameter in parameters:
        if parameter.name not in values:
            raise TypeError(f"{name}: '{parameter.name}' ('{parameter.type}') has no value")
        _check_length(parameter, values[parameter.name], integers)
    return [values[p.name] for p in parameters]


def _integers(parameters: Sequence[Parameter], values: Mapping[str, Any]) -> dict[str, int]:
    return {p.name: int(values[p.name][0]) for p in parameters if p.kind == "integer" and p.name in values}


def _bind_lengths(parameters: Sequence[Parameter], values: dict[str, Any]) -> None:
    for index, parameter in enumerate(parameters):
        before = parameters[index - 1]
        if parameter.name in values or not is_length(parameters, index) or before.name not in values:
            continue
        array = values[before.name]
        if array is Null:
            continue
        row = before.row_length(_integers(parameters, values))
        length = array.size - 1 if before.text else array.size // max(row, 1)
        values[parameter.name] = np.array([length], dtype=parameter.dtype)


def _result_length(parameters: Sequence[Parameter], index: int, values: Mapping[str, Any],
                   of_length: int | None) -> int:
    parameter, integers = parameters[index], _integers(parameters, values)
    length = parameter.declared_length(integers)
    if length is None and index + 1 < len(parameters) and parameters[index + 1].name in integers:
        length = integers[parameters[index + 1].name] * parameter.row_length(integers)
    length = of_length if length is None else length
    if length is None:
        raise TypeError(f"the length of '{parameter.name}' is unknown; give the array, or the integer that is its length")
    return length


def _check_length(parameter: Parameter, value: Any, integers: Mapping[str, int]) -> None:
    if not parameter.is_array or value is Null or parameter.text:
        return
    declared = parameter.declared_length(integers)
    if declared is not None and declared != value.size:
        raise TypeError(f"'{parameter.name}' is declared with {declared} numbers, but {value.size} are given")
    row = parameter.row_length(integers)
    if row > 0 and value.size % row != 0:
        raise TypeError(f"'{parameter.name}' has rows of {row} numbers, but {value.size} numbers are not whole rows")
