"""`isa` and `demo`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import PtoError, demo, load
from ptoscope.cli.isa import meant
from ptoscope.ir.language import language
from ptoscope.isa import INSTRUCTIONS, TABLE

from .conftest import Cli

MISTAKES = ["PTO0101", "PTO0607", "PTO0601", "PTO0902"]
"""What is said about each mistake of the demonstration: types, a race, a deadlock, bounds."""


def test_the_table_lists_every_instruction(cli: Cli):
    outcome = cli("isa")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    for record in INSTRUCTIONS.values():
        own = [x for x in lines if x.startswith(f"{record.group}  ")]
        (line,) = [x for x in own if x.removeprefix(record.group).split()[0] == record.short]
        assert record.doc in line
    records = cli("isa", "--json").json["instructions"]
    assert [r["name"] for r in records] == list(INSTRUCTIONS)


@pytest.mark.parametrize("name", TABLE)
def test_every_record_is_shown_in_full(cli: Cli, name: str):
    record = TABLE[name]
    text = cli("isa", name).out
    (fields,) = cli("isa", name, "--json").json["instructions"]
    assert fields["name"] == name
    for shown in (name, record.doc, record.formula, record.cpp):
        assert shown in text
        assert shown in fields.values() or not shown
    for evidence in record.evidence:
        assert f"[{evidence.source}] {evidence.note}".rstrip() in text
    assert [e["cell"] for e in fields["evidence"]] == [e.cell for e in record.evidence]
    assert fields["cost"]["a5"] == dict(record.cost.a5)
    for form, shown in zip(record.forms, fields["forms"], strict=True):
        assert [o["name"] for o in shown["operands"]] == [o.name for o in form.operands]
        assert [a["name"] for a in shown["attrs"]] == [a.name for a in form.attrs]
        assert shown["syntax"] in text
        assert "None" not in shown["syntax"]
        for operand in form.operands:
            assert f"%{operand.name}" in shown["syntax"]


@pytest.mark.parametrize("name", ["vadd", "pto.vadd"])
def test_the_dialect_may_be_left_out(cli: Cli, name: str):
    assert cli("isa", name).out.startswith("pto.vadd\n  Lane-wise sum.\n")


def test_a_pattern_lists_what_matches(cli: Cli):
    names = [r["name"] for r in cli("isa", "vc*", "--json").json["instructions"]]
    assert names == [name for name in INSTRUCTIONS if name.startswith("pto.vc")]
    assert names == [r["name"] for r in cli("isa", "pto.vc*", "--json").json["instructions"]]
    assert {c["instruction"] for c in cli("isa", "vcm*", "--chosen", "--json").json["chosen"]} <= {
        "pto.vcmp",
        "pto.vcmps",
        "pto.vcmax",
        "pto.vcmin",
    }


def test_modes_are_explained(cli: Cli):
    """The documents' own maps: dst[i] = UB[...]."""
    text = cli("isa", "vlds").out.partition("\nmodes\n")[2].partition("\n\n")[0]
    assert "US_B8 US_B16: each element twice; lanes 0 to 7: 0 0 1 1 2 2 3 3" in text
    for mode in TABLE["pto.vlds"].forms[0].attrs[0].values:
        assert mode in text.split() or f"{mode}:" in text.split()
    text = cli("isa", "vldsx2").out
    assert "DINTLV_B32, %high: the odd 32-bit elements; lanes 0 to 7: 1 3 5 7 9 11 13 15" in text
    assert "\nmodes\n" not in cli("isa", "vadd").out


def test_syntax_lines(cli: Cli):
    def syntax(name: str) -> list[str]:
        (record,) = cli("isa", name, "--json").json["instructions"]
        return [form["syntax"] for form in record["forms"]]

    vreg, mask = "!pto.vreg<NxT>", "!pto.mask<G>"
    assert syntax("vadd") == [
        f"%result = pto.vadd %lhs, %rhs, %mask : {vreg}, {vreg}, {mask} -> {vreg}"
    ]
    assert syntax("get_buf")[0] == 'pto.get_buf "pipe", id, mode'
    assert syntax("set_flag")[1] == 'pto.set_flag ["src", "dst", %event]'
    assert syntax("barrier") == ["pto.barrier #pto.pipe<pipe>"]
    assert syntax("vecscope") == ["pto.vecscope { ... }"]
    assert syntax("get_block_idx") == ["%result = pto.get_block_idx"]
    assert "loop(%loop_count, %loop_src_stride, %loop_dst_stride)*" in syntax("mte_gm_ub")[0]


