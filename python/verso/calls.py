"""Calls of a compiled library: where arguments and derivatives are in memory.

Derivatives are kept in shadow memory, which Verso has for its own heap and for most of the host's memory, but not for the
small arrays of a Python that is not position-independent. So small arrays, and all that the function may write to, are
copied to the library's heap; other arrays are passed as they are."""

from __future__ import annotations

import ctypes as c
import json
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy as np

from . import structs
from .binding import Null, Parameter
from .errors import Error, error_of

# One call at a time in this process: all libraries share one heap, which a gradient within a budget puts back.
LOCK = threading.RLock()

_SMALL = 1 << 16  # bytes up to which an array is copied
# The addresses of the host that have shadow memory (native/memory/space.c).
_COVERED = ((0x550000000000, 0x570000000000), (0x7E0000000000, 0x800000000000))
_LONG = 0.05  # seconds from which on a call must listen to Ctrl-C

_ARGUMENTS = [c.c_void_p, c.c_void_p, c.c_size_t, c.c_void_p, c.c_size_t]


class Entry:
    """The functions that the library has for one function of the program."""

    def __init__(self, loaded: c.CDLL, index: int):
        def take(name: str, *more: Any) -> Any:
            function = getattr(loaded, f"verso__{name}_{index}")
            function.restype = c.c_int
            function.argtypes = [*_ARGUMENTS, *more]
            return function

        self.plain = getattr(loaded, f"verso__call_{index}")
        self.plain.restype = None
        self.plain.argtypes = [c.c_void_p]
        self.vjp = take("vjp", c.c_void_p, c.c_void_p, c.c_void_p)
        self.jvp = take("jvp", c.c_void_p, c.c_void_p)
        self.check = take("check", c.c_void_p, c.c_void_p, c.c_void_p)
        self.jacobian = take("jacobian", c.c_void_p, c.c_void_p)
        self.sparse = take("sparse", c.c_void_p, c.c_void_p)


class Library:
    """A library that ``verso library`` has made."""

    def __init__(self, path: Path):
        self.loaded = c.CDLL(str(path))
        self._failure = structs.ErrorText()
        self.failure = c.addressof(self._failure)
        declare = self._declare
        declare("allocate", c.c_void_p, c.c_size_t)
        declare("free", None, c.c_void_p)
        declare("open", c.c_void_p)
        declare("close", None, c.c_void_p)
        declare("options", c.c_void_p, c.c_void_p, c.c_uint64, c.c_void_p, c.c_bool)
        declare("report", c.c_void_p, c.c_void_p)
        declare("report_text", c.c_char_p, c.c_void_p)
        declare("check_options", c.c_void_p, c.c_void_p, c.c_uint64, c.c_uint64, c.c_uint64)
        declare("check", c.c_void_p, c.c_void_p)
        declare("check_text", c.c_char_p, c.c_void_p)
        self.loaded.verso_sparse_free.argtypes = [c.c_void_p]
        self.loaded.verso_sparse_free.restype = None

    def _declare(self, name: str, result: Any, *arguments: Any) -> None:
        function = getattr(self.loaded, f"verso__library_{name}")
        function.restype, function.argtypes = result, list(arguments)
        setattr(self, name, function)

    def entries(self, index: int) -> Entry:
        return Entry(self.loaded, index)

    def error(self, status: int) -> Error:
        return error_of(status, self._failure.text())

    def call(self, entry: Entry, result: Parameter, values: Sequence[Any]) -> Any:
        """A call without derivatives, with the arrays themselves."""
        room = np.zeros(1, result.dtype if result.kind == "number" else np.float64)
        at = (c.c_void_p * (len(values) + 1))()
        at[0] = room.ctypes.data
        for i, value in enumerate(values):
            at[i + 1] = None if value is Null else _address(value)
        entry.plain(c.addressof(at))
        return float(room[0]) if result.kind == "number" else None


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def _has_shadow(address: int, size: int) -> bool:
    return address % 4 == 0 and any(low <= address and address + size <= high for low, high in _COVERED)


