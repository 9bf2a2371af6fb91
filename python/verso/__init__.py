"""Verso: gradients of C and C++ programs, and schedules for long computations. See docs/python.md.

    import verso
    prog = verso.compile("model.c", flags=["-O3"])
    misfit = prog["misfit"]
    value, gradient = misfit.value_and_grad(x, steps=1000, memory="64M")
"""

from __future__ import annotations

from .errors import (BusyError, CallbackError, CompileError, CorruptError, Error, FileError, ImpossibleError, InvalidError,
                     OutOfMemoryError, StateError, Suspended)
from .loop import Loop
from .program import Check, Function, Program, compile  # noqa: A004
from .schedule import Action, ActionKind, Cost, Schedule, plan

ADVANCE, STORE, RESTORE, DISCARD, REVERSE, STORE_ADJOINT, RECORD, SWEEP, DONE = ActionKind

__all__ = [
    "ADVANCE", "Action", "ActionKind", "BusyError", "CallbackError", "Check", "CompileError", "CorruptError", "Cost",
    "DISCARD", "DONE", "Error", "FileError", "Function", "ImpossibleError", "InvalidError", "Loop", "OutOfMemoryError",
    "Program", "RECORD", "RESTORE", "REVERSE", "STORE", "STORE_ADJOINT", "SWEEP", "Schedule", "StateError", "Suspended",
    "compile", "plan",
]
