"""What unaligned store streams touch: known before a run, so that it can be ordered."""

from __future__ import annotations

import pytest

from ptoscope.isa.targets import Revision

from .pipes import P, V, both, codes, copy_out, findings, kernel, load, scope

A = "!pto.align"
MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"
BEGIN = f"%s0 = pto.init_align : {A}"


def at(name: str, base: str, elements: int) -> str:
    return (
        f"%by_{name} = arith.constant {elements} : index\n"
        f"%{name} = pto.addptr {base}, %by_{name} : {P} -> {P}"
    )


def vstur(after: str, before: str, base: str) -> str:
    return f"{after} = pto.vstur {before}, %w, {base} : {A}, {V}, {P} -> {A}"


def vstar(state: str, base: str) -> str:
    return f"pto.vstar {state}, {base} : {A}, {P}"


def vstus(after: str, before: str, base: str, count: int) -> str:
    """In revision micro: so many elements."""
    return (
        f"{after}_n = arith.constant {count} : i32\n"
        f"{after} = pto.vstus {before}, {after}_n, %w, {base} : {A}, i32, {V}, {P} -> {A}"
    )


def vstas(state: str, base: str) -> str:
    return f"%none = arith.constant 0 : i32\npto.vstas {state}, {base}, %none : {A}, {P}, i32"


def carried(times: str, first: str, *lines: str) -> str:
    """A loop that carries a stream and a pointer from %s and %p to %t and %q; after it they are
    %end and %after."""
    taken = f"iter_args(%s = %s0, %p = {first}) -> ({A}, {P})"
    head = f"%end, %after = scf.for %i = %i0 to {times} step %i1 {taken} {{"
    return "\n".join([head, *lines, f"scf.yield %t, %q : {A}, {P}", "}"])


VSTU = f"%t, %q = pto.vstu %s, %p, %w, %b, %i1 : {A}, {P}, {V}, {P}, index -> {A}, {P}"
KEPT = f"%q = pto.addptr %p, %i0 : {P} -> {P}"
ONE = [at("o", "%b", 1), BEGIN, vstur("%s1", "%s0", "%o"), vstar("%s1", "%o")]
"""Bytes 4100 to 4355, those from 4352 on by the flush."""
SMALL = [
    at("o", "%b", 1),
    at("o2", "%b", 4),
    at("o3", "%b", 9),
    BEGIN,
    vstus("%s1", "%s0", "%o", 3),
    vstus("%s2", "%s1", "%o2", 5),
    vstas("%s2", "%o3"),
]
"""12 bytes from 4100 on, then 20: the second store writes bytes 4100 to 4127, the flush the
rest."""
LOOP = [at("o", "%b", 1), BEGIN, carried("%i4", "%o", vstur("%t", "%s", "%o"), KEPT)]
WALK = [at("o", "%b", 1), BEGIN, carried("%i4", "%o", VSTU)]
"""Bytes 4100 to 5123."""
INNER = f"""%t = scf.for %j = %i0 to %i2 step %i1 iter_args(%u = %s) -> ({A}) {{
{vstur("%u1", "%u", "%o")}
scf.yield %u1 : {A}
}}"""
NEST = [at("o", "%b", 1), BEGIN, carried("%i2", "%o", INNER, KEPT)]

STREAMS: dict[str, tuple[list[str], Revision, int]] = {
    "the first block": (ONE, "manual", 4096),
    "a block in the middle": (ONE, "manual", 4256),
    "what the flush writes": (ONE, "manual", 4352),
    "what was held before": (SMALL, "micro", 4096),
    "what was held, and never filled a block": (SMALL, "micro", 4128),
    "an iteration of a loop": ([*LOOP, vstar("%end", "%o")], "manual", 4704),
    "what the flush after a loop writes": ([*LOOP, vstar("%end", "%o")], "manual", 5120),
    "an iteration of a nest of loops": ([*NEST, vstar("%end", "%o")], "manual", 4704),
    "what the flush after a nest writes": ([*NEST, vstar("%end", "%o")], "manual", 5120),
    "an iteration of a loop over pointers": ([*WALK, vstas("%end", "%after")], "manual", 4704),
    "the flush after a loop over pointers": ([*WALK, vstas("%end", "%after")], "manual", 5120),
}


@pytest.mark.parametrize("name", STREAMS)
def test_what_a_stream_writes_is_ordered(name: str) -> None:
    """32 bytes go out; without an order they race with the store or the flush that writes them."""
    lines, revision, address = STREAMS[name]

    def text(order: str, start: int) -> str:
        out = f"%at = arith.constant {start} : i64\n%out = pto.castptr %at : i64 -> {P}"
        return kernel(out, scope(MADE, *lines), order, copy_out("%out", "%l32"))

    def races(order: str, start: int) -> bool:
        return "PTO0607" in codes(text(order, start), revision=revision)

    assert races("", address)
    assert not races(both("V", "MTE3"), address)
    # The blocks around all that the stream writes are not touched.
    assert not races("", 4064)
    assert not races("", 5152)


def test_a_stream_whose_place_is_known_at_launch() -> None:
    """All but what its last block may hold: 225 bytes of a vector."""
    begin = f"%o = pto.addptr %b, %n : {P} -> {P}"
    lines = [BEGIN, vstur("%s1", "%s0", "%o"), vstar("%s1", "%o")]
    for by, expected in ((0, True), (192, True), (224, True), (256, False)):
        move = (
            f"%moved = arith.constant {by // 4} : index\n%out = pto.addptr %o, %moved : {P} -> {P}"
        )
        text = kernel(begin, move, scope(MADE, *lines), copy_out("%out", "%l32"))
        assert ("PTO0607" in codes(text)) == expected


def test_a_flush_and_a_load_in_one_vecscope() -> None:
    lines = [MADE, *ONE, "%far = arith.constant 64 : index", load("%v", "%b", "%far")]
    (found,) = [d for d in findings(kernel(scope(*lines))) if d.code.startswith("PTO060")]
    assert (found.code, found.found.split(",")[0]) == ("PTO0609", "bytes 4352 to 4355")
    barrier = 'pto.mem_bar "VST_VLD"'
    assert not [
        c for c in codes(kernel(scope(*lines[:-1], barrier, lines[-1]))) if c.startswith("PTO060")
    ]


@pytest.mark.parametrize(("times", "expected"), [("%i2", []), ("%i4", ["PTO0501"])])
def test_a_loop_that_leaves_ub(times: str, expected: list[str]) -> None:
    start = 256 * 1024 - 512
    place = f"%at = arith.constant {start} : i64\n%o = pto.castptr %at : i64 -> {P}"
    for body, flush in (
        ([vstur("%t", "%s", "%o"), KEPT], vstar("%end", "%o")),
        ([VSTU], vstas("%end", "%after")),
    ):
        loop = carried(times, "%o", *body)
        text = kernel(scope(MADE, place, BEGIN, loop, flush))
        assert [c for c in codes(text) if c == "PTO0501"] == expected
