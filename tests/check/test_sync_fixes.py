"""Fixes of synchronisation: tried before they are offered, many of them together."""

from __future__ import annotations

import pytest

from ptoscope.check import check
from ptoscope.check.apply import Fixed, fixed
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS

from .pipes import (
    M,
    V,
    both,
    copy_in,
    copy_out,
    kernel,
    load,
    loop,
    program,
    scope,
    sets,
    store,
    waits,
)

STAGE = [copy_in("%a"), scope(load("%v", "%a"), store("%v", "%b")), copy_out("%b")]


def found(text: str) -> list[Diagnostic]:
    return check(program(text), TARGETS["a5"], "manual")


def mended(text: str) -> Fixed:
    return fixed(text, found)


@pytest.mark.parametrize("stages", [1, 2, 10, 100])
@pytest.mark.parametrize("around", [lambda *body: "\n".join(body), loop], ids=["once", "loop"])
def test_stages_without_synchronisation_get_all_of_it(around, stages: int) -> None:
    text = kernel(around(*STAGE * stages))
    assert found(text)
    after = mended(text)
    assert after.left == []
    # Only synchronisation was added.
    new = [line for line in after.text.splitlines() if "_flag[" in line or "barrier" in line]
    assert len(after.text.splitlines()) == len(text.splitlines()) + len(new)


def test_many_races_are_mended_by_one_fix_that_the_others_point_to() -> None:
    races = found(kernel(*STAGE * 10))
    (fix,) = [d for d in races if d.fix]
    assert f"for all of {len(races)} findings together" in fix.hint
    assert all(f"the fix of line {fix.span.line}" in d.hint for d in races if d is not fix)


IN, OUT = [copy_in("%a"), copy_in("%c")], copy_out("%b")
ADDED = scope(
    load("%v", "%a"),
    load("%w", "%c"),
    f"%sum = pto.vadd %v, %w, %m : {V}, {V}, {M} -> {V}",
    store("%sum", "%b"),
)


def steps(*lines: str) -> list[str]:
    """Two copies in, work of the vector core, and one copy out, with synchronisation between."""
    return [*IN, lines[0], ADDED, lines[1], OUT]


RIGHT = kernel(*steps(both("MTE2", "V"), both("V", "MTE3")))


def test_the_kernel_is_right() -> None:
    assert found(RIGHT) == []


def lines_of(text: str) -> list[str]:
    return text.splitlines()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (sets("MTE2", "V"), sets("MTE2", "V", 3)),
        (waits("MTE2", "V"), waits("MTE2", "V", 3)),
        (sets("V", "MTE3"), sets("MTE3", "V")),
        (waits("V", "MTE3"), waits("MTE2", "MTE3")),
    ],
)
def test_an_orphan_set_and_an_orphan_wait_become_a_pair(right: str, wrong: str) -> None:
    """No line is added: one of the two is written as the other one is."""
    after = mended(RIGHT.replace(right, wrong))
    assert after.left == []
    assert (after.applied, len(lines_of(after.text))) == (1, len(lines_of(RIGHT)))
    assert sorted(after.text.replace("EVENT_ID3", "EVENT_ID0")) == sorted(RIGHT)


def test_a_set_comes_behind_the_last_copy_that_it_covers() -> None:
    """One flag orders both copies: it is set behind the second."""
    after = mended(kernel(*steps("", both("V", "MTE3"))))
    assert after.left == []
    assert [line for line in lines_of(after.text) if line] == lines_of(RIGHT)


def test_a_set_that_comes_too_early_is_moved() -> None:
    early = kernel(
        IN[0], sets("MTE2", "V"), IN[1], waits("MTE2", "V"), ADDED, both("V", "MTE3"), OUT
    )
    after = mended(early)
    assert after.left == []
    assert lines_of(after.text) == lines_of(RIGHT)


@pytest.mark.parametrize(
    ("code", "gone"),
    [
        ("PTO0601", sets("MTE2", "V")),
        ("PTO0601", sets("V", "MTE3")),
        ("PTO0603", waits("MTE2", "V")),
        ("PTO0603", waits("V", "MTE3")),
    ],
)
def test_the_side_of_a_flag_that_is_missing_is_put_back(code: str, gone: str) -> None:
    text = RIGHT.replace(f"{gone}\n", "")
    assert code in {d.code for d in found(text) if d.fix}
    assert lines_of(mended(text).text) == lines_of(RIGHT)


