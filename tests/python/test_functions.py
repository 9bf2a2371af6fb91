"""Values and derivatives of compiled functions, and how arguments are bound."""

import ctypes
import gc
import threading
from pathlib import Path

import numpy as np
import pytest
import verso

HERE = Path(__file__).parent
X = np.array([0.1, 0.4, -0.3, 0.7, 0.2, 0.5])


def rosenbrock_gradient(x):
    g = np.zeros_like(x)
    g[:-1] += -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g


def test_value_and_grad(model):
    f = model["rosenbrock"]
    for _ in range(3):  # the second call takes another path
        value, gradient = f.value_and_grad(X)
        assert value == f(X)
        assert isinstance(value, float) and gradient.shape == X.shape
        np.testing.assert_allclose(gradient, rosenbrock_gradient(X), rtol=1e-13)
    np.testing.assert_array_equal(f.grad(list(X)), gradient)
    np.testing.assert_array_equal(f.grad(X.reshape(2, 3)), gradient.reshape(2, 3))
    np.testing.assert_array_equal(f.grad(x=X), gradient)
    np.testing.assert_allclose(f.grad(X[:4]), rosenbrock_gradient(X[:4]), rtol=1e-13)


def test_results_are_new_arrays(model):
    f = model["rosenbrock"]
    first = f.grad(X)
    second = f.grad(X + 1)
    np.testing.assert_allclose(first, rosenbrock_gradient(X), rtol=1e-13)
    np.testing.assert_allclose(second, rosenbrock_gradient(X + 1), rtol=1e-13)
    large = [model["half_norm"].grad(np.full(20000, float(i))) for i in range(3)]
    assert [g[0] for g in large] == [0, 1, 2]


def test_binding(model):
    f = model["weighted"]
    call = dict(factor=2.0, shape=1, name="abc", powers=[2, 3])
    value, gradient = f.value_and_grad(X, **call)
    want = np.where(np.arange(6) % 2 == 0, X**2, X**3)
    assert value == pytest.approx(8 * want.sum() + 3)
    assert set(gradient) == {"x", "factor"}
    assert gradient["factor"] == pytest.approx(4 * want.sum())
    np.testing.assert_allclose(gradient["x"], 8 * np.where(np.arange(6) % 2 == 0, 2 * X, 3 * X**2))
    assert np.array_equal(f.grad(X, wrt="x", **call), gradient["x"])
    assert f.grad(X, wrt=["factor"], **call) == gradient["factor"]
    fixed = f.bind(**call)
    np.testing.assert_array_equal(fixed.grad(X), gradient["x"])
    assert f(X, 6, 2.0, 1, "abc", [2, 3], 2) == value
    with pytest.raises(TypeError, match="has no parameter 'fctor'; it has x, n, factor"):
        f(X, fctor=1)
    with pytest.raises(TypeError, match="'shape' .* has no value"):
        f(X, 1.0)
    with pytest.raises(TypeError, match="'powers' .* cannot have the value 2.5"):
        f(X, **{**call, "powers": [2.5]})
    with pytest.raises(TypeError, match="takes one number, not 2"):
        f(X, **{**call, "factor": [1.0, 2.0]})
    with pytest.raises(TypeError, match="no floating-point parameter 'n'"):
        f.grad(X, wrt="n", **call)


def test_shapes(model):
    f = model["frobenius"]
    a = np.arange(6.0).reshape(2, 3)
    value, gradient = f.value_and_grad(2, a)
    assert value == f(n=2, a=a) == pytest.approx((a**2 * [[1], [2]]).sum())
    np.testing.assert_allclose(gradient, 2 * a * [[1], [2]])
    with pytest.raises(TypeError, match="declared with 12 numbers, but 6 are given"):
        f.grad(3, a)


def test_floats(model):
    f = model["single"]
    x = np.array([1.5, 2.5], dtype=np.float32)
    value, gradient = f.value_and_grad(x)
    assert value == 19.0 and gradient.tolist() == [6.75, 18.75]
    assert f.grad([1.5, 2.5]).tolist() == [6.75, 18.75]


def test_arrays_of_results(model):
    f = model["squares"]
    value, gradient = f.value_and_grad(X, of="y", weights=np.arange(6.0))
    y = X**2 + np.r_[0, X[:-1]]
    assert value == pytest.approx(np.arange(6) @ y)
    np.testing.assert_allclose(gradient, 2 * X * np.arange(6) + np.r_[np.arange(1, 6), 0])
    outputs, pulled = f.vjp(X, of="y", weights=np.ones(6))
    np.testing.assert_array_equal(outputs, y)
    jacobian = f.jacobian(X, np.zeros(6), of="y", wrt="x")
    np.testing.assert_allclose(jacobian, np.diag(2 * X) + np.eye(6, k=-1))
    np.testing.assert_allclose(pulled, jacobian.sum(axis=0))
    outputs, pushed = f.jvp(X, np.zeros(6), of="y", wrt="x", direction=np.arange(6.0))
    np.testing.assert_allclose(pushed, jacobian @ np.arange(6.0))
    with pytest.raises(TypeError, match="name the array of its results with of=NAME"):
        f.grad(X, np.zeros(6))
    with pytest.raises(TypeError, match="the length of 'y' is unknown"):
        f.grad(X, of="y")
    with pytest.raises(TypeError, match="not a writable array"):
        f.grad(X, of="x")


