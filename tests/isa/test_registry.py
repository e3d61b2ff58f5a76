"""Every record of the table says everything a record has to say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from string import ascii_lowercase, digits
from types import ModuleType
from typing import get_args

import pytest

from ptoscope.isa import INSTRUCTIONS, TABLE, binary, cost_tables
from ptoscope.isa.copy_costs import paths
from ptoscope.isa.cost import CostKind
from ptoscope.isa.cost_tables import FORWARDING, INTERVAL, attached, pairs, rows, stand_in
from ptoscope.isa.families import VECTOR_SCALAR, ZEROING
from ptoscope.isa.parts import PIPE_ALL, PIPES
from ptoscope.isa.record import Form, Record, Source
from ptoscope.isa.table import by_name
from ptoscope.isa.targets import REVISIONS, TARGETS, TargetName

SOURCES = ("manual", "micro", "suite", "chosen")
WORDS = {"groups", "region", "none", "all"}

_NAMES = """
    vadd vsub vmul vdiv vmax vmin vand vor vxor vshl vshr vaddc vsubc
    vadds vsubs vmuls vmaxs vmins vands vors vxors vshls vshrs vlrelu vaddcs vsubcs
    vci vcvt vtrc vbitcast
    vabs vneg vexp vrelu vbr vdup vcadd vcmax vcmin vlds vsts
    pset_b8 pset_b16 pset_b32 pge_b8 pge_b16 pge_b32 plt_b8 plt_b16 plt_b32
    mte_gm_ub mte_ub_gm copy_gm_to_ubuf copy_ubuf_to_gm
    set_loop_size_outtoub set_loop1_stride_outtoub set_loop2_stride_outtoub
    set_loop_size_ubtoout set_loop1_stride_ubtoout set_loop2_stride_ubtoout
    set_flag wait_flag get_buf rls_buf barrier pipe_barrier vecscope strict_vecscope
    castptr addptr load_scalar store_scalar
    get_block_idx get_block_num get_subblock_idx get_subblock_num
    pand por pxor pnot psel ppack punpack pbitcast
    pintlv_b8 pintlv_b16 pintlv_b32 pdintlv_b8 pdintlv_b16 pdintlv_b32
    vln vsqrt vrsqrt vrec vnot vbcnt vcls vmov vcgadd vcgmax vcgmin vcpadd
    vcmp vcmps vsel vselr vselrv2 vintlv vdintlv vintlvv2 vdintlvv2 vslide vshift
    vsqz vusqz vperm vpack vsunpack vzunpack
    vprelu vexpdif vaxpy vmull vmula vaddrelu vsubrelu
    vtranspose vsort32 vbitsort vmrgsort4 get_vms4_sr
    set_flag_dyn wait_flag_dyn sync.set sync.wait
    mem_bar set_cross_core wait_flag_dev set_intra_block wait_intra_core
    get_ctrl set_ctrl sbitset0 sbitset1
    set_atomic_add set_atomic_max set_atomic_min set_atomic_none
    set_atomic_f32 set_atomic_f16 set_atomic_bf16 set_atomic_s32 set_atomic_s16 set_atomic_s8
