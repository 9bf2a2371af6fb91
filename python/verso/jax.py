"""Functions of compiled programs as functions of JAX, with gradients (jax.custom_vjp, by jax.pure_callback)."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import numpy as np

from .program import Function


def function(f: Function, *, wrt: Sequence[str] | None = None, memory: int | str | None = None,
             **constants: Any) -> Callable[..., Any]:
    """Returns a function of arrays: one for each parameter of ``wrt``, by default for each floating-point parameter. The
    result is the number that the C function returns. JAX computes in floats unless jax_enable_x64 is set."""
    names = [n for n in (f.inputs if wrt is None else wrt) if n not in constants]

    def value(*arrays: Any) -> np.ndarray:
        given = dict(zip(names, map(np.asarray, arrays)))
        return np.asarray(f(**constants, **given), dtype=np.result_type(arrays[0]))

    def gradient(*arrays: Any) -> tuple[np.ndarray, ...]:
        given = dict(zip(names, map(np.asarray, arrays)))
        found = f.grad(wrt=names, memory=memory, **constants, **given)
        parts = found if isinstance(found, dict) else {names[0]: found}
        return tuple(np.asarray(parts[n], dtype=np.result_type(a)).reshape(np.shape(a)) for n, a in zip(names, arrays))

    @jax.custom_vjp
    def call(*arrays: Any) -> Any:
        return jax.pure_callback(value, jax.ShapeDtypeStruct((), arrays[0].dtype), *arrays)

    def forward(*arrays: Any) -> tuple[Any, Any]:
        return call(*arrays), arrays

    def backward(arrays: Any, weight: Any) -> Any:
        shapes = tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays)
        return tuple(weight * g for g in jax.pure_callback(gradient, shapes, *arrays))

    call.defvjp(forward, backward)
    return call