def test_target_and_revision_restrict_the_types(cli: Cli):
    (record,) = cli("isa", "vmul", "--json").json["instructions"]
    assert set(record["types"]["T"]) == {"cpu", "a2a3", "a5"}
    assert set(record["types"]["T"]["a5"]) == {"manual", "micro"}
    assert "i8" not in record["types"]["T"]["a5"]["manual"]
    assert "i8" in record["types"]["T"]["cpu"]["manual"]
    (record,) = cli("isa", "vor", "--target", "a5", "--revision=micro", "--json").json[
        "instructions"
    ]
    assert set(record["types"]["T"]) == {"a5"}
    assert set(record["types"]["T"]["a5"]) == {"micro"}
    assert "f32" in record["types"]["T"]["a5"]["micro"]
    rows = {line.split()[1]: line for line in cli("isa", "--target", "a5").out.splitlines()}
    assert "int8" not in rows["vmul"]
    assert "f8e4m3" in rows["vlds"]
    rows = {line.split()[1]: line for line in cli("isa", "--target", "cpu").out.splitlines()}
    assert "int8" in rows["vmul"]
    assert "f8e4m3" not in rows["vlds"]


def test_the_demonstration(cli: Cli):
    outcome = cli("demo")
    assert (outcome.code, outcome.err) == (0, "")
    for code in MISTAKES:
        assert f"error[{code}]" in outcome.out
    assert "^^^" in outcome.out
    assert "pto.vcmax %m, %all" in outcome.out
    assert "Finds the highest active lane" in outcome.out
    record = cli("demo", "--json").json
    assert record["max_relative_error"] < 1e-6
    assert _said(record) == MISTAKES


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("revision", ["manual", "micro"])
def test_the_demonstration_on_every_target(cli: Cli, target: str, revision: str):
    record = cli("demo", "--target", target, "--revision", revision, "--json").json
    assert record["ok"]
    assert _said(record) == MISTAKES


def _said(record: Any) -> list[str]:
    """The code of what is shown about each mistake."""
    return [broken["diagnostics"][0]["code"] for broken in record["broken"]]


def test_the_deadlock_is_one():
    """What the check says of it before the run, a run says too."""
    (mistake,) = [m for m in demo.MISTAKES if "deadlock" in m.title]
    text = demo.PATH.read_text(encoding="utf-8").replace(mistake.old, mistake.new)
    x = np.zeros((16, 128), np.float32)
    with pytest.raises(PtoError) as error:
        load(text, force=True)(x, np.zeros_like(x), 16)
    assert [d.code for d in error.value.diagnostics] == ["PTO0904"]


@pytest.mark.parametrize("mistake", demo.MISTAKES, ids=lambda m: m.title)
def test_mistakes_are_made(mistake: demo.Mistake):
    assert mistake.old in demo.PATH.read_text(encoding="utf-8")


@pytest.mark.parametrize(("rows", "grid"), [(0, 1), (1, 1), (16, 3), (17, 1), (47, 2), (100, 5)])
def test_the_bundled_kernel_writes_its_rows_and_no_others(rows: int, grid: int):
    x = np.random.default_rng(rows).uniform(-3, 3, (rows + 2, 128)).astype(np.float32)
    y = np.full_like(x, 7)
    load(demo.PATH)(x, y, rows, grid=grid)
    exponentials = np.exp(x[:rows].astype(np.float64))
    expected = exponentials / exponentials.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(y[:rows], expected, rtol=1e-6)
    assert np.all(y[rows:] == 7)


@pytest.mark.parametrize(
    ("name", "read_as"),
    [
        ("addi", ["arith.addi"]),
        ("arith.addi", ["arith.addi"]),
        ("pto.addi", ["arith.addi"]),
        ("load", ["pto.load_scalar"]),
        ("pto.store", ["pto.store_scalar"]),
        ("divi", ["arith.divsi", "arith.divui"]),
        ("vadd", ["pto.vadd"]),
        ("cmp?", ["arith.cmpi", "arith.cmpf"]),
    ],
)
def test_isa_finds_what_check_reads(cli: Cli, name: str, read_as: list[str]):
    found = cli("isa", name, "--json").json["instructions"]
    assert [record["name"] for record in found] == read_as
    text = cli("isa", name).out
    assert "?" in name or all(f"{record}\n" in text for record in read_as)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("scf.for", "scf.for is read, but is no instruction"),
        ("if", "scf.if is read, but is no instruction"),
        ("vmi.vadd", "VMI level"),
        ("pto.tadd", "tile level"),
        ("addj", "did you mean 'addi'?"),
    ],
)
def test_isa_says_what_else_a_name_is(cli: Cli, name: str, said: str):
    outcome = cli("isa", name)
    assert outcome.code == 2
    assert said in outcome.err


def test_every_name_that_check_reads_is_found():
    for name in (*TABLE, *language().aliases):
        assert meant(name), name
        assert meant(name.partition(".")[2]), name
