"""Durable runs need the same addresses in every process, so they are processes of their own: ``verso grad --run``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from . import places
from .binding import Null, Parameter
from .errors import Error, Suspended
from .quantity import bytes_of

_SUSPENDED = 75


def _numbers(values: np.ndarray) -> str:
    """The shortest text that reads back as the same numbers."""
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        return "\n".join(np.format_float_scientific(v, unique=True) for v in values.reshape(-1))
    return "\n".join(map(repr, values.astype(np.float64).reshape(-1).tolist() if values.dtype.kind == "f"
                         else values.astype(object).reshape(-1).tolist()))


def _options(folder: Path, parameters: Sequence[Parameter], values: Sequence[Any], wrt: Sequence[int],
             of: int | None) -> list[str]:
    words = []
    for i, (parameter, value) in enumerate(zip(parameters, values)):
        if value is Null:
            words += ["--set", f"{parameter.name}=NULL"]
        elif parameter.text:
            path = folder / f"{i}.txt"
            path.write_bytes(value.tobytes()[:-1])
            words += ["--set", f"{parameter.name}=@{path}"]
        elif i == of and i not in wrt and not np.any(value):
            continue  # begins with zeros anyway
        else:
            path = folder / f"{i}.txt"
            numbers = value.astype(np.int64) if value.dtype.kind == "b" else value
            path.write_text(_numbers(numbers) + "\n")
            words += ["--at" if i in wrt else "--set", f"{parameter.name}=@{path}"]
    return words


def run(program: Any, name: str, parameters: Sequence[Parameter], values: Sequence[Any], wrt: Sequence[int],
        of: int | None, weights: Any, memory: Any, schedule: str | None, directory: str,
        progress: bool) -> tuple[float, np.ndarray]:
    """Computes a gradient durably; the same call continues a run that was suspended or killed."""
    Path(directory).mkdir(mode=0o700, parents=True, exist_ok=True)
    inputs = Path(directory) / "python"
    inputs.mkdir(mode=0o700, exist_ok=True)
    files = ",".join(str(f) for f in program.files)
    words = [places.command(), "grad", f"{files}:{name}", *_options(inputs, parameters, values, wrt, of), "--json",
             "--run", directory]
    if of is not None:
        words += ["--of", parameters[of].name]
    if weights is not None:
        (inputs / "weights.txt").write_text(_numbers(np.asarray(weights, np.float64)) + "\n")
        words += ["--weights", f"@{inputs / 'weights.txt'}"]
    if memory is not None:
        words += ["--memory", str(bytes_of(memory))]
    if schedule is not None:
        words += ["--schedule", schedule]
    answer = _wait(words + ["--", *program.flags], progress)
    gradient = answer["gradient"]
    parts = [gradient] if isinstance(gradient, list) else [gradient[parameters[i].name] for i in wrt]
    # JSON has no word for numbers that are not finite.
    numbers = [np.nan if x is None else x for part in parts for x in (part if isinstance(part, list) else [part])]
    return float(np.nan if answer["value"] is None else answer["value"]), np.array(numbers, dtype=np.float64)


def _wait(words: list[str], progress: bool) -> dict[str, Any]:
    """Runs the command. Ctrl-C suspends the run."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=None if progress else errors, text=True,
                                   start_new_session=True)
        interrupted = False
        while True:
            try:
                printed, _ = process.communicate()
                break
            except KeyboardInterrupt:
                interrupted = True
                process.send_signal(signal.SIGINT)
        errors.seek(0)
        said = errors.read().strip()
    if interrupted:
        raise KeyboardInterrupt
    if process.returncode == _SUSPENDED:
        raise Suspended(said or "the run was suspended; call again to continue")
    if process.returncode != 0:
        raise Error(said or f"verso grad failed with status {process.returncode}")
    return json.loads(printed)
