"""Compiling, the cache, errors of the compiler, durable runs, signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import verso

HERE = Path(__file__).parent


def test_cache(tmp_path):
    header, source = tmp_path / "factor.h", tmp_path / "f.c"
    header.write_text("#define FACTOR 2\n")
    source.write_text('#include "factor.h"\ndouble f(double x) { return FACTOR * x; }\n')
    first = verso.compile(source)
    began = time.perf_counter()
    assert verso.compile(source).path == first.path
    assert time.perf_counter() - began < 0.2
    assert first["f"](3.0) == 6
    stamp = first.path.stat().st_mtime_ns
    header.write_text("#define FACTOR 5\n")
    second = verso.compile(source)
    assert second.path.stat().st_mtime_ns != stamp
    assert second["f"](3.0) == 15 and first["f"](3.0) == 6


def test_errors_of_the_compiler(tmp_path):
    source = tmp_path / "wrong.c"
    source.write_text("double f(double x) { return y; }\n")
    with pytest.raises(verso.CompileError, match="use of undeclared identifier 'y'"):
        verso.compile(source)
    with pytest.raises(FileNotFoundError, match="nothing.c"):
        verso.compile(tmp_path / "nothing.c")


def test_functions(tmp_path):
    source = tmp_path / "s.c"
    source.write_text("static double f(double x) { return x * x; }\nint other(void) { return 0; }\n")
    prog = verso.compile(source, functions=["f"])
    assert list(prog) == ["f"] and prog["f"].grad(3.0) == 6
    with pytest.raises(verso.CompileError, match="there is no function 'g'"):
        verso.compile(source, functions=["g"])


def test_durable(model, tmp_path):
    x = np.linspace(0, 1, 40)
    f = model["march"]
    want = f.value_and_grad(x, steps=300)
    run = tmp_path / "run"
    got = f.value_and_grad(x, steps=300, run=run, memory="3M")
    assert got[0] == want[0] and np.array_equal(got[1], want[1]) and (run / "journal").exists()
    again = f.value_and_grad(x, steps=300, run=run, memory="3M")
    assert np.array_equal(again[1], want[1])


interrupted = """
import os, signal, sys, threading, time
import numpy as np, verso
f = verso.compile(sys.argv[1], functions=["march"])["march"]
x = np.linspace(0, 1, 200)
f.grad(x, steps=10)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.perf_counter()
try:
    f.grad(x, steps=10**7, **eval(sys.argv[2]))
except KeyboardInterrupt:
    before = f.grad(x, steps=10)
    assert np.array_equal(before, f.grad(x, steps=10))
    sys.exit(0)
sys.exit(3)
"""


@pytest.mark.parametrize("options", ["{}", "{'memory': '5M'}"])
def test_interrupt(options):
    done = subprocess.run([sys.executable, "-c", interrupted, str(HERE / "model.c"), options], timeout=60,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_children(model):
    f, x = model["march"], np.linspace(0, 1, 40)
    want = f.grad(x, steps=100)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(f.grad(x, steps=100, memory="3M"), want) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(f.grad(x, steps=100), want)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
