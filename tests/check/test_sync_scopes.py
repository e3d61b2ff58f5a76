"""Loads and stores of one vecscope: which of them a mem_bar has to order, and which bar does."""

from __future__ import annotations

import pytest

from ptoscope.isa.order.memory import MEMORY_BARRIERS

from .pipes import M, P, V, branch, codes, findings, kernel, load, loop, scope, store

MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"
SCALAR_LOAD = f"%s = pto.load_scalar %b[%i0] : {P} -> f32"
SCALAR_STORE = f"pto.store_scalar %f, %b[%i0] : {P}, f32"
BEHIND = {
    "VST_VLD": (store("%w"), load("%u", "%b")),
    "VLD_VST": (load("%u", "%b"), store("%w")),
    "VST_VST": (store("%w"), store("%z")),
    "VST_LD": (store("%w"), SCALAR_LOAD),
    "VLD_ST": (load("%u", "%b"), SCALAR_STORE),
    "VST_ST": (store("%w"), SCALAR_STORE),
    "ST_VLD": (SCALAR_STORE, load("%u", "%b")),
    "LD_VST": (SCALAR_LOAD, store("%w")),
    "ST_VST": (SCALAR_STORE, store("%w")),
}
"""Two accesses of the same bytes for every type of mem_bar that orders two kinds."""
FAMILIES = ["VV_ALL"] * 3 + ["VS_ALL"] * 3 + ["SV_ALL"] * 3
FITTING = {name: (name, family) for name, family in zip(BEHIND, FAMILIES, strict=True)}


@pytest.mark.parametrize("name", BEHIND)
@pytest.mark.parametrize("barrier", [None, *MEMORY_BARRIERS])
def test_just_the_fitting_barriers_order(name: str, barrier: str | None) -> None:
    early, late = BEHIND[name]
    between = [] if barrier is None else [f'pto.mem_bar "{barrier}"']
    text = kernel(scope(MADE, MADE.replace("%w", "%z").replace("%f", "%g"), early, *between, late))
    assert codes(text) == ([] if barrier in FITTING[name] else ["PTO0609"])


def test_barriers_are_needed_on_a5_only() -> None:
    text = kernel(scope(MADE, *BEHIND["VST_VLD"]))
    assert (codes(text, "a5"), codes(text, "a2a3"), codes(text, "cpu")) == (["PTO0609"], [], [])


@pytest.mark.parametrize(
    ("bad", "fixed"),
    [
        pytest.param(
            [loop(load("%u", "%b"), f"%w = pto.vabs %u, %m : {V}, {M} -> {V}", store("%w"))],
            [
                loop(
                    load("%u", "%b"),
                    f"%w = pto.vabs %u, %m : {V}, {M} -> {V}",
                    store("%w"),
                    'pto.mem_bar "VST_VLD"',
                )
            ],
            id="the next iteration reads what this one stores",
        ),
        pytest.param(
            [
                MADE,
                loop(
                    load("%u", "%b", "%i"),
                    "%j = arith.addi %i, %i64 : index",
                    store("%w", "%b", "%j"),
                    to="%i1024",
                    step="%i64",
                ),
            ],
            [
                MADE,
                loop(
                    load("%u", "%b", "%i"),
                    "%j = arith.addi %i, %i1024 : index",
                    store("%w", "%b", "%j"),
                    to="%i1024",
                    step="%i64",
                ),
            ],
            id="the next iteration reads where this one stores",
        ),
        pytest.param(
            [MADE, store("%w", "%b", "%i32"), load("%u", "%b", "%i64")],
            [MADE, store("%w", "%b", "%i0"), load("%u", "%b", "%i64")],
            id="half of a register",
        ),
    ],
)
def test_a_barrier_between_iterations_and_parts(bad: list[str], fixed: list[str]) -> None:
    assert codes(kernel(scope(*bad))) == ["PTO0609"]
    assert codes(kernel(scope(*fixed))) == []


