"""Unaligned streams through loops and branches: what is legal stays silent."""

from __future__ import annotations

import pytest

from .kernels import A, P, V, codes, findings, in_scope

BEGIN = f"%a = pto.init_align : {A}"
LOOP = f"%b = scf.for %k = %c0 to %end step %c1 iter_args(%s = %a) -> ({A}) {{"


def append(result: str, state: str, base: str = "%odd") -> str:
    return f"{result} = pto.vstur {state}, %v, {base} : {A}, {V}, {P} -> {A}"


def flush(state: str, base: str = "%odd") -> str:
    return f"pto.vstar {state}, {base} : {A}, {P}"


def yields(state: str) -> str:
    return f"scf.yield {state} : {A}"


def test_a_stream_through_a_loop() -> None:
    assert codes(BEGIN, LOOP, append("%t", "%s"), yields("%t"), "}", flush("%b")) == []


def test_a_loop_that_does_not_thread_its_stream() -> None:
    lines = ("scf.for %k = %c0 to %end step %c1 {", append("%t", "%a"), flush("%t"), "}")
    assert codes(BEGIN, *lines) == ["PTO0403"]


def test_a_stream_of_its_own_in_every_iteration() -> None:
    lines = ("scf.for %k = %c0 to %end step %c1 {", BEGIN, append("%t", "%a"), flush("%t"), "}")
    assert codes(*lines) == []


def test_a_stream_that_leaves_its_loop_unflushed() -> None:
    lines = (BEGIN, LOOP, append("%t", "%s"), yields("%t"), "}")
    (finding,) = findings(in_scope(*lines))
    assert (finding.code, finding.found) == ("PTO0402", "%b is not used")
    assert "scf.for" in finding.source_line
    # Whole vectors from a boundary on end on a boundary, however many there are.
    aligned = (BEGIN, LOOP, append("%t", "%s", "%ub"), yields("%t"), "}")
    assert codes(*aligned) == []


def test_a_stream_that_leaves_a_branch_unflushed() -> None:
    choice = f"%b = scf.if %yes -> ({A}) {{"
    lines = (choice, append("%t", "%a"), yields("%t"), "} else {", yields("%a"), "}")
    assert codes(BEGIN, *lines) == ["PTO0402"]
    assert codes(BEGIN, *lines, flush("%b")) == []


def test_a_stream_that_leaves_a_while_loop_unflushed() -> None:
    lines = (
        f"%b = scf.while (%s = %a) : ({A}) -> {A} {{",
        f"scf.condition(%yes) %s : {A}",
        "} do {",
        f"^bb0(%r: {A}):",
        append("%t", "%r"),
        yields("%t"),
        "}",
    )
    assert codes(BEGIN, *lines) == ["PTO0402"]
    assert codes(BEGIN, *lines, flush("%b")) == []


def test_a_state_that_a_loop_carries_and_drops() -> None:
    lines = (LOOP, "%f = pto.init_align : !pto.align", append("%t", "%f"), yields("%t"), "}")
    assert codes(BEGIN, *lines, flush("%b")) == ["PTO0402"]


def test_branches_may_each_use_a_state() -> None:
    lines = (append("%t", "%a"), "scf.if %yes {", flush("%t"), "} else {", flush("%t"), "}")
    assert codes(BEGIN, *lines) == []


def test_a_flush_in_one_branch_only() -> None:
    lines = (append("%t", "%a"), "scf.if %yes {", flush("%t"), "}")
    assert codes(BEGIN, *lines) == ["PTO0409"]
    assert codes(BEGIN, *lines, flush("%t")) == ["PTO0403"]


def test_a_state_chosen_by_a_branch_is_followed() -> None:
    lines = (
        f"%t = scf.if %yes -> ({A}) {{",
        append("%x2", "%a"),
        yields("%x2"),
        "} else {",
        yields("%a"),
        "}",
        flush("%t"),
    )
    assert codes(BEGIN, *lines) == []


