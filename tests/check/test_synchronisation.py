"""Synchronisation: missing, unbalanced and circular is said; what is ordered is left alone."""

from __future__ import annotations

import pytest

from ..races.kernels import races
from .pipes import (
    P,
    both,
    branch,
    codes,
    copy_in,
    copy_out,
    findings,
    kernel,
    load,
    loop,
    scope,
    sets,
    store,
    waits,
)

BARRIER = "pto.barrier #pto.pipe"
FIRST = [copy_in(), both("MTE2", "V")]
"""A copy in that the vector pipe waits for."""
LAST = [both("V", "MTE3"), copy_out()]
TILE = [*FIRST, scope(), *LAST]


def get(pipe: str, buffer: object, mode: int = 0) -> str:
    return f'pto.get_buf "PIPE_{pipe}", {buffer}, {mode}'


def release(pipe: str, buffer: object, mode: int = 0) -> str:
    return f'pto.rls_buf "PIPE_{pipe}", {buffer}, {mode}'


def held(pipe: str, *lines: str, buffer: int = 0) -> list[str]:
    return [get(pipe, buffer), *lines, release(pipe, buffer)]


def ping_pong(
    wait_for: str = "%iteration", signal: str = "%iteration", start: int = 2, end: int = 2
) -> list[str]:
    """Two buffers in turn, with back-flags from the vector pipe to the copies in."""
    return [
        *[sets("V", "MTE2", event) for event in range(start)],
        "%end = scf.for %i = %i0 to %n step %i1 iter_args(%iteration = %l0) -> (i64) {",
        "%at = arith.muli %iteration, %l4096 : i64",
        f"%buffer = pto.castptr %at : i64 -> {P}",
        waits("V", "MTE2", wait_for),
        copy_in("%buffer"),
        both("MTE2", "V", "%iteration"),
        scope(load("%v", "%buffer")),
        sets("V", "MTE2", signal),
        "%other = arith.subi %l1, %iteration : i64",
        "scf.yield %other : i64",
        "}",
        *[waits("V", "MTE2", event) for event in range(end)],
    ]


def all_but_the_last(*lines: str) -> list[str]:
    """A loop that sets a flag in every iteration but the last."""
    return [
        "%less = arith.subi %n, %i1 : index",
        loop(
            "%early = arith.cmpi slt, %i, %less : index",
            branch("%early", [sets("V", "MTE2")]),
            *lines,
        ),
    ]


