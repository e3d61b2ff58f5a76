"""Each mechanism of the A5 vector core alone, against sums of the published figures: the first
load starts in cycle 21, 12 to drain, load to compute 6, store 9."""

from __future__ import annotations

import pytest

from ptoscope.timing.bodies import kernel_text
from tests.timing.kernels import MASK, REG, UB, binary, cycles, lds, scope, sts, timed, unary

FIRST_LOAD, DRAIN, TO_COMPUTE, STORE = 21, 12, 6, 9


@pytest.mark.parametrize("links", [1, 2, 10])
def test_a_dependent_chain_runs_at_forwarding_latency(links: int) -> None:
    """vadd to vadd is forwarded in 3 cycles, vadd to vsts in 5."""
    chain = [binary("vadd", f"v{i + 1}", f"v{i}", f"v{i}") for i in range(links)]
    text = scope(lds("v0"), *chain, sts(f"v{links}"))
    expected = FIRST_LOAD + TO_COMPUTE + 3 * (links - 1) + 5 + STORE + DRAIN
    assert cycles(text) == expected


@pytest.mark.parametrize(("op", "latency", "interval"), [("vexp", 16, 4), ("vabs", 5, 1)])
@pytest.mark.parametrize("count", [2, 6, 12])
def test_independent_instructions_run_at_the_rate_of_two_ports(
    op: str, latency: int, interval: int, count: int
) -> None:
    body = [unary(op, f"v{i}", "x") for i in range(count)]
    last = (count // 2 - 1) * interval
    assert cycles(scope(lds("x"), *body)) == FIRST_LOAD + TO_COMPUTE + last + latency + DRAIN


def test_an_instruction_in_between_does_not_free_the_sfu() -> None:
    """vexp after vexp on a port takes 4 cycles, also with a vabs between them."""
    alone = [unary("vexp", f"e{i}", "x") for i in range(8)]
    mixed = [line for i in range(8) for line in (alone[i], unary("vabs", f"a{i}", "x"))]
    longer = cycles(scope(lds("x"), *mixed)) - cycles(scope(lds("x"), *alone))
    # The first vabs may take a cycle that the second vexp wanted.
    assert 0 <= longer <= 1


def test_one_port_takes_half_as_many() -> None:
    """vcmax runs on port 0 only; its interval is that of the table."""
    body = [unary("vcmax", f"v{i}", "x") for i in range(4)]
    expected = FIRST_LOAD + TO_COMPUTE + 3 * 1 + 16 + DRAIN
    assert cycles(scope(lds("x"), *body)) == expected


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_two_loads_start_in_a_cycle(count: int) -> None:
    """A load is complete after 9 cycles."""
    body = [lds(f"v{i}") for i in range(count)]
    last = (count + 1) // 2 - 1
    assert cycles(scope(*body)) == FIRST_LOAD + last + 9 + DRAIN


def test_one_store_starts_in_a_cycle() -> None:
    """The first store starts 8 cycles after the load."""
    body = [sts("x", "%c0") for _ in range(5)]
    assert cycles(scope(lds("x"), *body)) == FIRST_LOAD + 8 + 4 + STORE + DRAIN


def _loop(*lines: str) -> tuple[str, ...]:
    return ("scf.for %i = %c0 to %n step %c1 {", *lines, "}")


@pytest.mark.parametrize(
    ("body", "slope"),
    [
        ((lds("a"), unary("vabs", "r", "a"), sts("r")), 1),
        ((lds("a"), unary("vexp", "r", "a"), sts("r")), 2),
        ((lds("a"), sts("a")), 1),
        ((sts("x"), sts("x")), 2),
    ],
)
def test_what_bounds_a_long_loop(body: tuple[str, ...], slope: int) -> None:
    """One load and one store take a cycle; vexp two on two ports."""
    short, long = (cycles(scope(lds("x"), *_loop(*body), n=n)) for n in (400, 600))
    assert (long - short) / 200 == pytest.approx(slope, abs=0.02)


def test_two_loads_and_a_store_share_two_slots() -> None:
    """Three accesses in two slots of a cycle take one and a half; loads go first, so that a store
    may have a cycle for itself: then it is two."""
    body = (lds("a"), lds("b"), binary("vadd", "r", "a", "b"), sts("r"))
    short, long = (cycles(scope(lds("x"), *_loop(*body), n=n)) for n in (400, 600))
    assert 1.5 <= (long - short) / 200 <= 2


def test_a_loaded_predicate_is_there_after_six_cycles() -> None:
    """Probes: plds to vsel 6 from start to start. Registers come to it after 8: with five pairs of
    other loads in between the predicate is the last."""
    loads = [lds("a"), lds("b"), *(lds(f"other{n}") for n in range(10))]
    mask = f'%some = pto.plds %ub[%c0], "NORM" : {UB}, index -> {MASK}'
    select = f"%r = pto.vsel %a, %b, %some : {REG}, {REG}, {MASK} -> {REG}"
    timing = timed(scope(*loads, mask, select))
    start = dict(zip(timing.code.place.tolist(), timing.scopes.start.tolist(), strict=True))
    at = {place.name: start[place.index] for place in timing.trace.places if place.index in start}
    assert at["pto.vsel"] - at["pto.plds"] == 6


def test_a_carried_sum_bounds_a_loop_at_forwarding_latency() -> None:
    text = (
        f"%sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> ({REG}) {{",
        lds("a"),
        binary("vadd", "next", "acc", "a"),
        f"scf.yield %next : {REG}",
        "}",
    )
    short, long = (cycles(scope(lds("x"), *text, n=n)) for n in (100, 300))
    assert (long - short) / 200 == 3


def test_entering_a_loop_again_costs_its_iterations_and_five() -> None:
    body = (lds("a"), unary("vabs", "r", "a"), sts("r"))
    nest = ("scf.for %j = %c0 to %m step %c1 {", *_loop(*body), "}")
    for iterations, row in ((2, 7), (3, 8), (8, 13)):
        few, many = (cycles(scope(*nest, n=iterations, m=rows)) for rows in (10, 30))
        assert (many - few) / 20 == row


@pytest.mark.parametrize(("kind", "held"), [("VST_VLD", 7 + 1), ("VV_ALL", 18 + 4)])
def test_a_mem_bar_waits_for_what_is_before_it(kind: str, held: int) -> None:
    """It is issued 4 cycles after the start of the store, and released 7 later, behind loads 18;
    1 or 4 cycles after that the second load starts."""
    without = scope(lds("x"), sts("x"), lds("y"))
    with_it = scope(lds("x"), sts("x"), f'pto.mem_bar "{kind}"', lds("y"))
    assert cycles(without) == FIRST_LOAD + 8 + STORE + DRAIN
    assert cycles(with_it) == FIRST_LOAD + 8 + 4 + held + 9 + DRAIN


def test_gathers_hold_the_load_unit() -> None:
    """One in ten cycles, 28 cycles long."""
    index = "%lanes = pto.vci %zero32 : i32 -> !pto.vreg<64xi32>"
    zero = "%zero32 = arith.constant 0 : i32"

    def gathers(count: int) -> str:
        lines = [
            f"%g{i} = pto.vgather2 %ub, %lanes, %c64 : {UB}, !pto.vreg<64xi32>, index -> {REG}"
            for i in range(count)
        ]
        return scope(zero, index, *lines)

    assert cycles(gathers(4)) - cycles(gathers(1)) == 3 * 10
    # vci starts behind the pset before it, on the same port, in cycle 23; 5 cycles to a load.
    assert cycles(gathers(1)) == 23 + 5 + 28 + DRAIN


def test_an_unaligned_stream_goes_on_every_cycle() -> None:
    def stream(count: int) -> str:
        lines = [f"%s0 = pto.vldas %ub : {UB} -> !pto.align"]
        lines += [
            f"%v{i}, %s{i + 1}, %p{i + 1} = pto.vldus %{'ub' if not i else f'p{i}'}, %s{i} "
            f": {UB}, !pto.align -> {REG}, !pto.align, {UB}"
            for i in range(count)
        ]
        return scope(*lines)

    assert cycles(stream(12)) - cycles(stream(2)) == 10


def test_registers_in_flight_are_limited() -> None:
    """With two registers beside the loaded one, each vexp waits until the one before is read:
    it starts, 14 cycles later its store does, 6 cycles after that the register is free, and 4
    after that, what is dispatched then starts on the SFU."""
    iterations = [line for i in range(6) for line in (unary("vexp", f"e{i}", "x"), sts(f"e{i}"))]
    free = cycles(scope(lds("x"), *iterations))
    tight = cycles(scope(lds("x"), *iterations), overrides={"core.registers": 2})
    assert free < tight
    # x is live to the end: its last reader is the last vexp.
    assert tight == FIRST_LOAD + TO_COMPUTE + 5 * (14 + 6 + 4) + 14 + STORE + DRAIN


def test_the_queue_is_limited() -> None:
    """Room for one: it is free two cycles after the one before has left, which starts a cycle
    after leaving; three cycles after its dispatch the next one starts."""
    body = [unary("vabs", f"v{i}", "x") for i in range(4)]
    wide = cycles(scope(lds("x"), *body))
    narrow = cycles(scope(lds("x"), *body), overrides={"core.queue": 1})
    assert wide == FIRST_LOAD + TO_COMPUTE + 1 + 5 + DRAIN
    assert narrow == FIRST_LOAD + TO_COMPUTE + 3 * (1 + 3) + 5 + DRAIN


def test_an_empty_vecscope_starts_and_drains() -> None:
    """The first dispatch is in cycle 19; a pset starts 3 cycles later."""
    assert cycles(scope()) == 19 + 3 + 6 + DRAIN
    nothing = scope().replace(f'%all = pto.pset_b32 "PAT_ALL" : {MASK}', "")
    assert cycles(nothing) == 19 + DRAIN


def _advancing(count: int, pointers: int) -> list[str]:
    """Loads that advance so many pointers in turn."""
    return [
        f"%v{i}, %p{i + pointers} = pto.vlds %{f'p{i}' if i >= pointers else 'ub'}[%c64]"
        f" : {UB} -> {REG}, {UB}"
        for i in range(count)
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_a_pointer_is_advanced_once_a_cycle(count: int) -> None:
    """Loads of one pointer are dispatched one a cycle, of two pointers as loads of any kind."""
    assert cycles(scope(*_advancing(count, 1))) == FIRST_LOAD + count - 1 + 9 + DRAIN
    others = cycles(scope(*(lds(f"v{i}") for i in range(count))))
    assert cycles(scope(*_advancing(count, 2))) == others


def test_a_pointer_carried_by_a_loop_is_advanced_once_a_cycle() -> None:
    """Three accesses of one pointer in an iteration: two of them could start together."""
    loop = f"%end = scf.for %i = %c0 to %n step %c1 iter_args(%p0 = %ub) -> ({UB}) {{"
    loads = [f"%v{i}, %p{i + 1} = pto.vlds %p{i}[%c0] : {UB} -> {REG}, {UB}" for i in range(3)]
    body = (loop, *loads, f"scf.yield %p3 : {UB}", "}")
    short, long = (cycles(scope(*body, n=n)) for n in (400, 600))
    assert (long - short) / 200 == pytest.approx(3, abs=0.02)
    given = cycles(scope(*body, n=400), overrides={"core.pointer": 2})
    assert given == pytest.approx(2 * short, rel=0.05)


def test_what_a_loop_carries_is_set_before_it() -> None:
    """Three pointers and the count of a mask, a cycle each: with two for each, four more."""
    body = "vlds vlds vadd vsts"
    text = kernel_text(body, 1, 10, addressing="post_update")
    assert cycles(text, overrides={"core.moves": 2}) - cycles(text) == 4
    # Without pointers the count alone is set while the loop is entered.
    text = kernel_text(body, 1, 10)
    assert cycles(text, overrides={"core.moves": 2}) == cycles(text)


def test_scalar_code_between_two_accesses_is_not_counted() -> None:
    lines = [*_advancing(1, 1), f"%q = pto.addptr %p1, %c64 : {UB} -> {UB}"]
    lines.append(f"%w, %r = pto.vlds %q[%c64] : {UB} -> {REG}, {UB}")
    assert cycles(scope(*lines)) == cycles(scope(lds("a"), lds("b")))
