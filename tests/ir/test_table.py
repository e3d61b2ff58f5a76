"""Every instruction of the table, in every form and level, reads back as it is printed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope import ir
from ptoscope.ir import LEVELS
from ptoscope.isa.dtypes import F32, I16, I32, DType
from ptoscope.isa.patterns import Pattern
from ptoscope.isa.record import Form, Operand, Record, Run, Site
from tests.ir.kernels import all_levels, function, round_trip
from tests.ir.table import FORMS, write


@pytest.mark.parametrize(("record", "index"), FORMS)
def test_every_form_round_trips(record: Record, index: int):
    line, parameters = write(record, index)
    text = function(line, parameters)
    canonical = " ".join(part.strip() for part in round_trip(text).splitlines())
    if record.forms[index].in_destination_form:
        line = f"{record.name} ins({line.removeprefix(record.name + ' ')})"
    assert line in canonical
    op = next(ir.parse(text).program.functions[0].ops())
    assert op.name == record.name
    form = record.forms[op.form]
    assert len(op.results) == len(form.results)
    assert {a.name for a in form.attrs} == set(op.attrs)


@pytest.mark.parametrize("element", [F32, I32, I16], ids=str)
@pytest.mark.parametrize(("record", "index"), FORMS)
def test_every_form_in_every_level(record: Record, index: int, element: DType):
    line, parameters = write(record, index, element)
    text = function(line, parameters)
    written = all_levels(text)
    # What is left in SSA form would be read all the same, so look at the text.
    starts = {"dps": f"  {record.name}", "asm": f"  {record.short}"}
    for level, start in starts.items():
        assert any(part.startswith(start) for part in written[level].splitlines())
    before, after = (ir.parse(written[level]).program.functions[0] for level in ("ssa", "asm"))
    assert [op.form for op in before.ops()] == [op.form for op in after.ops()]
    assert [op.attrs for op in before.ops()] == [op.attrs for op in after.ops()]
    assert before.types == after.types


@pytest.mark.parametrize(("record", "index"), FORMS)
@pytest.mark.parametrize("level", LEVELS)
def test_results_without_names(record: Record, index: int, level: ir.Level):
    line, parameters = write(record, index)
    text = function(line.partition(" = ")[2] if line.startswith("%") else line, parameters)
    printed = ir.print_module(ir.parse(text), level=level)
    again = ir.parse(printed)
    assert ir.print_module(again, level=level) == printed
    types = [m.program.functions[0].types for m in (ir.parse(text), again)]
    assert types[0] == types[1]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([p.values for p in FORMS]),
            st.sampled_from((F32, I32, I16)),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_modules_made_of_the_table(choices: list[tuple[tuple[Record, int], DType, int]]):
    whole = ""
    for k, ((record, index), element, clauses) in enumerate(choices):
        line, parameters = write(record, index, element, clauses)
        whole += function(line, parameters).replace("@k", f"@k{k}")
    module = ir.parse(whole)
    again = ir.parse(round_trip(whole))
    assert again.program.functions[0].types == module.program.functions[0].types
    names = [
        [[op.name for op in function.ops()] for function in each.program.functions]
        for each in (again, module)
    ]
    assert names[0] == names[1]
    all_levels(whole)


def _meaning(site: Site) -> Run:
    raise NotImplementedError


def test_a_pattern_without_types_is_named():
    class Nothing(Pattern):
        def match(self, type, known):
            return False

        def resolve(self, known):
            return None

        def __str__(self):
            return "nothing at all"

    form = Form((Operand("input", Nothing()),))
    record = Record("pto.probe", "test", "", (form,), _meaning)
    with pytest.raises(AssertionError, match=r"pto.probe, form 0: .*nothing at all"):
        write(record, 0)
