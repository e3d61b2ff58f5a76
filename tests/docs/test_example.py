"""Every instruction has an example that reads, checks clean and runs, on every target it is on."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.docs.buffers import ExampleBuffer
from ptoscope.docs.example import Example, NoExample, example
from ptoscope.docs.example_section import shown_example
from ptoscope.docs.values import NUMBERS
from ptoscope.isa import INSTRUCTIONS, TABLE
from ptoscope.isa.dtypes import F16, F32, I8, I64, UI32, DType
from ptoscope.isa.record import Record

FORMS = [
    pytest.param(record, target, form, id=f"{record.short}-{form}-{target}")
    for record in INSTRUCTIONS.values()
    for target in record.targets
    for form in range(len(record.forms))
]


def run(found: Example) -> dict[str, np.ndarray]:
    """The arguments after a run, by the names of their parameters."""
    arrays = {b.name: b.array() for b in found.buffers}
    run_on(found, arrays)
    return arrays


def run_on(found: Example, arrays: dict[str, np.ndarray]) -> None:
    """Runs it after a check that is clean."""
    kernel = ptoscope.load(found.text, found.target.name)
    assert kernel.findings == []
    kernel(*arrays.values())


@pytest.mark.parametrize(("record", "target", "form"), FORMS)
def test_every_example_runs(record: Record, target: str, form: int) -> None:
    found = example(record, target, form)
    assert (found.record, found.form, found.target.name) == (record, form, target)
    uses = [op for f in ptoscope.load(found.text).program.functions for op in f.ops()]
    assert (record.name, form) in [(op.name, op.form) for op in uses]
    # Bytes that no result is made of: what is written differs from them. An update may find
    # that what is there is greater, or that the sum is the same; then 0 is not.
    fills = (0x5A,) if record.sets is None else (0x5A, 0)
    changed = set[str]().union(*(changed_by(found, fill) for fill in fills))
    assert changed
    assert changed <= {b.name for b in found.buffers if b.is_result}


def changed_by(found: Example, fill: int) -> set[str]:
    """The arguments that a run changes where results begin as these bytes."""
    arrays = {b.name: b.array() for b in found.buffers}
    for buffer in found.buffers:
        if buffer.is_result:
            arrays[buffer.name].view(np.uint8)[:] = fill
    before = {name: array.tobytes() for name, array in arrays.items()}
    run_on(found, arrays)
    return {name for name, array in arrays.items() if array.tobytes() != before[name]}


@pytest.mark.parametrize(
    ("record", "form"),
    [
        pytest.param(record, form, id=f"{record.short}-{form}")
        for record in INSTRUCTIONS.values()
        for form in range(len(record.forms))
    ],
)
def test_every_example_of_a_page_is_clean_when_watched(record: Record, form: int) -> None:
    """As `run --check all`: the arguments are those that the page shows."""
    target = shown_example(record).target.name
    assert_clean(example(record, target, form))


def assert_clean(found: Example) -> None:
    kernel = ptoscope.load(found.text, found.target.name)
    seen = kernel.watch(*(b.array() for b in found.buffers))
    assert [str(d) for d in seen.diagnostics] == []


@pytest.mark.parametrize(
    ("name", "element"),
    [("vadd", F16), ("vadd", I8), ("vadd", I64), ("vlds", UI32), ("vcvt", I8), ("vcvt", F32)],
)
def test_an_element_type_may_be_asked_for(name: str, element: DType) -> None:
    found = example(TABLE[f"pto.{name}"], element=element)
    assert f"x{element}>" in found.text
    run(found)
    assert_clean(found)


def test_what_has_no_example_says_so() -> None:
    with pytest.raises(NoExample, match="does not exist on cpu"):
        example(TABLE["pto.vstu"], "cpu")
    with pytest.raises(NoExample, match="vand has no example with f32"):
        example(TABLE["pto.vand"], element=F32)


def test_revision_micro_has_its_types() -> None:
    found = example(TABLE["pto.vand"], element=F32, revision="micro")
    assert ptoscope.load(found.text, revision="micro").findings == []


def test_values_of_an_example() -> None:
    """vadd: the two rows of numbers, added by hand in eight active lanes."""
    after = run(example(TABLE["pto.vadd"]))
    assert after["lhs_gm"][:8].tolist() == [1, 4, -2, 0.25, 9, -1, 16, 2]
    assert after["rhs_gm"][:8].tolist() == [2, 3, 1, 2, 3, 1, 2, 3]
    # What was not computed is not stored: the result holds what it held before.
    assert after["result_gm"].tolist() == [3, 7, -1, 2.25, 12, 0, 18, 5] + [-1] * 56


def test_a_predicate_register_is_shown_by_its_lanes() -> None:
    found = example(TABLE["pto.pand"])
    after = run(found)
    (buffer,) = (b for b in found.buffers if b.mask_bits)
    # Every third of the first eight, and of these every fourth.
    assert buffer.shown(after[buffer.name], 8) == ["1", "0", "0", "0", "0", "0", "0", "0"]


def test_arrays_of_every_fill() -> None:
    assert ExampleBuffer("x", I8, 4, "blank").array().tolist() == [-1] * 4
    assert ExampleBuffer("x", UI32, 4, "blank").array().tolist() == [0xFFFFFFFF] * 4
    assert ExampleBuffer("x", UI32, 9, "lanes").array().tolist() == [7, 6, 5, 4, 3, 2, 1, 0, 15]
    assert ExampleBuffer("x", UI32, 3, "blocks").array().tolist() == [32, 0, 96]
    assert ExampleBuffer("x", F32, 3, "count").array().tolist() == [0, 1, 2]


def test_tables_name_only_what_there_is() -> None:
    """A name that no instruction has any more is removed."""
    forms = [f for r in INSTRUCTIONS.values() for f in r.forms]
    operands = {o.name for f in forms for o in f.operands}
    operands |= {o.name for f in forms for g in f.groups for o in g.operands}
    assert set(NUMBERS) <= operands