@pytest.mark.parametrize(("base", "owed"), [("%ub", []), ("%odd", ["PTO0402"])])
def test_a_flush_is_owed_unless_the_stream_ends_a_block(base: str, owed: list[str]) -> None:
    assert codes(BEGIN, append("%t", "%a", base)) == owed


@pytest.mark.parametrize(("offset", "owed"), [("%eight", []), ("%one", ["PTO0402"])])
def test_an_offset_counts(offset: str, owed: list[str]) -> None:
    lines = (
        "%eight = arith.constant 8 : i32",
        "%one = arith.constant 1 : i32",
        f"%t, %n2 = pto.vstus %a, %ub, %v, %ub, {offset} : {A}, {P}, {V}, {P}, i32 -> {A}, {P}",
    )
    assert codes(BEGIN, *lines) == owed


def test_a_primed_load_through_a_loop() -> None:
    prime = f"%a = pto.vldas %odd : {P} -> {A}"
    lines = (
        LOOP,
        f"%r, %t = pto.vldus %odd, %s : {P}, {A} -> {V}, {A}",
        yields("%t"),
        "}",
    )
    assert codes(prime, *lines) == []
    assert codes(BEGIN, *lines) == ["PTO0401"]


PRIME = f"%a = pto.vldas %odd : {P} -> {A}"


def load(result: str, state: str, base: str = "%odd") -> str:
    types = f"{P}, {A} -> {V}, {A}, {P}"
    return f"%r{result}, {state}{result}, %p{result} = pto.vldus {base}, {state} : {types}"


def test_loads_thread_their_state_and_their_address() -> None:
    assert codes(PRIME, load("1", "%a"), load("2", "%a1", "%p1")) == []
    assert codes(PRIME, load("1", "%a"), load("2", "%a", "%p1")) == ["PTO0406", "PTO0403"]
    # The second load goes on 256 bytes later, not where the first one was.
    assert codes(PRIME, load("1", "%a"), load("2", "%a1", "%odd")) == ["PTO0406"]


def moved(name: str, base: str, by: int) -> tuple[str, str]:
    return (
        f"{name}n = arith.constant {by} : index",
        f"{name} = pto.addptr {base}, {name}n : {P} -> {P}",
    )


def test_a_stream_is_primed_anywhere_in_its_block() -> None:
    """%odd is 4 bytes into its block."""
    for by, found in ((-1, []), (6, []), (-2, ["PTO0406"]), (7, ["PTO0406"])):
        assert codes(*moved("%q", "%odd", by), PRIME, load("1", "%a", "%q")) == found


def test_stores_take_no_state_of_a_load_stream() -> None:
    assert codes(PRIME, append("%t", "%a"), flush("%t")) == ["PTO0410"]
    vldus = f"%r, %s = pto.vldus %odd, %a : {P}, {A} -> {V}, {A}"
    assert codes(PRIME, vldus, append("%t", "%s"), flush("%t")) == ["PTO0410"]


def test_a_stream_keeps_its_base() -> None:
    first = append("%t", "%a")
    assert codes(BEGIN, first, append("%u", "%t", "%ub"), flush("%u")) == ["PTO0411"]
    assert codes(BEGIN, first, append("%u", "%t"), flush("%u", "%ub")) == ["PTO0411"]
    # vstar may also name the place where the stream ended.
    assert codes(BEGIN, first, *moved("%q", "%odd", 64), flush("%t", "%q")) == []
    assert codes(BEGIN, first, *moved("%q", "%odd", 63), flush("%t", "%q")) == ["PTO0411"]


