"""Errors of Verso: the texts are those of the library and of the command."""

from __future__ import annotations


class Error(RuntimeError):
    """Verso could not do what was asked; the text says why and what to do."""

    status = "UNKNOWN"


class InvalidError(Error, ValueError):
    status = "INVALID"


class ImpossibleError(Error, ValueError):
    status = "IMPOSSIBLE"


class OutOfMemoryError(Error, MemoryError):
    status = "NO_MEMORY"


class StateError(Error):
    status = "STATE"


class CorruptError(Error):
    status = "CORRUPT"


class FileError(Error, OSError):
    status = "IO"

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class BusyError(Error):
    status = "BUSY"


class Suspended(Error):
    """A durable run was suspended; the same call continues it."""

    status = "SUSPENDED"


class CallbackError(Error):
    status = "USER"


class CompileError(Error):
    """The compiler or ``verso library`` refused the program; the text is what it printed."""


# By the codes of verso_status.
_by_code = {
    1: InvalidError,
    2: ImpossibleError,
    3: OutOfMemoryError,
    4: StateError,
    5: CorruptError,
    6: FileError,
    7: BusyError,
    8: Suspended,
    9: CallbackError,
}


def error_of(code: int, message: str) -> Error:
    """Returns the exception for a status of the library."""
    return _by_code.get(code, Error)(message or f"Verso failed with status {code}")
