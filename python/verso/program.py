"""Compiled programs and their functions: values, gradients, tangents, Jacobians and tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from . import compiling, durable
from .binding import Parameter, bind, is_length, parameter_of
from .calls import LOCK, Call, Library, copy_inputs
from .errors import Error
from .quantity import bytes_of

Gradient = Any  # an array, a float, or a dict of these
_FLOAT64 = np.dtype(np.float64)


class Program:
    """Functions of C and C++ files, compiled to one shared library with its own global variables."""

    def __init__(self, files: Sequence[Path], flags: Sequence[str], library: Path, description: Mapping[str, Any]):
        self.files = list(files)
        self.flags = list(flags)
        self.path = library
        self._library = Library(library)
        self._functions: dict[str, Function] = {}
        self._refused: dict[str, str] = {}
        for about in description["functions"]:
            if "refused" in about:
                self._refused[about["name"]] = about["refused"]
            else:
                self._functions[about["name"]] = Function(self, about)

    def __getitem__(self, name: str) -> "Function":
        try:
            return self._functions[name]
        except KeyError:
            pass
        if name in self._refused:
            raise Error(self._refused[name])
        have = ", ".join(self._functions) or "none"
        raise KeyError(f"there is no function '{name}' in {self._names()}; it has {have}. A static function is there if "
                       f"functions=['{name}'] asks for it")

    def __iter__(self):
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def _names(self) -> str:
        return ", ".join(f.name for f in self.files)

    def __repr__(self) -> str:
        return f"<verso.Program {self._names()}: {', '.join(self._functions)}>"


def compile(*files: str | os.PathLike, flags: Sequence[str] = (),  # noqa: A001 (the name that the issue asks for)
            functions: Sequence[str] | None = None) -> Program:
    """Compiles C and C++ files to a program whose functions can be differentiated.

    ``flags`` are passed to the compiler and linker, such as ``-O3``, ``-I...`` and ``-l...``. ``functions``: the names of
    those that Python calls; by default all that are not static. The result is kept in ``$VERSO_CACHE`` or
    ``~/.cache/verso`` until one of the files that it was made from changes.
    """
    if not files:
        raise TypeError("which files? For example verso.compile('model.c')")
    paths = [Path(f).resolve() for f in files]
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"cannot read '{path}'")
    library, description = compiling.find_or_build(paths, list(flags), functions)
    return Program(paths, flags, library, description)


class Check:
    """What ``check`` has found; true if all tests passed."""

    def __init__(self, report: dict[str, Any]):
        self.report = report
        self.holds: bool = report["holds"]

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        r = self.report

        def line(name: str, what: str, holds: bool) -> str:
            return f"  {name:<12} {what:<58} {'pass' if holds else 'FAIL'}"

        order = "linear" if r["taylor"]["linear"] else f"order {r['taylor']['order']:.3f}"
        apart = abs(r["dot_product"]["tangent"] - r["dot_product"]["reverse"])
        lines = [
            line("value", f"{r['value']['recorded']:.17g}", r["value"]["holds"]),
            line("dot product", f"{r['dot_product']['reverse']:.6g}, {apart:.1e} apart", r["dot_product"]["holds"]),
            line("Taylor", order, r["taylor"]["holds"]),
            line("cuts", f"{r['cuts']['stretches']} stretches, {r['cuts']['differences']} bits differ", r["cuts"]["holds"]),
        ]
        if r["within"]["tested"]:
            lines.append(line("budget", f"{r['within']['differences']} numbers differ", r["within"]["holds"]))
        return "\n".join([*lines, "PASS" if self.holds else "FAIL"])


class Function:
    """A function of a program. Called, it runs as in C: arrays that it writes to are changed in place. Its derivatives
    leave all arguments as they are.

    Arguments may have names. An integer that directly follows an array is the array's length unless it is given.
    """

    def __init__(self, program: Program, about: Mapping[str, Any], fixed: Mapping[str, Any] | None = None):
        self._program = program
        self._about = about
        self._library = program._library
        self._fixed = dict(fixed or {})
        self.name: str = about["name"]
        self.parameters: list[Parameter] = [parameter_of(p) for p in about["parameters"]]
        self.result = parameter_of({"name": "", **about["result"]})
        self._entry = self._library.entries(about["index"])
        self._call: Call | None = None
        self._fast: tuple | None = None
        self.__doc__ = f"{self.signature}\n\nFrom {about['file']}."
        self.__name__ = self.name

    # ---- What it is ----

    @property
    def signature(self) -> str:
        """The declaration in C."""
        return f"{self.result.type} {self.name}({', '.join(_declared(p) for p in self.parameters)})"

    def __repr__(self) -> str:
        fixed = "".join(f", {name} fixed" for name in self._fixed)
        return f"<verso.Function {self.signature}{fixed}>"

    def _repr_html_(self) -> str:
        text = self.signature.replace("&", "&amp;").replace("<", "&lt;")
        rows = "".join(f"<tr><td>{k}</td><td>{v}</td></tr>" for k, v in (self.report or {}).items())
        return f"<code>{text}</code>" + (f"<table>{rows}</table>" if rows else "")

    @property
    def inputs(self) -> list[str]:
        """The parameters by which it is differentiated unless ``wrt`` chooses others."""
        return [p.name for p in self.parameters if p.is_input and p.name not in self._fixed]

    def bind(self, **values: Any) -> "Function":
        """Returns the function with these parameters fixed: they need not be given, and are not differentiated."""
        for name in values:
            if all(p.name != name for p in self.parameters):
                raise TypeError(f"{self.name} has no parameter '{name}'; it has {', '.join(p.name for p in self.parameters)}")
        return Function(self._program, self._about, {**self._fixed, **values})

    # ---- Plain calls ----

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Calls the function."""
        values = self._bind(args, named, keeps=True)
        with LOCK:
            return self._library.call(self._entry, self.result, values)

    def outputs(self, *args: Any, of: str, **named: Any) -> np.ndarray:
        """Calls the function with copies of the arrays that it may write to, and returns what it writes to ``of``."""
        index = self._of(of)
        values = self._bind(args, named, of)
        values = [v.copy() if isinstance(v, np.ndarray) and p.is_array and not p.constant else v
                  for p, v in zip(self.parameters, values)]
        with LOCK:
            self._library.call(self._entry, self.result, values)
        return values[index]

    def _bind(self, args: Sequence[Any], named: Mapping[str, Any], of: str | None = None, of_length: int | None = None,
              keeps: bool = False) -> list[Any]:
        given = {**self._fixed, **named} if self._fixed else named
        return bind(self.name, self.parameters, args, given, of, of_length, keeps)

    # ---- Gradients ----

    def value_and_grad(self, *args: Any, wrt: str | Sequence[str] | None = None, of: str | None = None,
                       weights: Any = None, memory: int | str | None = None, schedule: str | None = None,
                       run: str | os.PathLike | None = None, progress: bool | Callable | None = None,
                       **named: Any) -> tuple[float, Gradient]:
        """Returns the value and its gradient: an array of the shape of the argument, or a dict of arrays if there are
        several floating-point parameters.

        ``wrt``: the parameters by which it is differentiated (a name, or a list of names); ``of``: the array that the
        function writes its results to, whose sum, weighted by ``weights``, is the value; ``memory``: a budget in bytes
        ("64M"); ``schedule``: as ``verso grad --schedule``, "revolve,slots=10"; ``run``: the directory of a durable run,
        which a process of its own makes; ``progress``: True for a bar, or a function of the fraction that is done.
        """
        fast = self._fast
        if fast is not None and len(args) == 1 and not named and wrt is None and of is None and memory is None and \
                weights is None and run is None and progress is None and schedule is None:
            x = args[0]
            if type(x) is np.ndarray and x.dtype is _FLOAT64 and x.shape == fast[0]:
                return self._repeat(fast, x)
        if run is not None:
            return self._durable(args, named, wrt, of, weights, memory, schedule, run, progress)
        with LOCK:
            call = self._prepare(args, named, wrt, of, weights)
            call.differentiate(self._entry, bytes_of(memory), schedule, progress)
            if not named and len(args) == 1:
                self._remember(call, args[0])
            return call.value(), call.gradient()

    def _remember(self, call: Call, x: Any) -> None:
        """Prepares for more calls with an array like this one."""
        if type(x) is np.ndarray and x.dtype is _FLOAT64 and x.ndim == 1 and call.is_repeatable(x):
            self._fast = (x.shape, call.views[call.wrt[0]], self._entry.vjp, call.arguments, call.result, call.adjoint)

    def _repeat(self, fast: tuple, x: np.ndarray) -> tuple[float, np.ndarray]:
        with LOCK:
            fast[1][:] = x
            status = fast[2](*fast[3])
            if status:
                raise self._library.error(status)
            return fast[4].value, fast[5].copy()

    def grad(self, *args: Any, **options: Any) -> Gradient:
        """Returns the gradient alone; see ``value_and_grad``."""
        return self.value_and_grad(*args, **options)[1]

    def vjp(self, *args: Any, of: str | None = None, weights: Any = None, wrt: str | Sequence[str] | None = None,
            memory: int | str | None = None, **named: Any) -> tuple[Any, Gradient]:
        """Returns the results, and the derivative of their sum weighted by ``weights``."""
        with LOCK:
            call = self._prepare(args, named, wrt, of, weights)
            call.differentiate(self._entry, bytes_of(memory), None, None)
            return call.results(), call.gradient()

    def jvp(self, *args: Any, direction: Any, of: str | None = None, wrt: str | Sequence[str] | None = None,
            **named: Any) -> tuple[Any, Any]:
        """Returns the results, and their derivative along ``direction``: an array, or a dict of arrays."""
        with LOCK:
            call = self._prepare(args, named, wrt, of, None)
            call.set_direction(direction)
            call.push(self._entry)
            return call.results(), call.tangent()

    def jacobian(self, *args: Any, of: str | None = None, wrt: str | Sequence[str] | None = None, sparse: bool = False,
                 **named: Any) -> Any:
        """Returns the matrix of the derivatives of all results by all inputs, or a dict of matrices; with ``sparse``,
        SciPy's ``csr_matrix``."""
        with LOCK:
            call = self._prepare(args, named, wrt, of, None)
            return call.sparse_jacobian(self._entry) if sparse else call.jacobian(self._entry)

    def check(self, *args: Any, of: str | None = None, wrt: str | Sequence[str] | None = None, seed: int = 0,
              cuts: int = 0, memory: int | str | None = None, **named: Any) -> Check:
        """Tests the derivatives at this point, as ``verso check`` does."""
        with LOCK:
            call = self._prepare(args, named, wrt, of, None)
            return Check(call.check(self._entry, seed, cuts, bytes_of(memory)))

    @property
    def report(self) -> dict[str, Any] | None:
        """What the last derivative took: steps, bytes, seconds, schedule."""
        with LOCK:
            return self._call.report() if self._call is not None else None

    # ---- Preparing ----

    def _wrt(self, wrt: str | Sequence[str] | None, of: str | None, given: set[str]) -> list[int]:
        if wrt is None:
            names = [n for n in self.inputs if n != of or n in given]
        else:
            names = [wrt] if isinstance(wrt, str) else list(wrt)
        chosen = []
        for name in names:
            index = next((i for i, p in enumerate(self.parameters) if p.name == name), None)
            if index is None or not self.parameters[index].is_input:
                inputs = ", ".join(p.name for p in self.parameters if p.is_input)
                raise TypeError(f"{self.name} has no floating-point parameter '{name}'; it has {inputs or 'none'}")
            chosen.append(index)
        if not chosen:
            raise TypeError(f"{self.name}: there is nothing to differentiate with respect to")
        return chosen

    def _of(self, of: str | None) -> int | None:
        if of is None:
            if not self.result.floating or self.result.kind != "number":
                raise TypeError(f"{self.name} returns '{self.result.type}', not a floating-point number; name the array of "
                                "its results with of=NAME")
            return None
        for index, parameter in enumerate(self.parameters):
            if parameter.name == of:
                if not parameter.is_array or not parameter.floating or parameter.constant:
                    raise TypeError(f"of='{of}': it is '{parameter.type}', not a writable array of floating-point numbers")
                return index
        raise TypeError(f"{self.name} has no parameter '{of}'; it has {', '.join(p.name for p in self.parameters)}")

    def _given(self, args: Sequence[Any], named: Mapping[str, Any]) -> set[str]:
        """Names of parameters that have a value in the call."""
        names = set(named) | set(self._fixed)
        free = [p.name for i, p in enumerate(self.parameters)
                if p.name not in names and (len(args) == len(self.parameters) or not is_length(self.parameters, i))]
        return names | set(free[:len(args)])

    def _prepare(self, args: Sequence[Any], named: Mapping[str, Any], wrt: str | Sequence[str] | None, of: str | None,
                 weights: Any) -> Call:
        self._fast = None
        result = self._of(of)
        chosen = self._wrt(wrt, of, self._given(args, named) if of is not None else set())
        length = np.size(weights) if weights is not None else None
        values = self._bind(args, named, of, length)
        call = self._call
        if call is None or not call.fits(values, chosen, result):
            self._call = None
            call = Call(self._library, self.parameters, self.result, values, chosen, result, self.name)
            self._call = call
        call.load(values)
        call.set_weights(weights)
        return call

    def _durable(self, args: Sequence[Any], named: Mapping[str, Any], wrt: Any, of: str | None, weights: Any, memory: Any,
                 schedule: str | None, run: Any, progress: Any) -> tuple[float, Gradient]:
        result = self._of(of)
        chosen = self._wrt(wrt, of, self._given(args, named) if of is not None else set())
        values = self._bind(args, named, of, np.size(weights) if weights is not None else None)
        value, gradient = durable.run(self._program, self.name, self.parameters, values, chosen, result, weights,
                                      memory, schedule, os.fspath(run), bool(progress))
        return value, copy_inputs(self.parameters, values, chosen, gradient)


def _declared(parameter: Parameter) -> str:
    spelled = parameter.type
    if "[" in spelled:
        before, bracket, after = spelled.partition("[")
        return f"{before.rstrip()} {parameter.name}{bracket}{after}"
    return f"{spelled}{'' if spelled.endswith(('*', '&')) else ' '}{parameter.name}"
