"""Registers followed through loops and branches: who made what is read."""

from __future__ import annotations

from ptoscope.kernel import Kernel
from ptoscope.timing.scopes import instructions
from ptoscope.tracing import trace
from tests.timing.kernels import MASK, REG, binary, lds, scope, sts, unchecked

FOR = "scf.for %i = %c0 to %n step %c1"


def _producers(text: str, grid: int = 1) -> list[tuple[str, list[str]]]:
    """Each instruction with a number for its execution, and those it reads from; masks left
    out."""
    kernel: Kernel = unchecked(text)
    run = trace(kernel, [], grid)
    code = instructions(run)
    names: list[str] = []
    seen: dict[int, int] = {}
    for place in code.place.tolist():
        seen[place] = seen.get(place, -1) + 1
        op = run.places[place].op
        slot = op.results[0] if op.results else op.operands[0]
        prefix = "" if op.results else "store "
        names.append(f"{prefix}{run.function.names[slot]}#{seen[place]}")
    found: list[tuple[str, list[str]]] = []
    for i, name in enumerate(names):
        reads = [names[d] for d in code.dep[code.dep_at[i] : code.dep_at[i + 1]].tolist()]
        found.append((name, [r for r in reads if not r.startswith("all")]))
    return [row for row in found if not row[0].startswith("all")]


def test_straight_code() -> None:
    found = _producers(scope(lds("x"), binary("vadd", "y", "x", "x"), sts("y")))
    assert found == [("x#0", []), ("y#0", ["x#0"]), ("store y#0", ["y#0"])]


def test_a_carried_value_comes_from_the_iteration_before() -> None:
    text = scope(
        lds("x"),
        f"%sum = {FOR} iter_args(%acc = %x) -> ({REG}) {{",
        binary("vadd", "next", "acc", "acc"),
        f"scf.yield %next : {REG}",
        "}",
        sts("sum"),
        n=3,
    )
    assert _producers(text)[1:] == [
        ("next#0", ["x#0"]),
        ("next#1", ["next#0"]),
        ("next#2", ["next#1"]),
        ("store sum#0", ["next#2"]),
    ]


def test_an_inner_loop_begins_anew() -> None:
    """The first iteration of each inner loop reads what was made outside, not the last sum."""
    text = scope(
        lds("x"),
        "scf.for %j = %c0 to %m step %c1 {",
        f"%sum = {FOR} iter_args(%acc = %x) -> ({REG}) {{",
        binary("vadd", "next", "acc", "acc"),
        f"scf.yield %next : {REG}",
        "}",
        "}",
        n=2,
        m=2,
    )
    assert [reads for _, reads in _producers(text)[1:]] == [
        ["x#0"],
        ["next#0"],
        ["x#0"],
        ["next#2"],
    ]


def test_values_that_change_places() -> None:
    text = scope(
        lds("x"),
        lds("y"),
        f"%p, %q = {FOR} iter_args(%a = %x, %b = %y) -> ({REG}, {REG}) {{",
        sts("a"),
        f"scf.yield %b, %a : {REG}, {REG}",
        "}",
        n=3,
    )
    stores = [reads for name, reads in _producers(text) if name.startswith("store")]
    assert stores == [["x#0"], ["y#0"], ["x#0"]]


def test_a_branch_gives_what_ran() -> None:
    text = scope(
        "scf.for %i = %c0 to %n step %c1 {",
        "%odd = arith.cmpi eq, %i, %c1 : index",
        f"%r = scf.if %odd -> ({REG}) {{",
        lds("a"),
        f"scf.yield %a : {REG}",
        "} else {",
        lds("b"),
        f"scf.yield %b : {REG}",
        "}",
        sts("r"),
        "}",
        n=3,
    )
    stores = [reads for name, reads in _producers(text) if name.startswith("store")]
    assert stores == [["b#0"], ["a#0"], ["b#1"]]


def test_blocks_do_not_read_each_other() -> None:
    text = scope(
        lds("x"),
        f"%sum = {FOR} iter_args(%acc = %x) -> ({REG}) {{",
        binary("vadd", "next", "acc", "acc"),
        f"scf.yield %next : {REG}",
        "}",
        n=2,
    )
    assert [reads for _, reads in _producers(text, grid=2)] == [
        [],
        ["x#0"],
        ["next#0"],
        [],
        ["x#1"],
        ["next#2"],
    ]


def test_another_view_of_a_register_is_no_instruction() -> None:
    other = "!pto.vreg<64xi32>"
    text = scope(
        lds("x"),
        f"%i = pto.vbitcast %x : {REG} -> {other}",
        f"%n32 = pto.vnot %i, %all : {other}, {MASK} -> {other}",
    )
    assert _producers(text) == [("x#0", []), ("n32#0", ["x#0"])]