class Call:
    """Memory for calls with arguments of the same sizes, and for their derivatives."""

    def __init__(self, library: Library, parameters: Sequence[Parameter], result: Parameter, values: Sequence[Any],
                 wrt: list[int], of: int | None, name: str):
        self.library, self.parameters, self.wrt, self.of, self.name = library, parameters, wrt, of, name
        self.result_type = result
        self.sizes = [None if v is Null else v.size for v in values]
        self._blocks: list[int] = []
        self._kept: list[Any] = []  # arrays that the library has addresses of
        self.at = (c.c_void_p * (len(values) + 1))()
        self.handle = library.open()
        if not self.handle:
            raise MemoryError("no memory for a call of " + name)
        self.views: list[np.ndarray | None] = [self._room(p, v) for p, v in zip(parameters, values)]
        self._result_view = self._view(np.dtype(result.dtype) if result.kind == "number" else _DOUBLE, 1)
        self.at[0] = _address(self._result_view)
        self.result = c.c_double.from_address(_address(self._result_view))
        self._make_regions(values)
        self._seconds = 0.0

    def __del__(self) -> None:
        library = getattr(self, "library", None)
        for block in getattr(self, "_blocks", ()):
            library.free(block)
        if getattr(self, "handle", None):
            library.close(self.handle)

    # ---- Memory ----

    def _view(self, dtype: np.dtype, size: int) -> np.ndarray:
        """Returns an array in the library's heap."""
        bytes_ = max(size, 1) * dtype.itemsize
        block = self.library.allocate(bytes_)
        if not block:
            raise MemoryError(f"no memory for {size} numbers of {self.name}")
        self._blocks.append(block)
        return np.frombuffer((c.c_char * bytes_).from_address(block), dtype)[:size]

    def _room(self, parameter: Parameter, value: Any) -> np.ndarray | None:
        """Returns room in the library's heap for the value; None if the array itself is passed."""
        if value is Null or (parameter.is_array and parameter.constant and value.nbytes > _SMALL):
            return None
        return self._view(parameter.dtype, value.size)

    def _make_regions(self, values: Sequence[Any]) -> None:
        count = sum(values[i].size for i in self.wrt)
        self.adjoint = np.zeros(count)
        self._inputs = (structs.Array * len(self.wrt))()
        for region, i in zip(self._inputs, self.wrt):
            region.count, region.type = values[i].size, self.parameters[i].scalar
            region.data = _address(self.views[i]) if self.views[i] is not None else None
        self._output = (structs.Array * 1)()
        if self.of is None:
            self._output[0].data, self._output[0].count = self.at[0], 1
            self._output[0].type = self.result_type.scalar
        else:
            self._output[0].data = _address(self.views[self.of])
            self._output[0].count, self._output[0].type = values[self.of].size, self.parameters[self.of].scalar
        self.weights = np.ones(self._output[0].count)
        self._output[0].derivative = _address(self.weights)
        self._regions = (c.addressof(self.at), c.addressof(self._inputs), len(self.wrt), c.addressof(self._output), 1)
        self._point_inputs()
        report = self.library.report(self.handle)
        self.arguments = (*self._regions, None, report, self.library.failure)

    def _point_inputs(self) -> None:
        """Each input's derivatives are a part of one array."""
        at = _address(self.adjoint)
        for region in self._inputs:
            region.derivative = at
            at += 8 * region.count

    def fits(self, values: Sequence[Any], wrt: list[int], of: int | None) -> bool:
        sizes = [None if v is Null else v.size for v in values]
        return sizes == self.sizes and wrt == self.wrt and of == self.of

    def is_repeatable(self, x: np.ndarray) -> bool:
        """Returns whether another call with such an x need only copy x: nothing else can have changed."""
        others = (p for i, p in enumerate(self.parameters) if i != self.wrt[0])
        view = self.views[self.wrt[0]]
        return (self._seconds < _LONG and self.adjoint.nbytes <= _SMALL and len(self.wrt) == 1 and self.of is None
                and view is not None and view.dtype == _DOUBLE and self.result_type.scalar == 0
                and all(not p.is_array or p.constant for p in others) and x.size == self.sizes[self.wrt[0]])

    def load(self, values: Sequence[Any]) -> None:
        """Takes over the arguments of a call."""
        self._kept = []
        self._values = values
        for i, value in enumerate(values):
            view = self.views[i]
            if value is Null:
                self.at[i + 1] = None
            elif view is not None:
                view[:] = value.reshape(-1)
                self.at[i + 1] = _address(view)
            else:
                self.at[i + 1] = self._place(i, value)
        for region, i in zip(self._inputs, self.wrt):
            region.data = self.at[i + 1]

    def _place(self, i: int, value: np.ndarray) -> int:
        address = _address(value)
        if self.parameters[i].floating and not _has_shadow(address, value.nbytes):
            self.views[i] = self._view(value.dtype, value.size)
            self.views[i][:] = value.reshape(-1)
            return _address(self.views[i])
        self._kept.append(value)
        return address

    # ---- Derivatives ----

    def set_weights(self, weights: Any) -> None:
        count = self._output[0].count
        if weights is None:
            self.weights[:] = 1
            return
        array = np.asarray(weights, dtype=np.float64)
        if array.size != count:
            raise TypeError(f"{array.size} weights are given for {count} results")
        self.weights[:] = array.reshape(-1)

    def set_direction(self, direction: Any) -> None:
        names = [self.parameters[i].name for i in self.wrt]
        parts = direction if isinstance(direction, dict) else {names[0]: direction}
        if set(parts) != set(names):
            raise TypeError(f"the direction must have an array for each of {', '.join(names)}")
        joined = [np.asarray(parts[name], dtype=np.float64).reshape(-1) for name in names]
        for name, part, region in zip(names, joined, self._inputs):
            if part.size != region.count:
                raise TypeError(f"the direction has {part.size} numbers for '{name}', which has {region.count}")
        self.adjoint = np.concatenate(joined)
        self._point_inputs()

    def differentiate(self, entry: Entry, memory: int, schedule: str | None, progress: bool | Callable | None) -> None:
        """Computes the adjoint of the inputs."""
        if self.adjoint.nbytes > _SMALL:  # the result is not a copy but this array
            self.adjoint = np.empty(self.adjoint.size)
            self._point_inputs()
        listens = threading.current_thread() is threading.main_thread()
        callback = _progress_function(progress) if progress else None
        pointer = c.cast(callback, c.c_void_p) if callback else None
        options = self.library.options(self.handle, memory, pointer, listens) if memory or listens or callback else None
        began = time.perf_counter()
        with _schedule(schedule):
            status = entry.vjp(*self._regions, options, self.arguments[6], self.library.failure)
        self._seconds = time.perf_counter() - began
        self._raise(status)

    def push(self, entry: Entry) -> None:
        """Computes the tangents of the results."""
        self._tangent = np.zeros(self._output[0].count)
        self._output[0].derivative = _address(self._tangent)
        try:
            status = entry.jvp(*self._regions, self.arguments[6], self.library.failure)
        finally:
            self._output[0].derivative = _address(self.weights)
            self.adjoint = np.zeros(self.adjoint.size)
            self._point_inputs()
        self._raise(status)

    def _raise(self, status: int) -> None:
        if status == 0:
            return
        if status == 8 and (number := self.report()["signal"]) != 0:
            signal.raise_signal(number)  # the library caught it: now Python's handler runs, as for KeyboardInterrupt
        raise self.library.error(status)

    def _outputs(self) -> np.ndarray:
        return self._result_view if self.of is None else self.views[self.of]

    def value(self) -> float:
        if self.of is None and self._output[0].count == 1 and self.weights[0] == 1:
            return float(self._result_view[0])
        return float(np.dot(self.weights, self._outputs().astype(np.float64)))

    def results(self) -> Any:
        return float(self._result_view[0]) if self.of is None else self._shaped(self.of, self._outputs().copy())

    def _shaped(self, i: int, numbers: np.ndarray) -> Any:
        if self.parameters[i].kind == "number":
            return float(numbers[0])
        return numbers.reshape(self._values[i].shape)

    def gradient(self) -> Any:
        numbers = self.adjoint if self.adjoint.nbytes > _SMALL else self.adjoint.copy()
        return copy_inputs(self.parameters, self._values, self.wrt, numbers)

    def tangent(self) -> Any:
        return float(self._tangent[0]) if self.of is None else self._shaped(self.of, self._tangent)

    def jacobian(self, entry: Entry) -> Any:
        rows, columns = self._output[0].count, self.adjoint.size
        matrix = np.empty((rows, columns))
        self._raise(entry.jacobian(*self._regions, _address(matrix), self.library.failure))
        return self._by_input(matrix)

    def sparse_jacobian(self, entry: Entry) -> Any:
        try:
            from scipy.sparse import csr_matrix
        except ImportError as missing:
            raise ImportError("jacobian(sparse=True) returns a matrix of SciPy; install python3-scipy") from missing
        pointer = c.c_void_p()
        self._raise(entry.sparse(*self._regions, c.byref(pointer), self.library.failure))
        found = structs.Sparse.from_address(pointer.value)
        try:
            start = np.ctypeslib.as_array(found.row_start, (found.rows + 1,)).astype(np.int64)
            column = np.ctypeslib.as_array(found.column, (found.entries,)).astype(np.int64) if found.entries else np.zeros(0, np.int64)
            value = np.ctypeslib.as_array(found.value, (found.entries,)).copy() if found.entries else np.zeros(0)
            matrix = csr_matrix((value, column, start), shape=(found.rows, found.columns))
        finally:
            self.library.loaded.verso_sparse_free(pointer)
        return self._by_input(matrix)

    def _by_input(self, matrix: Any) -> Any:
        if len(self.wrt) == 1:
            return matrix
        parts, first = {}, 0
        for i, region in zip(self.wrt, self._inputs):
            parts[self.parameters[i].name] = matrix[:, first:first + region.count]
            first += region.count
        return parts

    def check(self, entry: Entry, seed: int, cuts: int, memory: int) -> dict[str, Any]:
        options = self.library.check_options(self.handle, seed, cuts, memory)
        report = self.library.check(self.handle)
        self._raise(entry.check(*self._regions, options, report, self.library.failure))
        return json.loads(self.library.check_text(self.handle))

    def report(self) -> dict[str, Any]:
        return json.loads(self.library.report_text(self.handle))


