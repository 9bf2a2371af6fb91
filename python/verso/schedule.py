"""Schedules: in which order to advance, store, restore and reverse a computation. See docs/schedules.md."""

from __future__ import annotations

import ctypes as c
import enum
import functools
from dataclasses import dataclass, fields
from typing import Any, Iterator, Sequence

import numpy as np

from . import structs
from .errors import error_of
from .places import library as _find_library


class ActionKind(enum.IntEnum):
    ADVANCE = 0
    STORE = 1
    RESTORE = 2
    DISCARD = 3
    REVERSE = 4
    STORE_ADJOINT = 5
    RECORD = 6
    SWEEP = 7
    DONE = 8


_words = ("advance", "store", "restore", "discard", "reverse", "store-adjoint", "record", "sweep", "done")
_kinds = ("store-all", "every-k", "none", "revolve", "treeverse", "binary", "disk", "periodic", "levels", "online", "mixed",
          "resilient", "continuous", "single-recovery", "two-level")
_splits = ("binomial", "bisection", "halves")


class Action(tuple):
    """An action of a schedule: (kind, tier, slot, from, to). ``action.kind == verso.ADVANCE`` tells what it is."""

    __slots__ = ()
    kind: int = property(lambda self: self[0])  # type: ignore[assignment]
    tier: int = property(lambda self: self[1])  # type: ignore[assignment]
    slot: int = property(lambda self: self[2])  # type: ignore[assignment]
    start: int = property(lambda self: self[3])  # type: ignore[assignment]
    end: int = property(lambda self: self[4])  # type: ignore[assignment]

    @property
    def word(self) -> str:
        return _words[self[0]]

    def __repr__(self) -> str:
        kind = self[0]
        if kind == ActionKind.DONE:
            return "done"
        if kind in (ActionKind.ADVANCE, ActionKind.REVERSE):
            return f"{self.word} {self[3]} -> {self[4]}"
        if kind in (ActionKind.RECORD, ActionKind.SWEEP):
            return f"{self.word} {self[3]} -> {self[4]} in tier {self[1]}, slot {self[2]}"
        if kind == ActionKind.STORE_ADJOINT:
            return f"{self.word} {self[3]}"
        return f"{self.word} {self[3]} in tier {self[1]}, slot {self[2]}"


@dataclass(frozen=True)
class Cost:
    """The predicted cost of a whole schedule; docs/schedules.md defines the numbers."""

    steps: int
    forward_steps: int
    recorded_steps: int
    makespan: int
    writes: tuple[int, ...]
    reads: tuple[int, ...]
    peak_slots: tuple[int, ...]
    repetition: int
    adjoint_stores: int
    longest_recording: int
    least_makespan: int
    free_distance: int
    period: int


@functools.lru_cache(maxsize=None)
def loaded() -> c.CDLL:
    """Loads the library and declares its functions for schedules."""
    lib = _find_library()
    pointer, error = c.c_void_p, c.POINTER(structs.ErrorText)
    spec, size = c.POINTER(structs.Spec), c.c_size_t
    declarations: dict[str, tuple[Any, list[Any]]] = {
        "verso_version": (c.c_char_p, []),
        "verso_schedule_spec_init": (None, [spec, c.c_int]),
        "verso_schedule_new": (c.c_int, [spec, c.POINTER(pointer), error]),
        "verso_schedule_free": (None, [pointer]),
        "verso_schedule_next_actions": (c.c_int, [pointer, pointer, size, c.POINTER(size), error]),
        "verso_schedule_end": (c.c_int, [pointer, c.c_uint64, c.c_uint64, error]),
        "verso_schedule_get_spec": (spec, [pointer]),
        "verso_schedule_tiers": (size, [pointer]),
        "verso_schedule_tier_name": (c.c_char_p, [pointer, size]),
        "verso_schedule_cost": (c.c_int, [pointer, c.POINTER(structs.CostStruct), error]),
        "verso_schedule_simulate": (c.c_int, [spec, c.POINTER(structs.CostStruct), error]),
        "verso_picture_svg": (c.c_int, [spec, structs.Sink, pointer, error]),
    }
    for name, (result, arguments) in declarations.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


