"""Where Verso's command and library are: beside this package in a build, or installed."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import shutil
from pathlib import Path

from .errors import Error

_needed = "Verso {0} is not to be found; put the folder of the command `verso` into PATH, or set VERSO to its path"


@functools.lru_cache(maxsize=None)
def command() -> str:
    """Returns the path of the command ``verso``: $VERSO, or the one in PATH, or that of the build folder."""
    named = os.environ.get("VERSO")
    built = Path(__file__).resolve().parents[2] / "build" / "verso"
    for path in (named, shutil.which("verso"), str(built)):
        if path and os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise Error(_needed.format("command"))


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loads libverso.so, which has schedules and the driver: the one that belongs to the command."""
    folder = Path(command()).parent
    names = ["libverso.so"]
    folders = [folder, folder.parent / "lib", *sorted((folder.parent / "lib").glob("*-linux-gnu"))]
    for place in folders:
        for path in (place / name for name in names):
            if path.exists():
                return ctypes.CDLL(str(path))
    found = ctypes.util.find_library("verso")
    if found:
        return ctypes.CDLL(found)
    raise Error(_needed.format("library (libverso.so)"))


def cache_folder() -> Path:
    """Returns the folder for compiled programs, which it creates; only the user can write to it."""
    named = os.environ.get("VERSO_CACHE")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "verso"
    folder = base / "python"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = folder.stat()
    if about.st_uid != os.geteuid() or about.st_mode & 0o022:
        raise Error(f"others can write to '{folder}', where compiled programs are kept; set VERSO_CACHE to a folder of your own")
    return folder