_DOUBLE = np.dtype(np.float64)


def copy_inputs(parameters: Sequence[Parameter], values: Sequence[Any], wrt: Sequence[int], numbers: np.ndarray) -> Any:
    """Gives the derivatives by all inputs the shapes of the inputs."""
    parts, first = {}, 0
    for i in wrt:
        size = values[i].size
        part = numbers[first:first + size]
        first += size
        parts[parameters[i].name] = float(part[0]) if parameters[i].kind == "number" else part.reshape(values[i].shape)
    return parts if len(wrt) > 1 else next(iter(parts.values()))


def _progress_function(progress: bool | Callable) -> Any:
    """Returns a C function that reports progress: to a bar on the terminal, or to a function of the fraction done."""
    def show(_context: Any, pointer: Any) -> None:
        now = pointer.contents
        done = now.work_done / now.work_total if now.work_total else 0.0
        if callable(progress):
            progress(min(done, 1.0))
        else:
            filled = int(40 * min(done, 1.0))
            end = "\n" if now.phase == 2 else ""
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (40 - filled)}] {100 * min(done, 1.0):3.0f} %{end}")
            sys.stderr.flush()

    return structs.ProgressFunction(show)


@contextmanager
def _schedule(words: str | None) -> Iterator[None]:
    """The library reads the schedule from the environment."""
    if words is None:
        yield
        return
    before = os.environ.get("VERSO_SCHEDULE")
    os.environ["VERSO_SCHEDULE"] = words
    try:
        yield
    finally:
        if before is None:
            del os.environ["VERSO_SCHEDULE"]
        else:
            os.environ["VERSO_SCHEDULE"] = before