def raise_for(status: int, error: structs.ErrorText) -> None:
    if status != 0:
        raise error_of(status, error.text())


def text_from(write: Any) -> str:
    """Collects the text that a function of the library writes to a sink."""
    pieces: list[bytes] = []

    def take(_context: Any, text: int, size: int) -> int:
        pieces.append(c.string_at(text, size))
        return 0

    error = structs.ErrorText()
    raise_for(write(structs.Sink(take), error), error)
    return b"".join(pieces).decode()


def make_spec(kind: str, *, steps: int | None = None, slots: int = 0, forward_cost: int = 1, backward_cost: int = 1,
              write_cost: int = 0, read_cost: int = 0, disk: bool = False, tiers: Sequence[Sequence[int | None]] = (),
              distance: int = 0, adjoint_distance: int = 0, leaf: int = 1, space: int = 0, time: int = 0,
              split: str = "binomial") -> structs.Spec:
    """Makes the C structure of a schedule's parameters."""
    if kind not in _kinds:
        raise ValueError(f"there is no kind of schedule '{kind}'; there are {', '.join(_kinds)}")
    if split not in _splits:
        raise ValueError(f"split is one of {', '.join(_splits)}, not '{split}'")
    if len(tiers) > structs.TIERS_MAX:
        raise ValueError(f"a schedule has at most {structs.TIERS_MAX} tiers, not {len(tiers)}")
    spec = structs.Spec()
    loaded().verso_schedule_spec_init(c.byref(spec), _kinds.index(kind))
    spec.steps = structs.UNKNOWN if steps is None else _count("steps", steps)
    for name, value in (("slots", slots), ("forward_cost", forward_cost), ("backward_cost", backward_cost),
                        ("write_cost", write_cost), ("read_cost", read_cost), ("distance", distance),
                        ("adjoint_distance", adjoint_distance), ("leaf", leaf), ("space", space), ("time", time)):
        setattr(spec, name, _count(name, value))
    spec.with_disk, spec.split, spec.tier_count = disk, _splits.index(split), len(tiers)
    for i, (capacity, write, read) in enumerate(tiers):
        unlimited = structs.UNKNOWN if capacity is None else _count("the capacity of a tier", capacity)
        spec.tiers[i] = structs.Tier(unlimited, _count("the cost of a write", write), _count("the cost of a read", read))
    return spec


def _count(name: str, value: Any) -> int:
    number = int(value)
    if number != value or not 0 <= number < 2**64:
        raise ValueError(f"{name} is a whole number from 0 on, not {value!r}")
    return number


