"""Schedules as iterators, and time loops of Python functions under them."""

import numpy as np
import pytest
import verso


def walk(schedule, steps):
    """Carries out a schedule on the computation of which state i is the number i; returns what was reversed."""
    slots, state, adjoint, order, forward = {}, 0, None, [], 0
    for action in schedule:
        place = (action.tier, action.slot)
        if action.kind == verso.ADVANCE:
            assert state == action.start
            forward += action.end - action.start
            state = action.end
            if schedule.is_open and adjoint is None and state >= steps and not order:
                state = min(state, steps)
        elif action.kind == verso.STORE:
            assert place not in slots and state == action.start
            slots[place] = state
        elif action.kind == verso.RESTORE:
            state = slots[place]
        elif action.kind == verso.DISCARD:
            del slots[place]
        elif action.kind == verso.REVERSE:
            assert state == action.end and (adjoint is None or adjoint == action.start)
            adjoint = action.end
            order += range(action.start - 1, action.end - 1, -1)
            state = None
        elif action.kind == verso.DONE:
            assert not slots
    return order, forward


@pytest.mark.parametrize("kind, parameters", [
    ("revolve", dict(slots=4)), ("treeverse", dict(space=4)), ("disk", dict(slots=2, write_cost=5, read_cost=5)),
    ("two-level", dict(slots=6, distance=10, write_cost=2, read_cost=2)), ("online", dict(slots=4)),
    ("levels", dict(tiers=[(3, 0, 0), (None, 5, 5)])), ("store-all", {}), ("none", {}), ("every-k", dict(distance=7)),
])
def test_walk(kind, parameters):
    schedule = verso.plan(kind, steps=60, **parameters)
    order, forward = walk(schedule, 60)
    assert order == list(range(59, -1, -1))
    assert forward == schedule.cost.forward_steps == schedule.simulate().forward_steps
    assert walk(schedule, 60)[0] == order  # it can be iterated again
    assert schedule.cost.makespan >= schedule.cost.least_makespan


def test_actions():
    first = list(verso.plan("revolve", steps=10, slots=3))
    assert repr(first[0]) == "store 0 in tier 0, slot 0" and first[0].word == "store"
    assert first[-1].kind == verso.DONE and first[-1] == (verso.ActionKind.DONE, 0, 0, 0, 0)
    schedule = verso.plan("revolve", steps=10, slots=3)
    assert "svg" in schedule._repr_svg_() and repr(schedule) == "<verso.Schedule revolve: 10 steps>"


def test_open_end():
    schedule = verso.plan("online", slots=3)
    assert schedule.is_open and schedule.steps is None
    state, reversed_ = 0, []
    for action in schedule:
        if action.kind == verso.ADVANCE:
            state = action.end
            if not reversed_ and action.end >= 17:
                schedule.end(17, 17)
        elif action.kind == verso.REVERSE:
            reversed_ += range(action.start - 1, action.end - 1, -1)
    assert reversed_ == list(range(16, -1, -1))


def test_errors():
    with pytest.raises(verso.ImpossibleError, match="must be at least 34, or the slots at least 10"):
        verso.plan("resilient", steps=100, slots=3, distance=10)
    with pytest.raises(ValueError, match="there is no kind of schedule 'revolv'"):
        verso.plan("revolv", steps=3)
    with pytest.raises(TypeError, match="slotz"):
        verso.plan("revolve", steps=3, slotz=3)
    with pytest.raises(ValueError, match="slots is a whole number"):
        verso.plan("revolve", steps=3, slots=-1)


def make_loop(steps, **more):
    """u' = u + h sin(u); the cost is the sum of squares of the last state, and of the first number of every state."""
    u, a = np.linspace(0.1, 1, 5), np.zeros(5)

    def advance(_step):
        u[:] = u + 0.1 * np.sin(u)

    def adjoint(_step):
        a[:] = a * (1 + 0.1 * np.cos(u))

    def start(_steps):
        a[:] = 2 * u

    def cost(_step):
        a[0] += 1
        return u[0]

    return u, a, verso.Loop(advance=advance, adjoint=adjoint, start=start, cost=cost, state=u, adjoint_state=a,
                            steps=steps, name="test", **more)


def by_hand(steps):
    u = [np.linspace(0.1, 1, 5)]
    for _ in range(steps):
        u.append(u[-1] + 0.1 * np.sin(u[-1]))
    a = 2 * u[-1]
    a[0] += 1
    for i in range(steps - 1, -1, -1):
        a = a * (1 + 0.1 * np.cos(u[i]))
        a[0] += 1
    return a, sum(x[0] for x in u)


def test_loop(tmp_path):
    want, value = by_hand(50)
    for schedule in (None, verso.plan("revolve", steps=50, slots=4), verso.plan("online", slots=4, steps=50),
                     verso.plan("disk", steps=50, slots=2, write_cost=3, read_cost=3)):
        _, a, loop = make_loop(50)
        directory = tmp_path / "disk" if schedule is not None and schedule.kind == "disk" else None
        report = loop.run(schedule, run=directory)
        np.testing.assert_array_equal(a, want)
        assert loop.value == pytest.approx(value) and report["done"]
        assert schedule is None or report["actual"]["forward_steps"] == schedule.cost.forward_steps


def test_loop_errors():
    _, _, loop = make_loop(20)

    def fail(step):
        if step == 7:
            raise ZeroDivisionError("step 7")

    loop._functions = (fail, *loop._functions[1:])
    with pytest.raises(ZeroDivisionError, match="step 7"):
        loop.run()
    with pytest.raises(TypeError, match="contiguous"):
        verso.Loop(advance=fail, adjoint=fail, start=fail, state=np.zeros((4, 4))[:, 0], adjoint_state=np.zeros(3),
                   steps=3).run()
    with pytest.raises(TypeError, match="finished"):
        verso.Loop(advance=fail, adjoint=fail, start=fail, state=np.zeros(3), adjoint_state=np.zeros(3))


def test_durable_loop(tmp_path):
    want, _ = by_hand(60)
    _, a, loop = make_loop(60)
    reached = []
    stop = loop._functions[1]

    def adjoint(step):
        if step == 20 and not reached:
            reached.append(step)
            raise RuntimeError("the machine fails")
        stop(step)

    loop._functions = (loop._functions[0], adjoint, *loop._functions[2:])
    plan = verso.plan("revolve", steps=60, slots=5)
    with pytest.raises(RuntimeError, match="the machine fails"):
        loop.run(plan, run=tmp_path / "run", interval=0.001)
    _, a, again = make_loop(60)
    report = again.run(plan, run=tmp_path / "run")
    np.testing.assert_array_equal(a, want)
    assert report["actual"]["restarts"] == 1
