"""Compiles programs to shared libraries with ``verso library``, and keeps the libraries."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Iterable, Sequence

from . import places
from .errors import CompileError

# What the compiler reads besides its command line.
_variables = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "VERSO_CLANG")


def _key(files: Sequence[Path], flags: Sequence[str], functions: Sequence[str] | None) -> str:
    about = os.stat(places.command())
    facts: list[Any] = [places.command(), about.st_mtime_ns, about.st_size, os.getcwd(), [str(f) for f in files]]
    facts += [list(flags), None if functions is None else list(functions), [os.environ.get(v) for v in _variables]]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:40]


def _mark(path: str) -> str:
    """Identifies the content of a file. Files of the system are not read, because there are many."""
    about = os.stat(path)
    if path.startswith("/usr/"):
        return f"{about.st_mtime_ns} {about.st_size}"
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _is_current(folder: Path) -> dict[str, Any] | None:
    """Returns the description of the library in the folder, if nothing that it was made from has changed."""
    try:
        description = json.loads((folder / "library.json").read_text())
        marks = json.loads((folder / "made-from.json").read_text())
        current = (folder / description["library"]).exists() and all(_mark(path) == mark for path, mark in marks.items())
        return description if current else None
    except (OSError, ValueError):
        return None


def _parts(flags: Sequence[str]) -> Iterable[str]:
    """Files among the options: objects, archives."""
    return (os.path.realpath(flag) for flag in flags if not flag.startswith("-") and os.path.isfile(flag))


def build(files: Sequence[Path], flags: Sequence[str], functions: Sequence[str] | None,
          library: Path, description: Path) -> None:
    """Runs ``verso library``."""
    words = [places.command(), "library", ",".join(str(f) for f in files), "--out", str(library)]
    words += ["--description", str(description)]
    for name in functions or ():
        words += ["--function", name]
    done = subprocess.run([*words, "--", *flags], capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr.strip() or f"verso library failed with status {done.returncode}")


def find_or_build(files: Sequence[Path], flags: Sequence[str],
                  functions: Sequence[str] | None) -> tuple[Path, dict[str, Any]]:
    """Returns a library made of the files, and its description."""
    folder = places.cache_folder() / _key(files, flags, functions)
    known = _is_current(folder)
    if known is not None:
        return folder / known["library"], known
    with tempfile.TemporaryDirectory(dir=places.cache_folder(), prefix="new-") as scratch:
        new = Path(scratch) / "made"
        new.mkdir(mode=0o700)
        build(files, flags, functions, new / "library.so", new / "library.json")
        description = json.loads((new / "library.json").read_text())
        made_from = {path: _mark(path) for path in {*description["sources"], *_parts(flags)}}
        (new / "made-from.json").write_text(json.dumps(made_from))
        # The name depends on the content: a process that has loaded an older library of that name would get that again.
        name = hashlib.sha256(json.dumps(made_from, sort_keys=True).encode()).hexdigest()[:16] + ".so"
        os.rename(new / "library.so", new / name)
        description["library"] = name
        (new / "library.json").write_text(json.dumps(description))
        if folder.exists():
            os.rename(folder, Path(scratch) / "old")
        try:
            os.rename(new, folder)
        except OSError:  # another process was faster
            known = _is_current(folder)
            if known is None:
                raise
            description = known
    return folder / description["library"], description
