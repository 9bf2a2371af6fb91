"""Functions of compiled programs as functions of PyTorch, with gradients."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from .program import Function


def function(f: Function, *, wrt: Sequence[str] | None = None, of: str | None = None, memory: int | str | None = None,
             **constants: Any) -> Callable[..., torch.Tensor]:
    """Returns a function of tensors: one for each parameter of ``wrt``, by default for each floating-point parameter.

    ``of``: the array that the C function writes its results to; without it, the result is the number that it returns.
    ``memory``: a budget for the backward pass. ``constants``: values of the other parameters.
    """
    names = [n for n in (f.inputs if wrt is None else wrt) if n != of and n not in constants]

    def arrays(tensors: Sequence[torch.Tensor]) -> dict[str, Any]:
        return {name: tensor.detach().cpu().numpy() for name, tensor in zip(names, tensors)}

    class Compiled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(*tensors)
            given = {**constants, **arrays(tensors)}
            value = f(**given) if of is None else f.outputs(of=of, **given)
            return torch.as_tensor(value, dtype=tensors[0].dtype)

        @staticmethod
        def backward(ctx: Any, weights: torch.Tensor) -> Any:
            tensors = ctx.saved_tensors
            weight = weights.detach().cpu().numpy()
            found = f.vjp(of=of, weights=weight, wrt=names, memory=memory, **constants, **arrays(tensors))[1]
            parts = found if isinstance(found, dict) else {names[0]: found}
            return tuple(torch.as_tensor(parts[n], dtype=t.dtype).reshape(t.shape) for n, t in zip(names, tensors))

    def call(*tensors: torch.Tensor) -> torch.Tensor:
        if len(tensors) != len(names):
            raise TypeError(f"{f.name} takes {len(names)} tensors ({', '.join(names)}), not {len(tensors)}")
        return Compiled.apply(*tensors)

    return call
