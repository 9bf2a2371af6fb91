"""Time loops whose steps are Python functions, run under any schedule; durable, too."""

from __future__ import annotations

import ctypes as c
import functools
import json
import os
import sys
from typing import Any, Callable, Sequence

import numpy as np

from . import structs
from .calls import _progress_function
from .errors import error_of
from .quantity import bytes_of
from .schedule import Schedule, loaded, raise_for, text_from

Arrays = np.ndarray | Sequence[np.ndarray]
_REPORT_BYTES = 1 << 16


@functools.lru_cache(maxsize=None)
def _driver() -> c.CDLL:
    lib, error = loaded(), c.POINTER(structs.ErrorText)
    loop, program = c.POINTER(structs.LoopStruct), c.POINTER(structs.ProgramStruct)
    declarations: dict[str, tuple[Any, list[Any]]] = {
        "verso_loop_program": (c.c_int, [loop, program, error]),
        "verso_loop_close": (None, [loop]),
        "verso_run": (c.c_int, [program, c.POINTER(structs.RunOptions), c.c_void_p, error]),
        "verso_run_options_init_sized": (None, [c.POINTER(structs.RunOptions), c.c_size_t]),
        "verso_report_json": (c.c_int, [c.c_void_p, structs.Sink, c.c_void_p, error]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def _regions(what: str, arrays: Arrays, writable: bool = True) -> tuple[list[np.ndarray], Any]:
    listed = [arrays] if isinstance(arrays, np.ndarray) else list(arrays)
    if len(listed) > structs.REGIONS_MAX:
        raise ValueError(f"{what}: at most {structs.REGIONS_MAX} arrays, not {len(listed)}")
    regions = (structs.Region * structs.REGIONS_MAX)()
    for region, array in zip(regions, listed):
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or (writable and not array.flags.writeable):
            raise TypeError(f"{what}: NumPy arrays that are contiguous" + (" and writable" if writable else ""))
        region.bytes, region.size = array.ctypes.data, array.nbytes
    return listed, regions


class Loop:
    """A time loop. Step i leads from the state x_i to x_{i+1}; the functions change the arrays in place.

    ``advance(i)`` makes x_{i+1} of the state x_i. ``adjoint(i)``: the state is x_i, the adjoint that of x_{i+1}, and
    becomes that of x_i. ``start(n)``: the state is the last one; sets the adjoint. ``cost(i)``, optional, adds the
    gradient of the cost of the state x_i to the adjoint and returns the cost. ``finished(i)`` is needed if ``steps`` is
    None: whether x_i is the last state.

    ``state`` and ``adjoint_state``: the arrays that hold them, with everything that later steps, or the gradient, depend
    on. ``name`` and ``inputs`` identify the computation of a durable run.
    """

    def __init__(self, *, advance: Callable[[int], Any], adjoint: Callable[[int], Any], start: Callable[[int], Any],
                 state: Arrays, adjoint_state: Arrays, steps: int | None = None,
                 cost: Callable[[int], float] | None = None, finished: Callable[[int], bool] | None = None,
                 name: str | None = None, inputs: Arrays = ()):
        if (steps is None) != (finished is not None):
            raise TypeError("give either the number of steps, or `finished`, which recognises the last state")
        self._failure: BaseException | None = None
        self.state, self.adjoint_state = state, adjoint_state
        self._functions = (advance, adjoint, start, cost, finished)
        self._steps, self._name, self._inputs = steps, name, inputs
        self.value = 0.0

    # ---- Callbacks ----

    def _guarded(self, function: Callable, *args: Any) -> Any:
        """Calls a function of the user's; keeps its exception, which must not pass through C."""
        try:
            return function(*args)
        except BaseException as failure:  # noqa: BLE001
            self._failure = failure
            return None

    def _step(self, function: Callable | None) -> Any:
        if function is None:
            return structs.StepFunction()

        def call(_context: Any, step: int) -> int:
            self._guarded(function, step)
            return 0 if self._failure is None else 1

        return structs.StepFunction(call)

    def _asked(self, function: Callable | None) -> Any:
        if function is None:
            return structs.StepFunction()

        def call(_context: Any, step: int) -> int:
            return 1 if self._guarded(function, step) or self._failure is not None else 0

        return structs.StepFunction(call)

    def _costs(self, function: Callable | None) -> Any:
        if function is None:
            return structs.CostFunction()

        def call(_context: Any, step: int, value: Any) -> int:
            added = self._guarded(function, step)
            if self._failure is None:
                value[0] += float(added)
            return 0 if self._failure is None else 1

        return structs.CostFunction(call)

    def _struct(self) -> tuple[structs.LoopStruct, list[Any]]:
        advance, adjoint, start, cost, finished = self._functions
        state, regions = _regions("state", self.state)
        gradient, adjoint_regions = _regions("adjoint_state", self.adjoint_state)
        inputs, input_regions = _regions("inputs", self._inputs, writable=False)
        callbacks = [self._step(advance), self._step(adjoint), self._step(start), self._costs(cost), self._asked(finished)]
        loop = structs.LoopStruct(
            size=c.sizeof(structs.LoopStruct), steps=structs.UNKNOWN if self._steps is None else self._steps,
            advance=callbacks[0], adjoint=callbacks[1], start=callbacks[2], cost=callbacks[3], finished=callbacks[4],
            state=regions, adjoint_state=adjoint_regions, inputs=input_regions,
            name=self._name.encode() if self._name is not None else None)
        return loop, [callbacks, state, gradient, inputs]

    # ---- Running ----

    def run(self, schedule: Schedule | None = None, *, memory: int | str | None = None,
            run: str | os.PathLike | None = None, progress: bool | Callable | None = None, interval: float = 0.0,
            time_limit: float = 0.0, notice: Callable[[str], None] | None = None) -> dict[str, Any]:
        """Computes the adjoint of x_0 and returns a report of predicted and actual costs.

        ``schedule``: of ``verso.plan``; by default the fastest within ``memory``. ``run``: the directory of a durable
        run, which the same call continues after the process has died. Ctrl-C suspends a durable run and ends any other.
        """
        lib, error = _driver(), structs.ErrorText()
        loop, kept = self._struct()
        program, options = structs.ProgramStruct(), structs.RunOptions()
        self._failure = None
        raise_for(lib.verso_loop_program(c.byref(loop), c.byref(program), c.byref(error)), error)
        lib.verso_run_options_init_sized(c.byref(options), c.sizeof(options))
        options.automatic = schedule is None
        if schedule is not None:
            options.spec = schedule._spec
        options.memory, options.interval, options.time_limit = bytes_of(memory), interval, time_limit
        options.directory = os.fspath(run).encode() if run is not None else None
        options.on_signal = True
        if progress:
            options.progress = _progress_function(progress)
        if notice is not None:
            options.notice = structs.NoticeFunction(lambda _context, text: self._guarded(notice, text.decode()))
        report = c.create_string_buffer(_REPORT_BYTES)
        c.c_size_t.from_buffer(report).value = _REPORT_BYTES
        try:
            status = lib.verso_run(c.byref(program), c.byref(options), report, c.byref(error))
        finally:
            lib.verso_loop_close(c.byref(loop))
            del kept
        self.value = loop.value
        if self._failure is not None:
            raise self._failure
        self._raise(status, error, options, json.loads(
            text_from(lambda sink, e: lib.verso_report_json(report, sink, None, c.byref(e)))))
        return self.report

    def _raise(self, status: int, error: structs.ErrorText, options: structs.RunOptions, report: dict[str, Any]) -> None:
        self.report = report
        if status == 8 and report.get("signal") == 2:
            raise KeyboardInterrupt
        raise_for(status, error)