@pytest.mark.parametrize(("op", "last"), [("vstu", "%c1 : index"), ("vstus", "%z : i32")])
def test_a_dest_is_that_of_its_stream(op: str, last: str) -> None:
    name, _, kind = last.partition(" : ")
    types = f"{A}, {P}, {V}, {P}, {kind} -> {A}, {P}"

    def store(k: int, dest: str) -> str:
        given = f"%a{k}, %p{k}, %v, {dest}, {name}"
        return f"%a{k + 1}, %p{k + 1} = pto.{op} {given} : {types}"

    zero = "%z = arith.constant 0 : i32"
    begin = (zero, f"%a0 = pto.init_align : {A}", *moved("%p0", "%odd", 3))
    end = f"pto.vstar %a2, %odd : {A}, {P}"
    assert codes(*begin, store(0, "%odd"), store(1, "%odd"), end) == []
    assert codes(*begin, store(0, "%odd"), store(1, "%ub"), end) == ["PTO0411"]
    if op == "vstu":
        assert codes(*begin, store(0, "%p0"), store(1, "%odd"), end) == ["PTO0411"] * 2
        later = moved("%q", "%odd", 4)
        assert "PTO0411" in codes(*begin, *later, store(0, "%q"), store(1, "%q"), end)


def test_a_flush_that_is_added_names_the_base_of_its_stream() -> None:
    """Not the address of the last store, and only where the base can be named."""
    types = f"{A}, {P}, {V}, {P}, index -> {A}, {P}"
    store = f"%t, %q = pto.vstu %a, %p, %v, %odd, %c1 : {types}"
    (finding,) = findings(in_scope(BEGIN, *moved("%p", "%odd", 3), store))
    assert finding.code == "PTO0402"
    assert [edit.text.strip() for edit in finding.fix] == [flush("%t", "%odd")]
    inside = (LOOP, *moved("%p", "%odd", 3), append("%t", "%s", "%p"), yields("%t"), "}")
    (finding,) = findings(in_scope(BEGIN, *inside))
    assert (finding.code, finding.fix) == ("PTO0402", ())


def test_a_base_through_a_loop() -> None:
    lines = (LOOP, append("%t", "%s"), yields("%t"), "}")
    assert codes(BEGIN, *lines, append("%u", "%b"), flush("%u")) == []
    assert codes(BEGIN, *lines, append("%u", "%b", "%ub"), flush("%u")) == ["PTO0411"]
    both = (LOOP, append("%t", "%s"), append("%u", "%t", "%ub"), yields("%u"), "}", flush("%b"))
    assert codes(BEGIN, *both) == ["PTO0411"]


def test_a_base_is_not_called_wrong_where_the_end_is_not_known() -> None:
    """%q may be where the stream ended; and where nothing is pending another one may begin."""
    types = f"{A}, index, {V}, {P} -> {A}, index"
    index = "%far = arith.index_cast %n : i32 to index"
    store = f"%t, %o = pto.vstu %a, %far, %v, %odd : {types}"
    assert codes(BEGIN, index, store, *moved("%q", "%odd", 70), flush("%t", "%q")) == []
    first = append("%t", "%a", "%ub")
    again = f"%u, %o = pto.vstu %t, %c1, %v, %odd : {types}"
    assert codes(BEGIN, first, again, flush("%u", "%odd")) == []


def test_after_no_post_update_a_flush_is_at_its_own_offset() -> None:
    types = f"{A}, index, {V}, {P} -> {A}, index"
    store = f'%t, %o = pto.vstu %a, %c1, %v, %odd, "NO_POST_UPDATE" : {types}'
    for offset, found in (("%o", []), ("%c1", []), ("%c0", ["PTO0405"])):
        assert codes(BEGIN, store, f"pto.vsta %t, %odd[{offset}] : {A}, {P}, index") == found
    base = f"{A}, {P}, {V}, {P}, index -> {A}, {P}"
    store = f"%t, %b = pto.vstu %a, %odd, %v, %odd, %c0 : {base}"
    assert codes(BEGIN, store, f"pto.vsta %t, %b[%c0] : {A}, {P}, index") == []


def vstu(result: str, state: str, offset: str) -> str:
    types = f"{A}, index, {V}, {P} -> {A}, index"
    return f"{result}, {result}o = pto.vstu {state}, {offset}, %v, %odd : {types}"