GUARDED = kernel(
    'pto.get_buf "PIPE_MTE2", 0, 0',
    copy_in("%a"),
    'pto.rls_buf "PIPE_MTE2", 0, 0',
    'pto.get_buf "PIPE_V", 0, 0',
    'pto.get_buf "PIPE_V", 1, 0',
    scope(load("%v", "%a"), store("%v", "%b")),
    'pto.rls_buf "PIPE_V", 0, 0',
    'pto.rls_buf "PIPE_V", 1, 0',
    'pto.get_buf "PIPE_MTE3", 1, 0',
    copy_out("%b"),
    'pto.rls_buf "PIPE_MTE3", 1, 0',
)


@pytest.mark.parametrize("pipe", ["MTE2", "MTE3", "V"])
@pytest.mark.parametrize(("code", "name"), [("PTO0605", "get_buf"), ("PTO0606", "rls_buf")])
def test_a_buffer_gets_the_side_that_is_missing(code: str, name: str, pipe: str) -> None:
    assert found(GUARDED) == []
    number = 1 if pipe == "MTE3" else 0
    text = GUARDED.replace(f'pto.{name} "PIPE_{pipe}", {number}, 0\n', "")
    assert code in {d.code for d in found(text) if d.fix}
    after = mended(text)
    assert after.left == []
    assert sorted(lines_of(after.text)) == sorted(lines_of(GUARDED))


@pytest.mark.parametrize("pipe", ["MTE2", "V"])
def test_a_second_acquisition_is_taken_away(pipe: str) -> None:
    line = f'pto.get_buf "PIPE_{pipe}", 0, 0\n'
    text = GUARDED.replace(line, line * 2)
    assert "PTO0605" in {d.code for d in found(text) if d.fix}
    after = mended(text)
    assert after.left == []
    assert sorted(lines_of(after.text)) == sorted(lines_of(GUARDED))


def test_buffers_that_overlap_are_told_as_such_and_get_no_barrier() -> None:
    """%b begins within the bytes of %a: where it should be is for its author to decide."""
    body = [load("%v", "%a", "%i"), store("%v", "%b", "%i")]
    text = kernel(scope(loop(*body, to="%i1024", step="%i64")))
    wrong = text.replace("%b = pto.castptr %l4096", "%b = pto.castptr %l128")
    assert [d.code for d in found(text) if d.code == "PTO0609"] == []
    assert_overlap(wrong, "%a", "%b")


def test_a_loop_that_runs_over_is_told_as_such_and_gets_no_barrier() -> None:
    """1088 elements of %a reach the first ones of %b."""
    body = [load("%v", "%a", "%i"), store("%v", "%b", "%i")]
    far = "%far = arith.constant 1088 : index"
    assert_overlap(kernel(far, scope(loop(*body, to="%far", step="%i64"))), "end earlier")


def test_pipes_at_buffers_that_overlap_get_no_flag() -> None:
    """The copy to %c ends in the middle of %b, which the vector core has written."""
    text = kernel(copy_in("%a"), both("MTE2", "V"), scope(), both("V", "MTE3"), OUT, IN[1])
    assert [d.code for d in found(text) if d.code == "PTO0607"] == []
    near = "%near = arith.constant 4064 : i64\n%c = pto.castptr %near"
    assert_overlap(text.replace("%c = pto.castptr %l8192", near), "%b", "%c")


def assert_overlap(text: str, *said: str) -> None:
    wrong = [d for d in found(text) if d.code in ("PTO0607", "PTO0609")]
    assert wrong
    for d in wrong:
        assert d.fix == ()
        assert "overlap" in d.found
        assert all(word in d.hint for word in said)
    assert mended(text).text == text


def test_a_wait_that_comes_too_late_is_moved_before_the_work() -> None:
    after = mended(kernel(*IN, ADDED, both("MTE2", "V"), both("V", "MTE3"), OUT))
    assert after.left == []
    assert lines_of(after.text) == lines_of(RIGHT)


@pytest.mark.parametrize(
    "lines",
    [
        # The copy out comes before the work whose result it is to bring.
        [*IN, both("MTE2", "V"), OUT, ADDED],
        # The second copy in comes after the work that is to use it.
        [IN[0], both("MTE2", "V"), ADDED, IN[1], both("V", "MTE3"), OUT],
    ],
    ids=["copy out", "copy in"],
)
def test_a_read_before_the_only_write_is_not_put_in_that_order(lines: list[str]) -> None:
    """Clean it would be, and wrong: the order of the text is what is in doubt."""
    text = kernel(*lines)
    (race,) = [d for d in found(text) if d.code == "PTO0607"]
    assert race.fix == ()
    assert "has to come after it" in race.hint
    assert any(d.code == "PTO0607" for d in mended(text).left)
