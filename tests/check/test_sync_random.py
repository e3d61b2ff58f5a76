"""Random instructions on random pipes: the rules against the machine and against all runs."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import PtoError
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel

from .pipes import codes, copy_in, copy_out, kernel, program, scope, sets, store, waits

VALUE = "%f = arith.constant 1.0 : f32\n%v = pto.vbr %f : f32 -> !pto.vreg<64xf32>"
WORK = {
    "MTE2": copy_in("%a"),
    "V": scope(VALUE, store("%v", "%a")),
    "MTE3": copy_out("%a"),
}
"""One access of the same bytes by each pipe; those of MTE2 and V write."""
PIPES = st.sampled_from(sorted(WORK))
PAIRS = st.tuples(PIPES, PIPES).filter(lambda pair: pair[0] != pair[1])
Step = tuple[str, str, str, int]
FLAGS = st.tuples(st.sampled_from(["set", "wait"]), PAIRS, st.integers(0, 1)).map(
    lambda t: (t[0], t[1][0], t[1][1], t[2])
)
ACCESSES = PIPES.map(lambda pipe: ("work", pipe, pipe, 0))
ORDERED = st.tuples(PAIRS, st.integers(0, 1)).map(
    lambda t: [("set", *t[0], t[1]), ("wait", *t[0], t[1])]
)
STEPS = st.lists(
    st.one_of(FLAGS.map(lambda s: [s]), ORDERED, ACCESSES.map(lambda s: [s])), max_size=8
)
STEPS = STEPS.map(lambda parts: [step for part in parts for step in part])


def text(steps: list[Step]) -> str:
    lines = {"set": sets, "wait": waits}
    return kernel(
        *[WORK[a] if kind == "work" else lines[kind](a, b, event) for kind, a, b, event in steps],
        params="%n: index",
    )


def deadlocks(steps: list[Step]) -> bool:
    """Whether the machine stops at a wait that never ends."""
    run = Kernel(program(text(steps)), TARGETS["a5"], "manual")
    try:
        run(np.zeros(64, np.float32), np.zeros(64, np.float32), 0)
    except PtoError as error:
        (diagnostic,) = error.diagnostics
        assert diagnostic.code == "PTO0904"
        return True
    return False


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_a_wait_is_refused_just_when_it_never_ends(steps: list[Step]) -> None:
    found = codes(text(steps))
    assert bool({"PTO0601", "PTO0602"} & set(found)) == deadlocks(steps)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_flags_left_set_are_counted(steps: list[Step]) -> None:
    count = Counter[tuple[str, str, int]]()
    for kind, src, dst, event in steps:
        if kind != "work":
            count[src, dst, event] += 1 if kind == "set" else -1
    assert ("PTO0603" in codes(text(steps))) == any(n > 0 for n in count.values())


def orders(steps: list[Step]) -> set[tuple[int, int]]:
    """Which access came before which in any run: every way to interleave the pipes is tried."""
    queues = {
        pipe: [i for i, (kind, a, b, _) in enumerate(steps) if pipe == (b if kind == "wait" else a)]
        for pipe in WORK
    }
    seen: set[tuple[int, int]] = set()
    start = (dict.fromkeys(WORK, 0), Counter[tuple[str, str, int]](), ())
    stack: list[tuple[dict[str, int], Counter[tuple[str, str, int]], tuple[int, ...]]] = [start]
    visited: set[object] = set()
    while stack:
        at, flags, done = stack.pop()
        ended = True
        for pipe, queue in queues.items():
            if at[pipe] == len(queue):
                continue
            ended = False
            i = queue[at[pipe]]
            kind, src, dst, event = steps[i]
            key = (src, dst, event)
            if kind == "wait" and not flags[key]:
                continue
            now = flags.copy()
            now[key] += {"set": 1, "wait": -1, "work": 0}[kind]
            after = (*done, i) if kind == "work" else done
            state = (tuple({**at, pipe: at[pipe] + 1}.values()), after)
            if state not in visited:
                visited.add(state)
                stack.append(({**at, pipe: at[pipe] + 1}, now, after))
        if ended:
            seen |= {(a, b) for n, a in enumerate(done) for b in done[n + 1 :]}
    return seen


@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_a_race_is_what_can_happen_in_both_orders(steps: list[Step]) -> None:
    count = Counter(s for s in steps if s[0] == "set")
    waited = Counter(("set", *s[1:]) for s in steps if s[0] == "wait")
    if waited - count or deadlocks(steps):
        return
    seen = orders(steps)
    # Two copies out only read; of any other two pipes one writes.
    racing = [(a, b) for a, b in seen if (b, a) in seen and steps[a][1] != steps[b][1]]
    assert ("PTO0607" in codes(text(steps))) == bool(racing)