"""

records = pytest.mark.parametrize("record", TABLE.values(), ids=lambda r: r.name)


def test_the_instructions_are_there() -> None:
    assert {f"pto.{name}" for name in _NAMES.split()} <= set(INSTRUCTIONS)


def test_names() -> None:
    assert all(name == record.name for name, record in TABLE.items())
    assert all(name.split(".")[0] in ("pto", "arith") for name in TABLE)


def test_a_second_record_of_a_name_is_refused_with_both_places() -> None:
    other = ModuleType("another")
    other.__dict__["RECORDS"] = (binary.vadd,)
    said = r"^pto\.vadd has two records, in ptoscope\.isa\.binary and another$"
    with pytest.raises(ValueError, match=said):
        by_name((binary, other))


def test_sources_are_the_four_words() -> None:
    assert get_args(Source) == SOURCES


@records
def test_text(record: Record) -> None:
    assert record.group
    assert record.doc.endswith(".")
    assert record.formula
    assert record.cpp or record.group == "arith"
    assert record.short
    assert set(record.short) <= set(f"{ascii_lowercase}{digits}_.")


@records
def test_evidence(record: Record) -> None:
    assert record.evidence
    for evidence in record.evidence:
        assert evidence.source in SOURCES
        assert evidence.cell
        assert evidence.note, f"{evidence.cell} ({evidence.source}) has no note"
        assert evidence.note[-1] == ".", evidence.note
    cells = [e.cell for e in record.evidence]
    assert len(set(cells)) == len(cells)


@records
def test_cost(record: Record) -> None:
    """What it costs as fits where it stands, and what stands in for a figure ends in one."""
    kind = record.cost_kind
    assert kind in get_args(CostKind)
    inside = kind in ("compute", "load", "store", "predicate", "barrier", "free")
    assert inside == (record.where == "vecscope")
    if record.group in ("load/store", "predicate load/store"):
        assert kind in ("load", "store", "predicate")
    if kind == "compute":
        assert _ends(record, "a5", lambda r: r.cost.a5 or rows(r).a5)
        assert _ends(record, "a2a3", lambda r: r.cost.a2a3)
        assert _ends(record, "a2a3", lambda r: rows(r).a2a3)


def _ends(record: Record, target: TargetName, has: Callable[[Record], object]) -> bool:
    for _ in range(4):
        if has(record):
            return True
        _, record = stand_in(record, target)
    return False


def test_every_row_of_the_tables_is_attached() -> None:
    for file in ("a5_ops.csv", "a2a3_ops.csv"):
        found = {n for r in TABLE.values() for t in (rows(r).a5, rows(r).a2a3) for n in t}
        assert {row["op"] for row in cost_tables.table(file)} <= found
    for file in (FORWARDING, INTERVAL):
        assert len(pairs(file)) == len(cost_tables.table(file))
    for file in ("a2a3_bandwidth.csv", "a5_bandwidth.csv"):
        bandwidths = {row["path"] for row in cost_tables.table(file)}
        assert bandwidths <= set(paths())


@pytest.mark.parametrize(
    ("file", "column", "name"),
    [
        ("a5_ops.csv", "op", "vnone"),
        ("a2a3_ops.csv", "op", "vcmpv_none"),
        (FORWARDING, "producer", "vnone.f32"),
        (INTERVAL, "current", "vcvt_f32_to_none.f32"),
    ],
)
def test_a_row_about_no_instruction_is_an_error(
    monkeypatch: pytest.MonkeyPatch, file: str, column: str, name: str
) -> None:
    tables = cost_tables.table
    wrong = ({**tables(file)[0], column: name},)
    monkeypatch.setattr(cost_tables, "table", lambda f: wrong if f == file else tables(f))
    read = attached.__wrapped__ if column == "op" else partial(pairs.__wrapped__, file)
    with pytest.raises(ValueError, match=f"{file}: '{name.partition('.')[0]}' is no instruction"):
        read()


@records
def test_place(record: Record) -> None:
    assert record.where in ("vecscope", "outside", "anywhere")
    assert set(record.targets) <= set(TARGETS)
    assert record.targets
    if record.pipe.startswith("="):
        named = [a for form in record.forms for a in form.attrs if a.name == record.pipe[1:]]
        assert named
        assert all(set(attr.values) <= {*PIPES, PIPE_ALL} for attr in named)
    else:
        assert record.pipe in PIPES


def _names(form: Form) -> list[str]:
    return [o.name for o in (*form.operands, *form.results)] + [a.name for a in form.attrs]


@records
def test_syntax(record: Record) -> None:
    """The words of a syntax line are the form's operands, results and attributes; each
    operand stands before the colon once."""
    assert record.forms
    for form in record.forms:
        names = _names(form)
        operands = [o.name for o in form.operands]
        assert len(set(operands)) == len(operands)
        head, _, types = form.pattern.partition(" : ")
        used = re.findall(r"\w+", head)
        assert set(used) <= {*names, *WORDS}
        assert set(re.findall(r"\w+", types)) <= {*names, *WORDS}
        assert sorted(w for w in used if w in operands) == sorted(operands)
        for attr in form.attrs:
            if record.name.startswith("pto."):
                assert attr.name in used
        for group in form.groups:
            assert group.operands
            assert 0 <= group.required <= len(group.operands)


@records
def test_types(record: Record) -> None:
    """A type list leaves at least one type on every target that has the instruction."""
    for variable, types in record.types.items():
        for name in record.targets:
            for revision in REVISIONS:
                assert types.legal(TARGETS[name], revision), (variable, name, revision)


def _page(record: Record) -> dict[str, object]:
    """What a reference page shows."""
    return {
        "name": record.name,
        "group": record.group,
        "doc": record.doc,
        "forms": [
            {
                "syntax": form.pattern,
                "operands": [(o.name, str(o.type), o.doc) for o in form.operands],
                "results": [(o.name, str(o.type), o.doc) for o in form.results],
                "attrs": [(a.name, a.values, a.default, a.doc, a.low, a.high) for a in form.attrs],
                "groups": [
                    (g.keyword, [str(o.type) for o in g.operands], g.arity) for g in form.groups
                ],
            }
            for form in record.forms
        ],
        "types": {
            variable: {
                f"{target} {revision}": [str(d) for d in types.legal(TARGETS[target], revision)]
                for target in record.targets
                for revision in REVISIONS
            }
            for variable, types in record.types.items()
        },
        "cost": {"a5": dict(record.cost.a5), "a2a3": dict(record.cost.a2a3)},
        "evidence": [(e.cell, e.source, e.note) for e in record.evidence],
        "formula": record.formula,
        "cpp": record.cpp,
    }


@pytest.mark.parametrize("record", INSTRUCTIONS.values(), ids=lambda r: r.name)
def test_page(record: Record) -> None:
    """Everything a page needs can be had as plain data."""
    assert json.loads(json.dumps(_page(record)))["name"] == record.name


# The manual's latency table and cycle constants.
_SUMS = ("vadd", "vsub", "vmax", "vmin")
_BITS = ("vand", "vor", "vxor", "vshl", "vshr")
A5 = {
    **{n: {"f32": 7, "f16": 7, "i32": 7, "i16": 7, "i8": 7} for n in _SUMS},
    "vmul": {"f32": 8, "f16": 8, "i32": 8, "i16": 8},
    "vdiv": {"f32": 17, "f16": 22},
    **{n: {"i32": 7, "i16": 7, "i8": 7} for n in _BITS},
    "vaddc": {"i32": 7},
    "vsubc": {"i32": 7},
    "vexp": {"f32": 16, "f16": 21},
    "vabs": {"f32": 5, "f16": 5},
    "vrelu": {"f32": 5, "f16": 5},
    "vneg": {"f32": 8, "f16": 8},
    "vln": {"f32": 18, "f16": 23},
    "vsqrt": {"f32": 17, "f16": 22},
}


@pytest.mark.parametrize("name", A5)
def test_published_latency(name: str) -> None:
    published = TABLE[f"pto.{name}"].cost.a5
    assert A5[name].items() <= published.items()


@pytest.mark.parametrize("name", ["vadd", "vsub", "vmul", "vmax", "vmin", "vdiv"])
def test_published_a2a3_constants(name: str) -> None:
    cost = TABLE[f"pto.{name}"].cost.a2a3
    assert cost["startup"] == 14
    assert cost["interval"] == 18
    assert cost["per_repeat"] == 2


def test_published_a2a3_completion_of_roots_and_copies() -> None:
    root, copy = TABLE["pto.vsqrt"].cost.a2a3, TABLE["pto.vmov"].cost.a2a3
    assert (root["completion_f32"], root["completion_f16"]) == (26, 29)
    assert copy["interval"] == 13


@pytest.mark.parametrize("name", ["vand", "vor", "vxor", "vshl", "vshr", "vaddc", "vsubc"])
def test_published_a2a3_repeat_of_simple_ones(name: str) -> None:
    assert TABLE[f"pto.{name}"].cost.a2a3["per_repeat"] == 1


def test_unreliable_zeros_are_documented() -> None:
    """The page of an instruction says so where the manual forbids to rely on its zeros; the
    vector-scalar document makes them a rule."""
    shown = {r.name for r in TABLE.values() if ZEROING in r.evidence and r.group != VECTOR_SCALAR}
    assert {r.name for r in TABLE.values() if r.unreliable_zeros} == shown
