"""One wrong type in the example of an instruction: the fixes leave all other lines as they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from ptoscope.check.apply import fixed
from ptoscope.cli.examine import examine_text
from ptoscope.docs.example import NoExample, example
from ptoscope.isa import INSTRUCTIONS
from ptoscope.isa.record import Record

EVERY = 23
"""One wrong type of so many is tried; all of them take three minutes."""
OTHER = {
    **{"f32": "i32", "i32": "f32", "f16": "i16", "i16": "f16", "bf16": "f16", "ui32": "f32"},
    **{"i8": "ui8", "ui8": "i8", "i64": "i32", "index": "i32", "i1": "i32"},
    **{"b8": "b16", "b16": "b32", "b32": "b8"},
}
TYPE = re.compile(r"!pto\.(?:vreg<\d+x(\w+)>|mask<(\w+)>|ptr<(\w+), \w+>)|(?<=[ (])(\w+)(?=[,)]|$)")


def mistyped(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text, by their indices, with one other type."""
    for index, line in enumerate(text.split("\n")):
        if "func.func" in line or "module" in line:
            continue
        for match in TYPE.finditer(line):
            group = match.lastindex or 0
            other = OTHER.get(match[group])
            if other:
                yield index, line[: match.start(group)] + other + line[match.end(group) :]


def examples(record: Record) -> Iterator[tuple[str, str]]:
    """Yields the target and the text of the examples of an instruction."""
    for form in range(len(record.forms)):
        try:
            yield record.targets[-1], example(record, record.targets[-1], form).text
        except NoExample:
            continue


CASES = [
    pytest.param(target, text, *wrong, id=f"{record.short}-{number}")
    for record in INSTRUCTIONS.values()
    for number, (target, text, wrong) in enumerate(
        (target, text, wrong) for target, text in examples(record) for wrong in mistyped(text)
    )
][::EVERY]


@pytest.mark.parametrize(("target", "text", "index", "line"), CASES)
def test_the_neighbours_of_a_wrong_type_stay(target: str, text: str, index: int, line: str) -> None:
    lines = text.split("\n")
    wrong = "\n".join([*lines[:index], line, *lines[index + 1 :]])
    after = fixed(wrong, lambda text: examine_text(text, "k.pto", target, None)[1])
    neighbours = Counter([*lines[:index], *lines[index + 1 :]])
    assert neighbours <= Counter(after.text.split("\n"))


MASK = """func.func @k(%p: !pto.ptr<ui8, gm>) {{
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %ub = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
  pto.vecscope {{
    %m = pto.pset_{made} "PAT_ALL" : !pto.mask<{typed}>
    pto.psts %m, %ub[%c0], "NORM" : !pto.mask<{used}>, !pto.ptr<ui8, ub>, index
  }}
  return
}}
"""


@pytest.mark.parametrize(
    ("made", "typed", "used", "becomes"),
    [
        # Either may be meant: the store takes both.
        ("b8", "b8", "b16", ("b8", "b8", "b16")),
        # The maker contradicts itself, and the store agrees with its name.
        ("b8", "b16", "b8", ("b8", "b8", "b8")),
    ],
)
def test_a_mask_that_fits_either_width_is_left(
    made: str, typed: str, used: str, becomes: tuple[str, str, str]
) -> None:
    text = MASK.format(made=made, typed=typed, used=used)
    after = fixed(text, lambda text: examine_text(text, "k.pto", None, None)[1])
    assert after.text == MASK.format(made=becomes[0], typed=becomes[1], used=becomes[2])