CASES = {
    "a wait without a set": (
        ["PTO0601"],
        [copy_in(), waits("MTE2", "V"), scope(), *LAST],
        TILE,
    ),
    "another event": (
        ["PTO0601", "PTO0603"],
        [copy_in(), sets("MTE2", "V", 1), waits("MTE2", "V", 0), scope(), *LAST],
        [copy_in(), sets("MTE2", "V", 1), waits("MTE2", "V", 1), scope(), *LAST],
    ),
    "the pipes the wrong way round": (
        ["PTO0601", "PTO0603"],
        [copy_in(), sets("V", "MTE2"), waits("MTE2", "V"), scope(), *LAST],
        TILE,
    ),
    "set in one branch, waited for in both": (
        ["PTO0601"],
        [branch("%yes", [copy_in(), sets("MTE2", "V")]), waits("MTE2", "V"), scope(), *LAST],
        [
            branch("%yes", [copy_in(), sets("MTE2", "V")], [sets("MTE2", "V")]),
            waits("MTE2", "V"),
            scope(),
            *LAST,
        ],
    ),
    "waited for in one branch only": (
        ["PTO0603"],
        [copy_in(), sets("MTE2", "V"), branch("%yes", [waits("MTE2", "V"), scope()])],
        [branch("%yes", [copy_in(), sets("MTE2", "V"), waits("MTE2", "V"), scope()])],
    ),
    "set once, waited for in every iteration": (
        ["PTO0601"],
        [copy_in(), sets("MTE2", "V"), loop(waits("MTE2", "V"), scope())],
        [copy_in(), sets("MTE2", "V"), waits("MTE2", "V"), loop(scope())],
    ),
    "set in every iteration, waited for once": (
        ["PTO0603"],
        [loop(sets("MTE2", "V")), waits("MTE2", "V")],
        [loop(sets("MTE2", "V"), waits("MTE2", "V"))],
    ),
    "each waits for the other": (
        ["PTO0602"],
        [
            waits("V", "MTE2"),
            copy_in(),
            sets("MTE2", "V"),
            waits("MTE2", "V"),
            scope(),
            sets("V", "MTE2"),
        ],
        [
            copy_in(),
            sets("MTE2", "V"),
            waits("MTE2", "V"),
            scope(),
            sets("V", "MTE2"),
            waits("V", "MTE2"),
        ],
    ),
    "the scalar unit waits for what it has not issued": (
        ["PTO0602"],
        [waits("V", "S"), scope("%k = arith.constant 0 : i32"), sets("V", "S")],
        [scope("%k = arith.constant 0 : i32"), sets("V", "S"), waits("V", "S")],
    ),
    "ping and pong share an event": (
        ["PTO0601", "PTO0603"],
        ping_pong(wait_for='"EVENT_ID0"'),
        ping_pong(),
    ),
    "back-flags that are not set before the loop": (
        ["PTO0601"],
        ping_pong(start=0),
        ping_pong(),
    ),
    "back-flags that are not waited for after the loop": (
        ["PTO0603"],
        ping_pong(end=0),
        ping_pong(),
    ),
    "two buffers in turn without back-flags": (
        ["PTO0607"],
        [line for line in ping_pong() if '"PIPE_V", "PIPE_MTE2"' not in line],
        ping_pong(),
    ),
    "no set in the last iteration, a wait in every iteration": (
        ["PTO0601"],
        all_but_the_last(waits("V", "MTE2")),
        all_but_the_last(
            "%late = arith.cmpi sgt, %i, %i0 : index", branch("%late", [waits("V", "MTE2")])
        ),
    ),
    "an event id that is out of range": (
        ["PTO0604"],
        ["%e = arith.constant 8 : i64", copy_in(), both("MTE2", "V", "%e"), scope()],
        ["%e = arith.constant 7 : i64", copy_in(), both("MTE2", "V", "%e"), scope()],
    ),
    "event ids that run out of range in a loop": (
        ["PTO0604"],
        [
            "%o = arith.constant 9 : index",
            loop("%e = arith.index_cast %i : index to i64", both("MTE2", "V", "%e"), to="%o"),
        ],
        [
            "%o = arith.constant 8 : index",
            loop("%e = arith.index_cast %i : index to i64", both("MTE2", "V", "%e"), to="%o"),
        ],
    ),
    "released by a pipe that never got it": (
        ["PTO0605", "PTO0606"],
        [get("MTE2", 0), copy_in(), release("V", 0)],
        [get("MTE2", 0), copy_in(), release("MTE2", 0)],
    ),
    "released twice": (
        ["PTO0605"],
        [*held("MTE2", copy_in()), release("MTE2", 0)],
        held("MTE2", copy_in()),
    ),
    "acquired twice": (
        ["PTO0605", "PTO0606"],
        [get("MTE2", 0), *held("MTE2", copy_in())],
        [get("V", 0), *held("MTE2", copy_in()), release("V", 0)],
    ),
    "acquired twice and released twice": (
        ["PTO0605"],
        [get("MTE2", 0), *held("MTE2", copy_in()), release("MTE2", 0)],
        [*held("MTE2", copy_in()), *held("MTE2", copy_in("%b"))],
    ),
    "acquired again in the next iteration": (
        ["PTO0605", "PTO0606"],
        [loop(get("MTE2", 0), copy_in(), to="%i2", step="%i1"), release("MTE2", 0)],
        [loop(*held("MTE2", copy_in()), to="%i2", step="%i1")],
    ),
    "not released": (
        ["PTO0606"],
        [get("MTE2", 0), copy_in()],
        held("MTE2", copy_in()),
    ),
    "not released in one branch": (
        ["PTO0606"],
        [get("MTE2", 0), copy_in(), branch("%yes", [release("MTE2", 0)])],
        [get("MTE2", 0), copy_in(), branch("%yes", [release("MTE2", 0)], [release("MTE2", 0)])],
    ),
    "a read before the copy is done": (
        ["PTO0607"],
        [copy_in(), scope(), *LAST],
        TILE,
    ),
    "a copy out before the store is done": (
        ["PTO0607"],
        [*FIRST, scope(), copy_out()],
        TILE,
    ),
    "the next copy in before the read is done": (
        ["PTO0607"],
        [*FIRST, scope(), copy_in(), BARRIER],
        [*FIRST, scope(), both("V", "MTE2"), copy_in(), BARRIER],
    ),
    "the same in a loop": (
        ["PTO0607"],
        [loop(*FIRST, scope())],
        [loop(*FIRST, scope(), both("V", "MTE2"))],
    ),
    "one id for each end of a buffer": (
        ["PTO0607"],
        [
            *held("MTE2", copy_in(), buffer=0),
            *held("V", scope(), buffer=1),
        ],
        [
            *held("MTE2", copy_in(), buffer=0),
            *held("V", scope(), buffer=0),
        ],
    ),
    "a flag is set before the copy it is for": (
        ["PTO0607"],
        [sets("MTE2", "V"), copy_in(), waits("MTE2", "V"), scope(), *LAST],
        TILE,
    ),
    "a scalar read before the store is done": (
        ["PTO0607"],
        [*FIRST, scope(), f"%s = pto.load_scalar %b[%i0] : {P} -> f32"],
        [*FIRST, scope(), both("V", "S"), f"%s = pto.load_scalar %b[%i0] : {P} -> f32"],
    ),
    "two copies out to one place": (
        ["PTO0608"],
        [*TILE, copy_out("%a")],
        [*TILE, 'pto.pipe_barrier "PIPE_MTE3"', copy_out("%a")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_kernel_and_its_fixed_twin(name: str) -> None:
    code, bad, fixed = CASES[name]
    assert codes(kernel(*bad)) == code
    assert codes(kernel(*fixed)) == []


@pytest.mark.parametrize("mode", [0, 1])
def test_a_deferred_release_may_wait_for_ever(mode: int) -> None:
    """It waits for V, which waits for the set behind it."""
    text = kernel(
        'pto.get_buf "PIPE_V", 5, 0',
        waits("MTE2", "V"),
        'pto.get_buf "PIPE_MTE2", 5, 1',
        f'pto.rls_buf "PIPE_MTE2", 5, {mode}',
        sets("MTE2", "V"),
        'pto.rls_buf "PIPE_V", 5, 0',
    )
    assert codes(text) == (["PTO0602"] if mode else [])


def test_flags_that_are_set_instead_are_named_by_line() -> None:
    lines = [sets("V", "S", 3), sets("MTE3", "S", 1), sets("MTE2", "S", 2), waits("V", "S", 4)]
    text = kernel(*lines)
    (missing,) = [d for d in findings(text) if d.code == "PTO0601"]
    at = [text.split("\n").index(line) + 1 for line in lines]
    assert missing.found == (
        f"no set_flag of it; flags set: PIPE_V to PIPE_S event 3 (line {at[0]}); "
        f"PIPE_MTE3 to PIPE_S event 1 (line {at[1]}); PIPE_MTE2 to PIPE_S event 2 (line {at[2]})"
    )


@pytest.mark.parametrize("released", [0, 1])
@pytest.mark.parametrize("acquired", [0, 1])
def test_only_an_acquisition_in_mode_0_waits(released: int, acquired: int) -> None:
    """Legacy mode 1 acquires without waiting for earlier releases."""
    text = kernel(
        get("MTE2", 3),
        copy_in("%a"),
        release("MTE2", 3, released),
        get("V", 3, acquired),
        scope(load("%v", "%a"), store("%v", "%b")),
        release("V", 3),
    )
    assert codes(text) == (["PTO0607"] if acquired else [])
    assert bool(races(text)) == bool(acquired)