class Schedule:
    """A schedule: an iterator over its actions. Each iteration begins anew, except for schedules of kind "online" without
    a number of steps, of which ``end`` tells the last one; these can be iterated once."""

    _BATCH = 4096

    def __init__(self, spec: structs.Spec):
        self._lib = loaded()
        self._spec = spec
        self._walk: int | None = None
        handle = self._open()  # refuses what is impossible
        self.tiers = tuple(self._lib.verso_schedule_tier_name(handle, i).decode()
                           for i in range(self._lib.verso_schedule_tiers(handle)))
        if self.is_open:
            self._walk = handle
        else:
            self._lib.verso_schedule_free(handle)

    def __del__(self) -> None:
        if getattr(self, "_walk", None):
            self._lib.verso_schedule_free(self._walk)

    def _open(self) -> int:
        error, handle = structs.ErrorText(), c.c_void_p()
        raise_for(self._lib.verso_schedule_new(c.byref(self._spec), c.byref(handle), c.byref(error)), error)
        assert handle.value is not None
        return handle.value

    @property
    def kind(self) -> str:
        return _kinds[self._spec.kind]

    @property
    def steps(self) -> int | None:
        return None if self._spec.steps == structs.UNKNOWN else self._spec.steps

    @property
    def is_open(self) -> bool:
        """The number of steps is learnt at the end."""
        return self._spec.steps == structs.UNKNOWN

    def __iter__(self) -> Iterator[Action]:
        if self.is_open:
            return self._iterate(self._walk, 1)
        return self._iterate_whole()

    def _iterate_whole(self) -> Iterator[Action]:
        handle = self._open()
        try:
            yield from self._iterate(handle, self._BATCH)
        finally:
            self._lib.verso_schedule_free(handle)

    def _iterate(self, handle: int | None, room: int) -> Iterator[Action]:
        """Takes many actions at a time from the library, because a call of it takes longer than an action."""
        batch = np.zeros(room, dtype=[("kind", "i4"), ("tier", "u4"), ("slot", "u8"), ("from", "u8"), ("to", "u8")])
        address, count, error = batch.ctypes.data, c.c_size_t(), structs.ErrorText()
        make = functools.partial(tuple.__new__, Action)
        take, counted, failed = self._lib.verso_schedule_next_actions, c.byref(count), c.byref(error)
        while True:
            status = take(handle, address, room, counted, failed)
            found = batch[:count.value].tolist()
            ended = bool(found) and found[-1][0] == ActionKind.DONE
            yield from map(make, found)
            raise_for(status, error)
            if ended:
                return

    def end(self, at: int, steps: int) -> None:
        """Tells an open schedule, right after an ``advance``, that the computation has ``steps`` steps and the working
        state is that after ``at`` steps."""
        error = structs.ErrorText()
        if self._walk is None:
            raise ValueError(f"a schedule of kind {self.kind} with {self.steps} steps knows its end")
        raise_for(self._lib.verso_schedule_end(self._walk, at, steps, c.byref(error)), error)

    @functools.cached_property
    def cost(self) -> Cost:
        """The predicted cost."""
        found, error, handle = structs.CostStruct(), structs.ErrorText(), self._open()
        try:
            raise_for(self._lib.verso_schedule_cost(handle, c.byref(found), c.byref(error)), error)
        finally:
            self._lib.verso_schedule_free(handle)
        return _cost(found, len(self.tiers))

    def simulate(self) -> Cost:
        """Walks through all actions, checks that they are possible, and counts."""
        found, error = structs.CostStruct(), structs.ErrorText()
        raise_for(self._lib.verso_schedule_simulate(c.byref(self._spec), c.byref(found), c.byref(error)), error)
        return _cost(found, len(self.tiers))

    def svg(self) -> str:
        """A picture: steps from left to right, time downwards."""
        return text_from(lambda sink, error: self._lib.verso_picture_svg(c.byref(self._spec), sink, None, c.byref(error)))

    def _repr_svg_(self) -> str | None:
        return None if self.is_open or self._spec.steps > 100_000 else self.svg()

    def __repr__(self) -> str:
        length = "an unknown number of" if self.is_open else f"{self.steps}"
        return f"<verso.Schedule {self.kind}: {length} steps>"


def _cost(found: structs.CostStruct, tiers: int) -> Cost:
    values: dict[str, Any] = {}
    for field in fields(Cost):
        value = getattr(found, field.name)
        if isinstance(value, c.Array):
            value = tuple(int(v) for v in value[:tiers])
        values[field.name] = value if isinstance(value, tuple) else int(value)
    return Cost(**values)


def plan(kind: str, **parameters: Any) -> Schedule:
    """Makes a schedule, as ``verso plan`` does.

    ``verso.plan("revolve", steps=1000, slots=10)``; the parameters of each kind are those of ``verso_schedule_spec``:
    steps (None for "online": unknown), slots, forward_cost, backward_cost, write_cost, read_cost, disk, tiers (of
    (capacity, write_cost, read_cost); None: unlimited), distance, adjoint_distance, leaf, space, time, split.
    """
    return Schedule(make_spec(kind, **parameters))