def test_stores_follow_one_another() -> None:
    first = vstu("%t", "%a", "%c0")
    end = "pto.vsta {}, %odd[{}] : " + f"{A}, {P}, index"
    assert codes(BEGIN, first, vstu("%u", "%t", "%to"), end.format("%u", "%uo")) == []
    # The second vector on top of the first: its bytes still wait.
    assert codes(BEGIN, first, vstu("%u", "%t", "%c0"), end.format("%u", "%uo")) == ["PTO0405"]
    assert codes(BEGIN, first, end.format("%t", "%c0")) == ["PTO0405"]
    assert codes(BEGIN, first, end.format("%t", "%to")) == []


TWICE = {
    "vstu form A": "{r}, {r}p = pto.vstu {s}, {at}, %v, {base}, {mode} : "
    f"{A}, {P}, {V}, {P}, index -> {A}, {P}",
    "vstu form B": '{r}, {r}p = pto.vstu {s}, {at}, %v, {base}, "{mode}" : '
    f"{A}, index, {V}, {P} -> {A}, index",
    "vstus form B": '{r}, {r}p = pto.vstus {s}, %z32, %v, {at}, "{mode}" : '
    f"{A}, i32, {V}, {P} -> {A}, {P}",
}


@pytest.mark.parametrize("base", ["%ub", "%odd"])
@pytest.mark.parametrize("form", TWICE)
def test_without_a_post_update_the_next_store_is_at_the_end(form: str, base: str) -> None:
    """Wherever the base lies in its block: a store of 256 bytes ends as the base lies."""
    stays, advances = ("%c0", "%c1") if form.endswith("A") else ("NO_POST_UPDATE", "POST_UPDATE")
    start = "%c0" if form == "vstu form B" else base
    further = "arith.addi %tp, %c64 : index"
    if form != "vstu form B":
        further = f"pto.addptr %tp, %c64 : {P} -> {P}"
    before = ("%c64 = arith.constant 64 : index", "%z32 = arith.constant 0 : i32", BEGIN)

    def store(result: str, state: str, at: str, mode: str) -> str:
        return TWICE[form].format(r=result, s=state, at=at, base=base, mode=mode)

    first, end = store("%t", "%a", start, stays), flush("%u", base)
    advanced = store("%u", "%t", "%far", advances)
    assert codes(*before, first, store("%u", "%t", "%tp", advances), end) == ["PTO0405"]
    assert codes(*before, first, store("%u", "%t", "%tp", stays), end) == ["PTO0405"]
    assert codes(*before, first, f"%far = {further}", advanced, end) == []
    once = store("%t", "%a", start, advances)
    assert codes(*before, once, store("%u", "%t", "%tp", advances), end) == []


@pytest.mark.parametrize("base", ["%ub", "%odd"])
def test_without_a_post_update_at_an_offset_that_is_not_known(base: str) -> None:
    types = f"{A}, index, {V}, {P} -> {A}, index"
    lines = ["%o = arith.index_cast %n : i32 to index", BEGIN]
    lines.append(f'%t, %tp = pto.vstu %a, %o, %v, {base}, "NO_POST_UPDATE" : {types}')
    for at, found in (("%tp", ["PTO0405"]), ("%o", ["PTO0405"]), ("%c1", [])):
        store = f"%u, %up = pto.vstu %t, {at}, %v, {base} : {types}"
        assert codes(*lines, store, flush("%u", base)) == found


@pytest.mark.parametrize("base", ["%ub", "%odd"])
def test_without_a_post_update_in_a_loop(base: str) -> None:
    """The second iteration stores where the first did; of one iteration nothing is said."""
    kinds = f"{A}, index"
    loop = f"%b, %bp = scf.for %k = %c0 to {{}} step %c1 iter_args(%s = %a, %o = %c0) -> ({kinds})"
    types = f"{A}, index, {V}, {P} -> {kinds}"
    for end, found in (("%c2", ["PTO0405"]), ("%c1", []), ("%end", [])):
        for at in ("%o", "%c0"):
            store = f'%t, %p = pto.vstu %s, {at}, %v, {base}, "NO_POST_UPDATE" : {types}'
            lines = (f"{loop.format(end)} {{", store, f"scf.yield %t, %p : {kinds}", "}")
            two = "%c2 = arith.constant 2 : index"
            assert codes(two, BEGIN, *lines, flush("%b", base)) == found