@pytest.mark.parametrize(
    "lines",
    [
        # A store waits for the value it stores, and with it for the load that gave it.
        pytest.param(
            [load("%u"), f"%w = pto.vabs %u, %m : {V}, {M} -> {V}", store("%w", "%a")],
            id="in place",
        ),
        pytest.param([MADE, store("%w"), load("%u", "%c")], id="other bytes"),
        pytest.param([MADE, store("%w"), load("%u", "%b", "%n")], id="an offset not known"),
        pytest.param(
            [
                load("%u", "%b"),
                load("%t", "%c"),
                f"%r = scf.if %yes -> ({V}) {{\nscf.yield %u : {V}\n}} else {{",
                f"scf.yield %t : {V}\n}}",
                store("%r", "%b"),
            ],
            id="what a branch may choose",
        ),
        pytest.param([load("%u"), load("%w")], id="two loads"),
        pytest.param([MADE, store("%w"), store("%w")], id="the same value twice"),
        pytest.param(
            [MADE, store("%w"), branch("%yes", ['pto.mem_bar "VST_VLD"']), load("%u", "%b")],
            id="a barrier that may be there",
        ),
    ],
)
def test_what_is_ordered_in_a_scope_is_left_alone(lines: list[str]) -> None:
    assert codes(kernel(scope(*lines))) == []


@pytest.mark.parametrize(("most", "expected"), [("%i1", []), ("%i2", ["PTO0609"])])
def test_a_loop_has_no_more_iterations_than_its_bound_allows(
    most: str, expected: list[str]
) -> None:
    """The second iteration, if there can be one, stores where the store before the loop did."""
    rows = loop("%at = arith.muli %i, %i64 : index", store("%w", "%b", "%at"), to="%end")
    text = kernel(
        "%many = pto.load_scalar %size[%i0] : !pto.ptr<i32, gm> -> i32",
        "%k = arith.index_cast %many : i32 to index",
        f"%end = arith.minsi %k, {most} : index",
        scope(MADE, MADE.replace("%w", "%z").replace("%f", "%g"), store("%z", "%b", "%i64"), rows),
        params="%size: !pto.ptr<i32, gm>",
    )
    assert codes(text) == expected


def carrying(*lines: str, iterations: str = "%i4", yields: str = "%u") -> str:
    """A loop over the rows at %at that carries %prev, which is %w at first, and ends as %end."""
    rows = "\n".join(("%at = arith.muli %i, %i64 : index", *lines))
    return (
        f"%end = scf.for %i = %i0 to {iterations} step %i1 iter_args(%prev = %w) -> ({V}) {{\n"
        f"{rows}\nscf.yield {yields} : {V}\n}}"
    )


ROW = load("%u", "%b", "%at")
SUM = f"%sum = pto.vadd %prev, %u, %m : {V}, {V}, {M} -> {V}"
FIRST = "%q = arith.cmpi eq, %i, %i0 : index"


@pytest.mark.parametrize(
    ("bad", "fixed"),
    [
        pytest.param(
            [carrying(ROW, store("%prev", "%b", "%at"))],
            [carrying(ROW, store("%u", "%b", "%at"))],
            id="what the iteration before has loaded",
        ),
        pytest.param(
            [carrying(ROW, store("%prev", "%b", "%at"), iterations="%n")],
            [carrying(ROW, 'pto.mem_bar "VLD_VST"', store("%prev", "%b", "%at"), iterations="%n")],
            id="the same in so many iterations as the launch says",
        ),
        pytest.param(
            [carrying(ROW), store("%end", "%b")],
            [carrying(ROW, SUM, yields="%sum"), store("%end", "%b")],
            id="the last over the first",
        ),
        pytest.param(
            [carrying(ROW, iterations="%i2"), store("%end", "%b")],
            [carrying(ROW, iterations="%n"), store("%end", "%b")],
            id="the last that may be the first",
        ),
        pytest.param(
            [carrying(ROW, store("%u", "%d"), FIRST, branch("%q", [store("%u", "%d")]))],
            [carrying(ROW, store("%w", "%d"), FIRST, branch("%q", [store("%w", "%d")]))],
            id="a second store in the first iteration",
        ),
        pytest.param(
            [loop("%at = arith.muli %i, %i64 : index", ROW, store("%u", "%d"), store("%u", "%d"))],
            [ROW.replace("%at", "%i0"), loop(store("%u", "%d"), store("%u", "%d"))],
            id="one name for what every iteration loads anew",
        ),
    ],
)
def test_a_value_counts_in_the_iteration_it_comes_from(bad: list[str], fixed: list[str]) -> None:
    assert codes(kernel(scope(MADE, *bad))) == ["PTO0609"]
    assert codes(kernel(scope(MADE, *fixed))) == []


def test_a_hazard_names_the_barrier() -> None:
    (finding,) = findings(kernel(scope(MADE, *BEHIND["VST_VLD"])))
    assert 'pto.mem_bar "VST_VLD"' in finding.hint
    assert "bytes 4096 to 4351" in finding.found
