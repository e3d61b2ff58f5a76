"""Kernels of many shapes: just what they need is inserted, where it belongs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.check.pipes import (
    G,
    M,
    P,
    V,
    branch,
    copy_in,
    copy_out,
    kernel,
    load,
    loop,
    scope,
    sets,
    store,
    waits,
)

from .support import PlacedBuffer, Synchronised, done, stripped, synchronised, without_each

ARRAY = np.linspace(-1, 1, 4096, dtype=np.float32)


def clean(made: Synchronised, n: int = 3) -> None:
    """No finding before a run and none in it, in any order."""
    seen = made.kernel(contents=False).watch(
        ARRAY.copy(), ARRAY.copy(), n, True, False, poison=False
    )
    assert seen.diagnostics == []


def at(offset: str, pointer: str = "%x", name: str = "%g", kind: str = G) -> str:
    return f"{name} = pto.addptr {pointer}, {offset} : {kind} -> {kind}"


def in_place(offset: str) -> str:
    """From %x to %a, changed there, and back, at elements of %x."""
    return "\n".join(
        [
            at(offset),
            copy_in("%a").replace("%x,", "%g,"),
            scope(load("%v", "%a"), store("%v", "%a")),
            copy_out("%a", to="%g"),
        ]
    )


BACK = [
    "set MTE3 MTE2 0",
    "wait MTE3 MTE2 0",
    "set MTE2 V 0",
    "wait MTE2 V 0",
    "set V MTE3 0",
    "wait V MTE3 0",
    "set MTE3 MTE2 0",
    "wait MTE3 MTE2 0",
]
"""What a loop needs that loads, changes in place and stores."""


def test_straight_line() -> None:
    made = synchronised(kernel(copy_in("%a"), scope(), copy_out("%b")))
    assert made.lines == ["set MTE2 V 0", "wait MTE2 V 0", "set V MTE3 0", "wait V MTE3 0"]
    clean(made)


def test_nothing_where_pipes_share_nothing() -> None:
    made = synchronised(kernel(copy_in("%a"), scope(load("%v", "%b"), store("%v", "%c"))))
    assert made.lines == []


def test_a_pipe_is_waited_for_once_for_all_that_it_loads() -> None:
    add = f"%w = pto.vadd %v, %u, %m : {V}, {V}, {M} -> {V}"
    both = scope(load("%v", "%a"), load("%u", "%b"), add, store("%w", "%c"))
    made = synchronised(kernel(copy_in("%a"), copy_in("%b"), both, copy_out("%c")))
    assert made.lines == ["set MTE2 V 0", "wait MTE2 V 0", "set V MTE3 0", "wait V MTE3 0"]


def test_what_arrives_first_is_used_first() -> None:
    """Two flags: the first vecscope does not wait for the second copy."""
    made = synchronised(
        kernel(
            copy_in("%a"),
            copy_in("%b"),
            scope(load("%v", "%a"), store("%v", "%c")),
            scope(load("%v", "%b"), store("%v", "%d")),
        )
    )
    assert made.lines == [
        "set MTE2 V 0",
        "set MTE2 V 1",
        "wait MTE2 V 0",
        "wait MTE2 V 1",
    ]
    clean(made)


def test_in_place_in_a_loop() -> None:
    made = synchronised(kernel(loop("%at = arith.muli %i, %i64 : index", in_place("%at"))))
    assert made.lines == BACK
    clean(made)


def test_the_same_elements_again_and_again() -> None:
    """The next load has to wait for the store: it does, and copies to GM keep no order."""
    made = synchronised(kernel(loop(in_place("%i0"))))
    assert made.lines == BACK
    clean(made)


def test_copies_to_the_same_elements_get_a_barrier() -> None:
    made = synchronised(kernel(copy_out("%a"), copy_out("%b")))
    assert made.lines == ["barrier MTE3"]
    clean(made)
    apart = synchronised(kernel(copy_out("%a"), at("%i64", "%y"), copy_out("%b", to="%g")))
    assert apart.lines == []


def test_copies_of_a_loop_to_its_own_elements_get_none() -> None:
    row = ["%at = arith.muli %i, %i{} : index", at("%at", "%y"), copy_out("%a", to="%g")]
    lines = {step: [line.format(step) for line in row] for step in (64, 32)}
    assert synchronised(kernel(loop(*lines[64]))).lines == []
    made = synchronised(kernel(loop(*lines[32])))
    assert made.lines == ["barrier MTE3"]
    clean(made)


def test_nested_loops_signal_from_one_to_the_next_without_a_pause() -> None:
    body = [copy_in("%a"), scope(), copy_out("%b")]
    made = synchronised(kernel(loop(loop(*body, index="%j"))))
    once = synchronised(kernel(loop(*body, index="%j")))
    assert made.lines == once.lines
    assert len(made.lines) == 12
    outer = made.text.index("scf.for")
    assert made.text.count("set_flag", 0, outer) == 2
    clean(made)


def test_a_branch_in_a_loop() -> None:
    """What is done on one side only is waited for around the branch."""
    work = branch("%yes", [scope()], [scope(load("%v", "%a"), store("%v", "%c"))])
    made = synchronised(kernel(loop(copy_in("%a"), work, copy_out("%b"))))
    assert len(made.lines) == 12
    clean(made)


def test_flags_inside_a_branch() -> None:
    made = synchronised(kernel(branch("%yes", [copy_in("%a"), scope(), copy_out("%b")])))
    assert made.lines == ["set MTE2 V 0", "wait MTE2 V 0", "set V MTE3 0", "wait V MTE3 0"]
    clean(made)


def test_order_that_only_one_side_gives_is_no_order() -> None:
    """On the other side nothing leads from the copy to the second vecscope."""
    made = synchronised(
        kernel(
            copy_in("%a"),
            branch("%yes", [scope(load("%v", "%a"), store("%v", "%b")), copy_out("%b")]),
            copy_out("%a"),
        )
    )
    assert "set MTE2 MTE3 0" in made.lines
    for yes in (True, False):
        run = made.kernel(contents=False)
        assert run.watch(ARRAY, ARRAY.copy(), 1, yes, False, poison=False).diagnostics == []


def test_two_passes_through_ub() -> None:
    """All is loaded, then all is computed, then all is stored: each has its own place."""
    place = "%at = arith.muli %i, %i64 : index"
    moved = at("%at", "%a", "%p", P)
    array = at("%at")
    made = synchronised(
        kernel(
            loop(place, moved, array, copy_in("%p").replace("%x,", "%g,")),
            scope(
                loop(
                    load("%v", "%a", "%j"),
                    store("%v", "%a", "%j"),
                    step="%i64",
                    to="%i256",
                    index="%j",
                )
            ),
            loop(place, moved, at("%at", "%y"), copy_out("%p", to="%g"), to="%i4"),
        )
    )
    assert made.lines == ["set MTE2 V 0", "wait MTE2 V 0", "set V MTE3 0", "wait V MTE3 0"]
    clean(made)


def test_a_row_of_its_own_needs_no_flag_back() -> None:
    """Every iteration loads to another place: none waits for the one before."""
    place = "%at = arith.muli %i, %i64 : index"
    moved = at("%at", "%a", "%p", P)
    use = scope(load("%v", "%p"), store("%v", "%p"))
    made = synchronised(kernel(loop(place, moved, copy_in("%p"), use, to="%i4")))
    assert made.lines == ["set MTE2 V 0", "wait MTE2 V 0"]
    clean(made)


def test_scalar_loads_wait_and_others_wait_for_scalar_stores() -> None:
    read = f"%s = pto.load_scalar %b[%i0] : {P} -> f32"
    write = f"pto.store_scalar %s, %c[%i0] : {P}, f32"
    made = synchronised(kernel(copy_in("%a"), scope(), read, write, copy_out("%c")))
    signals = ["MTE2 V 0", "V S 0", "S MTE3 0"]
    assert made.lines == [f"{verb} {signal}" for signal in signals for verb in ("set", "wait")]
    clean(made)


def test_after_a_scalar_load_all_is_known_that_it_waited_for() -> None:
    read = f"%s = pto.load_scalar %b[%i0] : {P} -> f32"
    made = synchronised(kernel(copy_in("%a"), scope(), read, copy_out("%b")))
    assert "set V MTE3 0" not in made.lines
    clean(made)


def test_buffers_that_share_bytes_are_one_memory() -> None:
    """As a planner lets them, where the first one is not used any more."""
    body = [copy_in("%a"), scope(load("%v", "%a"), store("%v", "%c")), copy_in("%b")]

    def lines(address: int) -> list[str]:
        program = stripped(kernel(*body))
        function = program.functions[0]
        slots = {function.names[slot]: slot for slot in range(len(function.names))}
        places = {"a": (0, 1024), "b": (address, 1024), "c": (8192, 1024)}
        them = [PlacedBuffer((slots[name],), *place) for name, place in places.items()]
        return done(program, function, them).lines

    forwards, back = ["set MTE2 V 0", "wait MTE2 V 0"], ["set V MTE2 0", "wait V MTE2 0"]
    assert lines(128) == [*forwards, *back]
    assert lines(0) == [*forwards, *back]
    assert lines(256) == forwards
    assert lines(1024) == forwards


def test_three_stages() -> None:
    made = synchronised(
        kernel(
            loop(
                copy_in("%a"),
                scope(load("%v", "%a"), store("%v", "%b")),
                scope(load("%v", "%b"), store("%v", "%c")),
                copy_out("%c"),
            )
        )
    )
    assert len(made.lines) == 12
    clean(made)


def test_a_while_loop() -> None:
    text = f"""scf.while (%w = %n) : (index) -> index {{
      %more = arith.cmpi sgt, %w, %i0 : index
      scf.condition(%more) %w : index
    }} do {{
    ^bb0(%u: index):
      {copy_in("%a")}
      {scope()}
      {copy_out("%b")}
      %less = arith.subi %u, %i1 : index
      scf.yield %less : index
    }}"""
    made = synchronised(kernel(text.replace("scf.while", "%done = scf.while", 1)))
    assert len(made.lines) == 12
    clean(made)


def test_a_while_loop_whose_condition_uses_what_its_body_makes() -> None:
    text = f"""%done = scf.while (%w = %n) : (index) -> index {{
      %s = pto.load_scalar %b[%i0] : {P} -> f32
      %more = arith.cmpi sgt, %w, %i0 : index
      scf.condition(%more) %w : index
    }} do {{
    ^bb0(%u: index):
      {copy_in("%a")}
      {scope()}
      %less = arith.subi %u, %i1 : index
      scf.yield %less : index
    }}"""
    made = synchronised(kernel(text))
    assert "barrier ALL" in made.lines
    clean(made)


def test_what_the_author_wrote_counts() -> None:
    lines = [copy_in("%a"), sets("MTE2", "V", 3), waits("MTE2", "V", 3), scope(), copy_out("%b")]
    made = synchronised(kernel(*lines), keep=True)
    assert made.lines == ["set MTE2 V 3", "wait MTE2 V 3", "set V MTE3 0", "wait V MTE3 0"]
    clean(made)


def test_nothing_is_added_to_a_kernel_that_is_right() -> None:
    written = synchronised(kernel(loop(copy_in("%a"), scope(), copy_out("%b"))))
    again = synchronised(written.text, keep=True)
    assert again.text == written.text


def test_events_that_the_author_uses_are_left_to_them() -> None:
    taken = [f"{sets('V', 'MTE3', n)}\n{waits('V', 'MTE3', n)}" for n in range(7)]
    made = synchronised(kernel(*taken, scope(), copy_out("%b")), keep=True)
    assert made.lines[-2:] == ["set V MTE3 7", "wait V MTE3 7"]
    clean(made)


@pytest.mark.parametrize("count", [8, 9, 20])
def test_many_flags_share_events(count: int) -> None:
    """More than there are numbers: flags that are not set together have the same."""
    made = synchronised(kernel(*[scope(), copy_out("%b")] * count))
    assert not any(line.startswith("barrier ALL") for line in made.lines)
    clean(made)


def test_flags_that_need_more_events_than_there_are() -> None:
    """Ten results, all of which are stored after the last: one flag can do for several."""
    numbers = "\n".join(f"%o{i} = arith.constant {64 * i} : index" for i in range(10))
    pointers = "\n".join(at(f"%o{i}", "%b", f"%p{i}", P) for i in range(10))
    arrays = "\n".join(at(f"%o{i}", "%y", f"%g{i}") for i in range(10))
    work = [scope(load(), store("%v", "%b", f"%o{i}")) for i in range(10)]
    stores = [copy_out(f"%p{i}", to=f"%g{i}") for i in range(10)]
    made = synchronised(kernel(numbers, pointers, arrays, *work, *stores))
    assert 0 < len(made.lines) <= 16
    clean(made)


@pytest.mark.parametrize(
    "body",
    [
        [copy_in("%a"), scope(), copy_out("%b")],
        [loop(copy_in("%a"), scope(), copy_out("%b"))],
        [loop(in_place("%i0"))],
        [copy_in("%a"), copy_out("%a"), copy_in("%a"), scope()],
        [loop(copy_in("%a"), branch("%yes", [scope()]), copy_out("%b"))],
    ],
)
def test_nothing_can_be_left_out(body: list[str]) -> None:
    """Without any one flag or barrier there is a race, or check finds something."""
    made = synchronised(kernel(*body))
    clean(made)
    for text in without_each(made):
        broken = Synchronised(made.function, text)
        with pytest.raises(AssertionError):
            clean(broken)


def test_a_flag_follows_a_scalar_store() -> None:
    """No document says that the store is complete before what another pipe does; a load is."""
    number = "%f = arith.constant 2.0 : f32"
    put = f"pto.store_scalar %f, %a[%i0] : {P}, f32"
    made = synchronised(kernel(number, put, copy_out("%a")))
    assert made.lines == ["set S MTE3 0", "wait S MTE3 0"]
    clean(made)
    get = f"%f = pto.load_scalar %a[%i0] : {P} -> f32"
    assert synchronised(kernel(get, copy_in("%a"))).lines == []
