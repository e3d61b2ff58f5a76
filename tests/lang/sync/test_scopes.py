"""Memory barriers inside vecscopes: where they are needed, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.isa.order.memory import MEMORY_BARRIERS
from tests.check.pipes import M, P, V, branch, kernel, load, loop, scope, store
from tests.check.test_sync_scopes import BEHIND, MADE

from .support import synchronised
from .test_random import PARAMS, Lines, findings, numbered

ABS = f"%w = pto.vabs %u, %m : {V}, {M} -> {V}"
ROWS = {"step": "%i64", "to": "%i256", "index": "%j"}


SIZE = "%n64 = arith.muli %n, %i64 : index"


def bars(*lines: str) -> list[str]:
    made = synchronised(kernel(SIZE, scope(*lines), params=PARAMS))
    assert findings(made.kernel(contents=False), 3, True, False) == []
    assert all(line.startswith("mem_bar") for line in made.lines)
    return [line.removeprefix("mem_bar ") for line in made.lines]


@pytest.mark.parametrize("name", BEHIND)
def test_two_accesses_get_the_barrier_of_their_kinds(name: str) -> None:
    early, late = BEHIND[name]
    assert bars(MADE, MADE.replace("%w", "%z").replace("%f", "%g"), early, late) == [name]


@pytest.mark.parametrize("name", BEHIND)
@pytest.mark.parametrize("barrier", MEMORY_BARRIERS)
def test_a_barrier_that_is_there_counts(name: str, barrier: str) -> None:
    early, late = BEHIND[name]
    lines = [MADE, MADE.replace("%w", "%z").replace("%f", "%g"), early]
    text = kernel(scope(*lines, f'pto.mem_bar "{barrier}"', late))
    found = [line.split()[1] for line in synchronised(text, keep=True).lines]
    fits = barrier in (name, _family(name))
    assert found == ([barrier] if fits else [barrier, name])


def _family(name: str) -> str:
    first, then = ("V" if part.startswith("V") else "S" for part in name.split("_"))
    return f"{first}{then}_ALL"


def test_on_other_targets_there_are_none() -> None:
    text = kernel(scope(MADE, *BEHIND["VST_VLD"]))
    assert synchronised(text, "a2a3").lines == []


def test_in_place_and_other_rows_need_none() -> None:
    assert bars(load("%u", "%b"), ABS, store("%w")) == []
    assert bars(loop(load("%u", "%b", "%j"), ABS, store("%w", "%b", "%j"), **ROWS)) == []


def test_what_is_summed_up_in_memory_needs_one_in_every_iteration() -> None:
    assert bars(loop(load("%u", "%b"), ABS, store("%w"))) == ["VST_VLD"]


def test_a_second_pass_needs_one_between_the_loops() -> None:
    first = loop(load("%u", "%a", "%j"), ABS, store("%w", "%b", "%j"), **ROWS)
    second = loop(load("%u", "%b", "%j"), ABS, store("%w", "%c", "%j"), **ROWS)
    text = kernel(scope(first, second))
    assert bars(first, second) == ["VST_VLD"]
    made = synchronised(text).text
    assert made.index("}") < made.index("mem_bar") < made.rindex("scf.for")


def test_a_neighbouring_row_is_another_one_until_it_is_not() -> None:
    """Row j is made from row j + 1, which the next iteration overwrites; or from row j - 1."""
    ahead = ["%k = arith.addi %j, %i64 : index", load("%u", "%b", "%k"), ABS]
    assert bars(loop(*ahead, store("%w", "%b", "%j"), **ROWS)) == ["VLD_VST"]
    behind = [load("%u", "%b", "%j"), ABS, "%k = arith.addi %j, %i64 : index"]
    assert bars(loop(*behind, store("%w", "%b", "%k"), **ROWS)) == ["VST_VLD"]


def test_a_value_from_all_rows_is_complete_before_what_it_is_used_for() -> None:
    """As the maximum of a row is, before the row is overwritten with it."""
    lines = f"""
      %most = scf.for %j = %i0 to %n64 step %i64 iter_args(%so = %first) -> ({V}) {{
        {load("%u", "%b", "%j")}
        %more = pto.vmax %so, %u, %m : {V}, {V}, {M} -> {V}
        scf.yield %more : {V}
      }}
      scf.for %k = %i0 to %n64 step %i64 {{
        {store("%most", "%b", "%k")}
      }}
    """
    text = kernel(SIZE, scope(MADE.replace("%w", "%first"), lines))
    made = synchronised(text)
    assert made.lines == []
    assert findings(made.kernel(contents=False), 3, True, False) == []


def test_an_address_that_is_not_known_may_be_any() -> None:
    assert bars(MADE, store("%w", "%b", "%n64"), load("%u", "%b", "%i64")) == ["VST_VLD"]
    assert bars(MADE, store("%w", "%b", "%n64"), load("%u", "%c", "%i64")) == []


def test_a_barrier_on_one_side_orders_nothing_on_the_other() -> None:
    inside = branch("%yes", [store("%w", "%c"), load("%t", "%c"), store("%t", "%d")])
    assert bars(MADE, store("%w", "%b"), inside, load("%u", "%b")) == ["VST_VLD", "VST_VLD"]


OFFSETS = st.sampled_from(["%i0", "%i64", "%n64", "%j", "%k"])
PLACES = st.sampled_from(["%a", "%a", "%b"])


@st.composite
def accesses(draw: st.DrawFn) -> str:
    value = draw(st.sampled_from(["%v", "%u"]))
    where, offset = draw(PLACES), draw(OFFSETS)
    match draw(st.integers(0, 5)):
        case 0:
            return f"%s = pto.load_scalar {where}[{offset}] : {P} -> f32"
        case 1:
            return f"pto.store_scalar %f, {where}[{offset}] : {P}, f32"
        case 2 | 3:
            return load(value, where, offset)
        case _:
            return store(value, where, offset)


def structured(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bodies = st.lists(inner, min_size=1, max_size=4)
    around = "%k = arith.addi %j, %i64 : index"
    return st.one_of(
        bodies.map(lambda body: loop(around, *body, to="%n64", step="%i64", index="%j")),
        bodies.map(lambda body: loop(around, *body, to="%i256", step="%i64", index="%j")),
        st.tuples(st.sampled_from(["%yes", "%no"]), bodies, st.none() | bodies).map(
            lambda t: branch(*t)
        ),
    )


VECTOR_CODE = st.lists(
    st.one_of(
        accesses(),
        accesses(),
        structured(accesses()),
        structured(st.one_of(accesses(), structured(accesses()))),
    ),
    min_size=2,
    max_size=6,
)
FROM_OUTSIDE = (
    "%j = arith.constant 128 : index",
    "%k = arith.constant 0 : index",
)


@settings(max_examples=60, deadline=None)
@given(VECTOR_CODE, st.integers(0, 4), st.booleans(), st.booleans())
def test_no_run_has_accesses_out_of_order(body: Lines, n: int, yes: bool, no: bool) -> None:
    made_first = MADE.replace("%w", "%v")
    text = numbered([*FROM_OUTSIDE, scope(made_first, load("%u", "%a"), *body)])
    made = synchronised(text)
    assert findings(made.kernel(contents=False), n, yes, no) == []
