"""Register pressure: values that wait at the same time, counted by hand."""

from __future__ import annotations

import pytest

from ptoscope.check.resources import PREDICATE_REGISTERS, VECTOR_REGISTERS

from .kernels import M, P, V, codes, findings, in_scope


def loaded(count: int) -> list[str]:
    return [f"%t{k} = pto.vbr %x : f32 -> {V}" for k in range(count)]


def stored(count: int) -> list[str]:
    return [f"pto.vsts %t{k}, %ub[%c0], %m : {V}, {P}, {M}" for k in range(count)]


def test_the_register_file_may_be_full() -> None:
    full = (*loaded(VECTOR_REGISTERS), *stored(VECTOR_REGISTERS))
    assert codes(*full) == []
    over = (*loaded(VECTOR_REGISTERS + 1), *stored(VECTOR_REGISTERS + 1))
    (finding,) = findings(in_scope(*over))
    assert (finding.code, finding.severity) == ("PTO0305", "warning")
    assert "pto.vecscope" in finding.source_line
    assert finding.message == "the vecscope needs 33 vector registers at once"
    # The sizes of other targets' register files are not published.
    assert codes(*over, target="a2a3") == []


def test_an_operand_used_up_gives_its_register_to_the_result() -> None:
    adds = [f"%s{k} = pto.vneg %t{k}, %m : {V}, {M} -> {V}" for k in range(VECTOR_REGISTERS)]
    stores = [s.replace("%t", "%s") for s in stored(VECTOR_REGISTERS)]
    assert codes(*loaded(VECTOR_REGISTERS), *adds, *stores) == []


def test_what_a_loop_reads_again_stays_live() -> None:
    """Values made before a loop and read in it wait through every iteration."""
    begin = "scf.for %k = %c0 to %end step %c1 {"
    one = VECTOR_REGISTERS - 1
    inner = f"%u = pto.vbr %x : f32 -> {V}"
    use = f"pto.vsts %u, %ub[%c0], %m : {V}, {P}, {M}"
    assert codes(*loaded(one), begin, *stored(one), inner, use, "}") == []
    more = one + 1
    assert codes(*loaded(more), begin, *stored(more), inner, use, "}") == ["PTO0305"]
    # Without the loop the last store frees a register before %u is made.
    assert codes(*loaded(more), *stored(more), inner, use) == []


def test_what_a_loop_carries_counts() -> None:
    count = VECTOR_REGISTERS // 2 + 1
    names = [f"%t{k}" for k in range(count)]
    types = ", ".join([V] * count)
    carried = ", ".join(f"%c_{k} = {n}" for k, n in enumerate(names))
    results = ", ".join(f"%o{k}" for k in range(count))
    # Every new value is made before any old one is used: both sets wait at once.
    body = [f"%n{k} = pto.vbr %x : f32 -> {V}" for k in range(count)]
    body += [f"pto.vsts %c_{k}, %ub[%c0], %m : {V}, {P}, {M}" for k in range(count)]
    body += [f"scf.yield {', '.join(f'%n{k}' for k in range(count))} : {types}"]
    loop = f"{results} = scf.for %k = %c0 to %end step %c1 iter_args({carried}) -> ({types}) {{"
    (finding,) = findings(in_scope(*loaded(count), loop, *body, "}"))
    assert finding.message == f"the vecscope needs {2 * count} vector registers at once"


@pytest.mark.parametrize(("count", "expected"), [(7, []), (8, ["PTO0306"])])
def test_branches_do_not_add_up(count: int, expected: list[str]) -> None:
    """Masks of either branch; %m waits through both, as the stores after them use it."""
    assert PREDICATE_REGISTERS == 8
    branch = [f'%p{k} = pto.pset_b32 "PAT_ALL" : {M}' for k in range(count)]
    branch += [f"pto.vsts %v, %ub[%c0], %p{k} : {V}, {P}, {M}" for k in range(count)]
    after = f"pto.vsts %v, %ub[%c0], %m : {V}, {P}, {M}"
    other = [line.replace("%p", "%q") for line in branch]
    assert codes("scf.if %yes {", *branch, "} else {", *other, "}", after) == expected