def test_sparse_jacobian(model):
    pytest.importorskip("scipy")
    f = model["squares"]
    sparse = f.jacobian(X, np.zeros(6), of="y", wrt="x", sparse=True)
    assert sparse.nnz == 11
    np.testing.assert_allclose(sparse.toarray(), np.diag(2 * X) + np.eye(6, k=-1))


def test_arguments_that_are_written(model):
    f = model["step"]
    u = X.copy()
    assert f(u) is None
    assert u[0] == X[-1] and u[1] == 0.5 * np.sin(X[1]) + 0.25 * X[0]
    kept = X.copy()
    f.vjp(kept, of="u", weights=np.ones(6))
    f.jacobian(kept, of="u")
    f.check(kept, of="u")
    np.testing.assert_array_equal(kept, X)
    with pytest.raises(TypeError, match="may write to 'u'"):
        f(X.astype(np.float32))
    with pytest.raises(TypeError, match="may write to 'u'"):
        f(np.arange(12.0)[::2])


def test_budget(model):
    f = model["march"]
    x = np.linspace(0, 1, 100)
    whole = f.value_and_grad(x, steps=4000)
    assert f.report["schedule"] == "single pass"
    within = f.value_and_grad(x, steps=4000, memory="2M")
    assert f.report["steps"] > 1 and f.report["peak_bytes"] <= 2_000_000
    assert within[0] == whole[0] and np.array_equal(within[1], whole[1])
    planned = f.grad(x, steps=4000, memory="3M", schedule="revolve,slots=5")
    assert np.array_equal(planned, whole[1]) and "revolve" in f.report["schedule"]
    with pytest.raises(verso.ImpossibleError, match="the budget of 1000 bytes is too small; at least"):
        f.grad(x, steps=4000, memory=1000)
    fractions = []
    f.value_and_grad(x, steps=4000, memory="2M", progress=fractions.append)
    assert fractions and fractions[-1] == 1


def test_check(model):
    found = model["march"].check(X, steps=10, memory="3M")
    assert found and found.holds and found.report["within"]["tested"]
    assert repr(found).endswith("PASS")


def test_state_of_the_library(model):
    before = model["seen_calls"]()
    model["count_calls"]()
    assert model["seen_calls"]() == before + 1


def test_several_libraries(model):
    other = verso.compile(HERE / "model.cpp", flags=["-O1"])
    assert set(other) == {"heat::energy", "scaled"}
    for _ in range(3):
        np.testing.assert_allclose(other["heat::energy"].grad(X), 2 * X)
        np.testing.assert_allclose(model["rosenbrock"].grad(X), rosenbrock_gradient(X), rtol=1e-13)
    gradient = other["scaled"].grad(0.5, 2.0)
    assert gradient["x"] == pytest.approx(2 * np.e) and gradient["a"] == pytest.approx(0.5 * np.e)


def test_threads(model):
    f, x = model["march"], np.linspace(0, 1, 50)
    want = f.grad(x, steps=500)
    wrong = []

    def work(**options):
        for _ in range(5):
            if not np.array_equal(f.grad(x, steps=500, **options), want):
                wrong.append(options)

    threads = [threading.Thread(target=work, kwargs=k) for k in ({}, {"memory": "3M"}, {})]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_large_arrays_are_not_copied(model):
    f = model["half_norm"]
    x = np.random.default_rng(0).random(4_000_000)  # 32 MB
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = resident()
    gradient = f.grad(x)
    peak = next(int(line.split()[1]) * 1024 for line in Path("/proc/self/status").read_text().splitlines()
                if line.startswith("VmHWM"))
    np.testing.assert_array_equal(gradient, x)
    # The gradient, and what recording and shadow memory took; a copy of x would be as much as the gradient again.
    assert peak - before - f.report["peak_bytes"] < 1.25 * x.nbytes
    assert ctypes.c_double.from_address(gradient.ctypes.data).value == x[0]


def test_names(model):
    assert "struct point" in str(pytest.raises(verso.Error, lambda: model["distance"]).value)
    with pytest.raises(KeyError, match="there is no function 'rosenbrok'"):
        model["rosenbrok"]
    assert model["weighted"].signature == ("double weighted(const double * x, size_t n, double factor, enum shape shape, "
                                           "const char * name, const int * powers, size_t m)".replace("* ", "*"))
    assert "rosenbrock" in repr(model) and "<code>" in model["rosenbrock"]._repr_html_()


def test_scipy(model):
    optimize = pytest.importorskip("scipy.optimize")
    found = optimize.minimize(model["rosenbrock"].value_and_grad, np.zeros(6), jac=True, method="BFGS")
    np.testing.assert_allclose(found.x, np.ones(6), atol=1e-4)
