"""Sizes in bytes as the command writes them: 64M, 1.5G (powers of 1000), 64Mi (powers of 1024)."""

from __future__ import annotations

import re

_units = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "ki": 2**10, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def bytes_of(size: int | str | None) -> int:
    """Returns the number of bytes; 0 for None."""
    if size is None:
        return 0
    if isinstance(size, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(k|K|M|G|T|ki|Ki|Mi|Gi|Ti)?B?\s*", size)
        if not match:
            raise ValueError(f"'{size}' is not a size; write 64000000, '64M' or '64Mi'")
        size = int(float(match[1]) * _units[(match[2] or "").replace("K", "k") if match[2] == "K" else match[2] or ""])
    if size <= 0:
        raise ValueError(f"a budget of {size} bytes is too small; give None for no budget")
    return int(size)
