"""The structures of this package have the layout of those in the headers."""

import ctypes
import os
import subprocess
from pathlib import Path

from verso import structs

names = {
    structs.ErrorText: "verso_error", structs.Array: "verso_array", structs.Progress: "verso_progress",
    structs.Sparse: "verso_sparse", structs.Tier: "verso_tier", structs.Spec: "verso_schedule_spec",
    structs.ActionStruct: "verso_action", structs.CostStruct: "verso_cost", structs.Region: "verso_region",
    structs.LoopStruct: "verso_loop", structs.ProgramStruct: "verso_program", structs.RunOptions: "verso_run_options",
}


def test_layouts(tmp_path):
    lines = ["#include <verso/verso.h>", "#include <verso/jacobian.h>", "#include <stdio.h>", "int main(void) {"]
    want = []
    for struct, name in names.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        want.append(f"{name} {ctypes.sizeof(struct)}")
        for field, *_ in struct._fields_:
            member = field.rstrip("_")
            lines.append(f'printf("{name}.{member} %zu\\n", offsetof({name}, {member}));')
            want.append(f"{name}.{member} {getattr(struct, field).offset}")
    source = tmp_path / "layout.c"
    source.write_text("\n".join([*lines, "}"]))
    include = Path(__file__).parents[2] / "include"
    subprocess.run([os.environ.get("CC", "gcc"), f"-I{include}", "-include", "stddef.h", str(source), "-o",
                    str(tmp_path / "layout")], check=True)
    printed = subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == want
