"""The C structures of <verso/...> that this package passes to the library, as ctypes; tests/python/test_structs.py
compares sizes and offsets with those of the headers."""

from __future__ import annotations

import ctypes as c

UNKNOWN = 2**64 - 1
TIERS_MAX = 8
REGIONS_MAX = 16


class ErrorText(c.Structure):
    _fields_ = [("status", c.c_int), ("message", c.c_char * 512)]

    def text(self) -> str:
        return self.message.decode(errors="replace")


class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("count", c.c_size_t), ("type", c.c_int), ("derivative", c.c_void_p)]


class Progress(c.Structure):
    _fields_ = [
        ("phase", c.c_int),
        ("steps", c.c_uint64),
        ("reached", c.c_uint64),
        ("adjoint", c.c_uint64),
        ("work_done", c.c_uint64),
        ("work_total", c.c_uint64),
        ("steps_at_risk", c.c_uint64),
        ("seconds", c.c_double),
        ("seconds_at_risk", c.c_double),
        ("seconds_left", c.c_double),
        ("memory", c.c_uint64),
    ]


ProgressFunction = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(Progress))


class Sparse(c.Structure):
    _fields_ = [
        ("rows", c.c_size_t),
        ("columns", c.c_size_t),
        ("entries", c.c_size_t),
        ("row_start", c.POINTER(c.c_size_t)),
        ("column", c.POINTER(c.c_size_t)),
        ("value", c.POINTER(c.c_double)),
        ("plan", c.c_void_p),
    ]


class Tier(c.Structure):
    _fields_ = [("capacity", c.c_uint64), ("write_cost", c.c_uint64), ("read_cost", c.c_uint64)]


class Spec(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("steps", c.c_uint64),
        ("slots", c.c_uint64),
        ("forward_cost", c.c_uint64),
        ("backward_cost", c.c_uint64),
        ("write_cost", c.c_uint64),
        ("read_cost", c.c_uint64),
        ("with_disk", c.c_bool),
        ("tier_count", c.c_size_t),
        ("tiers", Tier * TIERS_MAX),
        ("distance", c.c_uint64),
        ("adjoint_distance", c.c_uint64),
        ("leaf", c.c_uint64),
        ("space", c.c_uint64),
        ("time", c.c_uint64),
        ("split", c.c_int),
    ]


class ActionStruct(c.Structure):
    _fields_ = [
        ("kind", c.c_int),
        ("tier", c.c_uint32),
        ("slot", c.c_uint64),
        ("from_", c.c_uint64),
        ("to", c.c_uint64),
    ]


class Wide(c.Structure):
    _fields_ = [("low", c.c_uint64), ("high", c.c_uint64)]

    def __int__(self) -> int:
        return self.high << 64 | self.low


class CostStruct(c.Structure):
    _fields_ = [
        ("steps", c.c_uint64),
        ("forward_steps", Wide),
        ("recorded_steps", Wide),
        ("makespan", Wide),
        ("writes", Wide * TIERS_MAX),
        ("reads", Wide * TIERS_MAX),
        ("peak_slots", c.c_uint64 * TIERS_MAX),
        ("repetition", c.c_uint64),
        ("adjoint_stores", c.c_uint64),
        ("longest_recording", c.c_uint64),
        ("least_makespan", Wide),
        ("free_distance", c.c_uint64),
        ("period", c.c_uint64),
    ]


Sink = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)


class Region(c.Structure):
    _fields_ = [("bytes", c.c_void_p), ("size", c.c_size_t)]


StepFunction = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64)
CostFunction = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64, c.POINTER(c.c_double))
NoticeFunction = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)


class LoopStruct(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("context", c.c_void_p),
        ("steps", c.c_uint64),
        ("advance", StepFunction),
        ("adjoint", StepFunction),
        ("start", StepFunction),
        ("cost", CostFunction),
        ("finished", StepFunction),
        ("state", Region * REGIONS_MAX),
        ("adjoint_state", Region * REGIONS_MAX),
        ("state_size", c.c_size_t),
        ("save", c.c_void_p),
        ("load", c.c_void_p),
        ("adjoint_size", c.c_size_t),
        ("save_adjoint", c.c_void_p),
        ("load_adjoint", c.c_void_p),
        ("name", c.c_char_p),
        ("inputs", Region * REGIONS_MAX),
        ("value", c.c_double),
        ("memory", c.c_void_p),
    ]


class Identity(c.Structure):
    _fields_ = [("words", c.c_uint64 * 2)]


class ProgramStruct(c.Structure):
    _fields_ = [
        ("operations", c.c_void_p),
        ("self", c.c_void_p),
        ("steps", c.c_uint64),
        ("capsule_most", c.c_size_t),
        ("adjoint_most", c.c_size_t),
        ("start_most", c.c_size_t),
        ("identity", Identity),
        ("capsule_spare", c.c_size_t),
    ]


class RunOptions(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("automatic", c.c_bool),
        ("spec", Spec),
        ("memory", c.c_uint64),
        ("disk", c.c_uint64),
        ("directory", c.c_char_p),
        ("scratch", c.c_bool),
        ("compression", c.c_int),
        ("foreground", c.c_bool),
        ("places", c.c_int * TIERS_MAX),
        ("stores", c.c_void_p * TIERS_MAX),
        ("adjoint_distance", c.c_uint64),
        ("interval", c.c_double),
        ("on_signal", c.c_bool),
        ("time_limit", c.c_double),
        ("step_limit", c.c_uint64),
        ("progress", ProgressFunction),
        ("progress_context", c.c_void_p),
        ("notice", NoticeFunction),
        ("notice_context", c.c_void_p),
        ("losses_only", c.c_bool),
        ("group", c.c_void_p),
        ("steps_expected", c.c_uint64),
    ]