def test_the_unit_of_a_flush_is_the_revision_s() -> None:
    """pto.vstas counts bytes in the manual and elements in the micro specification."""
    length = "%l = arith.constant {} : i32"
    store = f"%t = pto.vstus %a, %k, %v, %odd : {A}, i32, {V}, {P} -> {A}"
    end = f"pto.vstas %t, %odd, %l : {A}, {P}, i32"
    zero, three = "%k = arith.constant 0 : i32", "%k = arith.constant 3 : i32"
    assert codes(BEGIN, zero, length.format(256), store, end) == []
    assert codes(BEGIN, zero, length.format(64), store, end) == ["PTO0405"]
    assert codes(BEGIN, three, length.format(3), store, end, revision="micro") == []
    assert codes(BEGIN, three, length.format(12), store, end, revision="micro") == ["PTO0405"]


SQUEEZE = "%{0} = pto.vsqz %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>"
CLEAR = 'pto.sprclr "AR"'


def squeezed(result: str, state: str, value: str, mode: str = "POST_UPDATE") -> str:
    return f'{result} = pto.vstur {state}, {value}, %ub, "{mode}" : {A}, {V}, {P} -> {A}'


def test_in_revision_micro_the_length_is_not_known() -> None:
    lines = (CLEAR, SQUEEZE.format("q"), BEGIN, squeezed("%t", "%a", "%q"))
    assert codes(*lines, revision="micro") == ["PTO0402"]
    assert codes(*lines, flush("%t", "%ub"), revision="micro") == []
    # The manual knows neither register: a vstur stores whole vectors.
    assert codes(BEGIN, append("%t", "%a"), flush("%t")) == []


def test_vstur_needs_the_count_of_a_squeeze() -> None:
    one, two = SQUEEZE.format("q"), SQUEEZE.format("p")
    first, end = squeezed("%t", "%a", "%q"), flush("%t", "%ub")
    assert codes(CLEAR, BEGIN, squeezed("%t", "%a", "%v"), end, revision="micro") == ["PTO0407"]
    assert codes(CLEAR, one, two, BEGIN, first, end, revision="micro") == ["PTO0407"]
    assert codes(CLEAR, two, one, BEGIN, first, end, revision="micro") == []
    # A branch that may have squeezed leaves it open which count it is.
    branch = ("scf.if %yes {", two, "}")
    assert codes(CLEAR, one, *branch, BEGIN, first, end, revision="micro") == []


def test_every_stream_of_vstur_clears_its_position() -> None:
    one = SQUEEZE.format("q")
    stream = (BEGIN, squeezed("%t", "%a", "%q"), flush("%t", "%ub"))
    again = (f"%c = pto.init_align : {A}", squeezed("%u", "%c", "%q"), flush("%u", "%ub"))
    assert codes(one, *stream, revision="micro") == ["PTO0408"]
    assert codes(CLEAR, one, *stream, *again, revision="micro") == ["PTO0408"]
    assert codes(CLEAR, one, *stream, CLEAR, *again, revision="micro") == []
    stays = squeezed("%t", "%a", "%q", "NO_POST_UPDATE")
    lines = (BEGIN, stays, flush("%t", "%ub"), *again)
    assert codes(CLEAR, one, *lines, revision="micro") == []


def test_a_state_that_both_sides_of_a_branch_take_is_no_fix_for_another_use() -> None:
    """Each path takes it once; a third use of the state before it has no newest one to take."""
    lines = (
        BEGIN,
        append("%t", "%a"),
        "scf.if %yes {",
        append("%u", "%t"),
        flush("%u"),
        "} else {",
        append("%u2", "%t"),
        flush("%u2"),
        "}",
        append("%z", "%a"),
        flush("%z"),
    )
    (finding,) = [d for d in findings(in_scope(*lines)) if d.code == "PTO0403"]
    assert finding.fix == ()
