"""Which uses a cell of behaviour is about: a condition that the cell states as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import product

import pytest

from ptoscope.evidence import depended_on
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import (
    BF16,
    ELEMENTS,
    F4E1M2,
    F8E4M3,
    F16,
    F32,
    HIF8,
    I32,
    SI32,
    SI64,
    UI32,
    DType,
)
from ptoscope.isa.patterns import Vec
from ptoscope.isa.record import Evidence, Form, Record, Site, When
from ptoscope.isa.targets import REVISIONS, TARGETS
from ptoscope.isa.types import AttrValue, VReg
from ptoscope.program import Block, Function, Op

Attrs = dict[str, AttrValue]


def _attrs(form: Form) -> Iterator[Attrs]:
    """Every value of every attribute, the others at their defaults or first values."""
    first: Attrs = {
        a.name: a.default if a.default is not None else (a.values[0] if a.values else a.low)
        for a in form.attrs
    }
    yield first
    for attr in form.attrs:
        for value in attr.values or range(attr.low, min(attr.high, attr.low + 2) + 1):
            if value != first[attr.name]:
                yield {**first, attr.name: value}


def _pairs(record: Record, form: Form) -> list[tuple[DType, ...]]:
    """Element types of a register that is read and of one that is written."""
    if record.pairs:
        return list(record.pairs)
    if not any(isinstance(o.type, Vec) for o in (*form.operands, *form.results)):
        return [()]
    legal = record.types["T"]
    return [(d, d) for d in ELEMENTS if d in (*legal.manual, *(legal.micro or ()))]


def _uses(record: Record) -> Iterator[Site]:
    for number, form in enumerate(record.forms):
        for attrs, pair in product(_attrs(form), _pairs(record, form)):
            types = tuple(VReg(d) for d in pair)
            for target, revision in product(record.targets, REVISIONS):
                yield Site(
                    record, types[:1], types[1:], attrs, TARGETS[target], revision, form=number
                )


def _plainly(when: When, site: Site) -> bool:
    """A condition read part by part, as its words say."""
    if when.revision is not None and when.revision != site.revision:
        return False
    if when.targets and site.target.name not in when.targets:
        return False
    if when.forms and site.form not in when.forms:
        return False
    for name, values in when.attrs.items():
        taken = {o.name for o in site.record.forms[site.form].operands}
        if name not in taken and site.attrs.get(name) not in values:
            return False
    written = {t.dtype for t in site.results if isinstance(t, VReg)}
    touched = written | {t.dtype for t in site.operands if isinstance(t, VReg)}
    if when.elements and not touched & set(when.elements):
        return False
    return not when.results or bool(written & set(when.results))


def _with_conditions() -> list[tuple[Record, Evidence]]:
    return [(r, e) for r in TABLE.values() for e in r.evidence if e.when != When()]


conditions = pytest.mark.parametrize(
    ("record", "evidence"), _with_conditions(), ids=lambda v: getattr(v, "short", None) or v.cell
)


@conditions
def test_a_condition_is_what_it_says(record: Record, evidence: Evidence) -> None:
    """On uses of every attribute value, element type, target and revision; some meet it, and
    some do not."""
    found = {site: evidence.when.holds(site) for site in _uses(record)}
    assert all(held == _plainly(evidence.when, site) for site, held in found.items())
    if evidence.cell != "PAT_VLn beyond the lanes" or record.short.endswith("_b32"):
        assert any(found.values())
    assert not all(found.values())


@conditions
def test_a_condition_names_what_the_instruction_has(record: Record, evidence: Evidence) -> None:
    when = evidence.when
    assert set(when.targets) <= set(record.targets)
    assert all(number < len(record.forms) for number in when.forms)
    for name, values in when.attrs.items():
        legal = [v for f in record.forms for a in f.attrs if a.name == name
                 for v in (a.values or range(a.low, a.high + 1))]  # fmt: skip
        assert set(values) & set(legal) or not values, (name, values)


def _cells(op: Op, *elements: DType, target: str = "a5", revision: str = "manual") -> set[str]:
    function = Function("k", (), Block((), [op]), [VReg(d) for d in elements], ["x", "y"])
    assert revision in REVISIONS
    return {c.cell for c in depended_on(function, TARGETS[target], revision)}


def _convert(source: DType, result: DType, rnd: str = "R", sat: str = "SAT", part: str = "EVEN"):
    return _cells(
        Op("pto.vcvt", (0,), (1,), {"rnd": rnd, "sat": sat, "part": part}), source, result
    )


def test_cells_of_a_conversion() -> None:
    assert _convert(F32, F16) == {"targets", "NaN to floats"}
    assert _convert(F32, F16, rnd="A") == {"targets", "NaN to floats", "rounding mode A"}
    assert _convert(F32, SI32, rnd="O") == {"targets", "rounding mode O"}
    assert _convert(F32, SI64, sat="NOSAT") == {"targets", "NOSAT to integers"}
    assert _convert(F32, BF16, part="NONE", sat="NOSAT") == {
        "targets", "NaN to floats", "no part written", "NOSAT to floats",
    }  # fmt: skip
    narrow = {"targets", "NaN to floats", "pairs with narrow floats"}
    assert _convert(F32, F8E4M3) == {*narrow, "f8e4m3, f8e5m2, f4e2m1"}
    assert _convert(F16, HIF8) == {*narrow, "hif8", "rounding to hif8"}
    assert _convert(HIF8, F32) == {*narrow, "hif8"}
    assert _convert(BF16, F4E1M2) == {*narrow, "f4e1m2", "place of 4-bit floats"}


@pytest.mark.parametrize(
    ("name", "cell", "about", "others"),
    [
        ("vabs", "unsigned integers", (UI32,), (I32, SI32, F32)),
        ("vcls", "unsigned integers", (UI32,), (I32, SI32)),
        ("vshr", "signless integers", (I32,), (SI32, UI32)),
        ("vneg", "-0 and NaN", (F32, F16), (I32, UI32)),
        ("vmula", "rounding", (F32, BF16), (I32,)),
    ],
)
def test_cells_about_element_types(
    name: str, cell: str, about: tuple[DType, ...], others: tuple[DType, ...]
) -> None:
    op = Op(f"pto.{name}", (0,), (1,))
    assert [d for d in (*about, *others) if cell in _cells(op, d, d)] == [*about]


def test_cells_about_a_comparison_of_floats() -> None:
    op = Op("pto.vcmp", (0, 0), (), {"mode": "lt"})
    assert "NaN" in _cells(op, F32)
    assert "NaN" not in _cells(op, I32)


def test_cells_about_a_revision() -> None:
    op = Op("pto.vcpadd", (0,), (1,))
    assert _cells(op, F32, F32) == {"meaning", "inactive lanes"}
    assert _cells(op, F32, F32, revision="micro") == set()
    stream = Op("pto.vstur", (), (), {"mode": "NO_POST_UPDATE"})
    assert "NO_POST_UPDATE" in _cells(stream)
    assert "NO_POST_UPDATE" not in _cells(stream, revision="micro")


def test_cells_about_a_form() -> None:
    late = "an event number at run time"
    pipes: Attrs = {"src": "PIPE_V", "dst": "PIPE_MTE3"}
    assert late not in _cells(Op("pto.wait_flag", attrs={**pipes, "event": "EVENT_ID0"}))
    assert late in _cells(Op("pto.wait_flag", attrs=pipes, form=1))
    dest = "form A's dest"
    assert dest in _cells(Op("pto.vstu"))
    assert dest not in _cells(Op("pto.vstu", form=2))


def test_cells_about_a_mode_that_only_the_run_knows() -> None:
    waits = {"what mode 1 waits for", "behind a release in mode 1"}
    known: Attrs = {"pipe": "PIPE_V", "id": 0}
    assert waits <= _cells(Op("pto.rls_buf", attrs={**known, "mode": 1}))
    assert not waits & _cells(Op("pto.rls_buf", attrs={**known, "mode": 0}))
    assert waits <= _cells(Op("pto.rls_buf", attrs={"pipe": "PIPE_V"}, form=1))


def test_cells_about_a_pattern_of_more_lanes_than_there_are() -> None:
    cell = "PAT_VLn beyond the lanes"
    assert cell in _cells(Op("pto.pset_b32", attrs={"pattern": "PAT_VL128"}))
    assert cell not in _cells(Op("pto.pset_b32", attrs={"pattern": "PAT_VL64"}))
    assert cell not in _cells(Op("pto.pset_b8", attrs={"pattern": "PAT_VL128"}))


@pytest.mark.parametrize("title", ["x", "on A5", "float integers (revision micro)", "NORM, E2B"])
def test_no_word_of_a_title_counts(monkeypatch: pytest.MonkeyPatch, title: str) -> None:
    """Whatever a cell is called, the same uses depend on it."""
    for record in list(TABLE.values()):
        if record.group in ("arith", "synchronisation"):
            continue
        sites = list(_uses(record))[:: 1 + record.short.startswith("vcvt") * 40]
        before = [_asked(site) for site in sites]
        renamed = tuple(replace(e, cell=f"{title} {n}") for n, e in enumerate(record.evidence))
        other = replace(record, evidence=renamed)
        monkeypatch.setitem(TABLE, record.name, other)
        assert [_asked(site) for site in sites] == before


def _asked(site: Site) -> list[str]:
    types = [*site.operands, *site.results]
    slots = tuple(range(len(types)))
    op = Op(
        site.record.name,
        slots[: len(site.operands)],
        slots[len(site.operands) :],
        site.attrs,
        form=site.form,
    )
    function = Function("k", (), Block((), [op]), types, [""] * len(types))
    return [c.why for c in depended_on(function, site.target, site.revision)]


def test_every_part_of_a_condition_is_read() -> None:
    """A part that is added has to be read by `_plainly` here too."""
    assert [f.name for f in fields(When)] == [
        "revision", "targets", "forms", "attrs", "elements", "results",
    ]  # fmt: skip
