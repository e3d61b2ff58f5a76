"""What no document fixes: `isa --chosen`, and `run --chosen` for one kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ptoscope.isa import TABLE

from .conftest import Cli, store

Write = Callable[[str, str], str]

KERNEL = """module {
  func.func @k(%p: !pto.ptr<TYPE, gm>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<TYPE, ub>
    pto.vecscope {
      %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      %x = pto.vlds %ub[%c0] {dist = "DIST"} : !pto.ptr<TYPE, ub> -> !pto.vreg<64xTYPE>
      %y = pto.vadd %x, %x, %m
        : !pto.vreg<64xTYPE>, !pto.vreg<64xTYPE>, !pto.mask<b32> -> !pto.vreg<64xTYPE>
    }
    return
  }
}
"""


def cells(cli: Cli, write: Write, element: str, mode: str, *options: str) -> set[str]:
    """`instruction: cell` for everything that a kernel is said to depend on."""
    write("k.pto", KERNEL.replace("TYPE", element).replace("DIST", mode))
    found = cli("run", "k.pto", "zeros:64", "--chosen", "--json", *options).json["chosen"]
    return {f"{c['instruction']}: {c['cell']}" for c in found}


def test_all_of_them(cli: Cli) -> None:
    expected = [
        {"instruction": r.name, "cell": e.cell, "why": e.note}
        for r in TABLE.values()
        for e in r.evidence
        if e.source == "chosen"
    ]
    assert cli("isa", "--chosen", "--json").json["chosen"] == expected
    outcome = cli("isa", "--chosen")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["instruction", "cell", "why"]
    assert len(lines) == len(expected) + 2
    for line, cell in zip(lines[1:], expected, strict=False):
        assert all(part in line for part in cell.values())
    assert lines[-1].startswith(f"{len(expected)} cells chosen")


def test_of_one_instruction_and_of_one_target(cli: Cli) -> None:
    names = {c["instruction"] for c in cli("isa", "vexp", "--chosen", "--json").json["chosen"]}
    assert names == {"pto.vexp"}
    on_cpu = cli("isa", "--chosen", "--target", "cpu", "--json").json["chosen"]
    assert "pto.vstu" not in {c["instruction"] for c in on_cpu}
    assert cli("isa", "vaddd", "--chosen").code == 2


def test_of_a_kernel(cli: Cli, write: Write) -> None:
    found = cells(cli, write, "i32", "NORM")
    assert "pto.vadd: integer overflow" in found
    assert not any(name.startswith("pto.vlds") for name in found)


def test_a_cell_about_a_mode_counts_where_the_mode_is_used(cli: Cli, write: Write) -> None:
    assert "pto.vlds: E2B" in cells(cli, write, "i32", "E2B_B32")
    assert "pto.vlds: BLK" in cells(cli, write, "i32", "BLK")
    assert "pto.vlds: E2B" not in cells(cli, write, "i32", "BLK")


def test_a_cell_about_integers_counts_where_there_are_some(cli: Cli, write: Write) -> None:
    assert "pto.vadd: integer overflow" not in cells(cli, write, "f32", "NORM")


def test_a_cell_about_a_target_counts_there(cli: Cli, write: Write) -> None:
    scatter = KERNEL.replace(
        "%y = pto.vadd %x, %x, %m\n"
        "        : !pto.vreg<64xTYPE>, !pto.vreg<64xTYPE>, !pto.mask<b32> -> !pto.vreg<64xTYPE>",
        "%n = pto.vci %z : i32 -> !pto.vreg<64xi32>\n"
        "      pto.vscatter %x, %ub, %n, %m"
        " : !pto.vreg<64xTYPE>, !pto.ptr<TYPE, ub>, !pto.vreg<64xi32>, !pto.mask<b32>",
    ).replace("%zero = ", "%z = arith.constant 0 : i32\n    %zero = ")
    write("s.pto", scatter.replace("TYPE", "f32").replace("DIST", "NORM"))

    def found(target: str) -> set[str]:
        answer = cli("run", "s.pto", "zeros:64", "--chosen", "--json", "--target", target).json
        return {c["cell"] for c in answer["chosen"]}

    assert "aliases on CPU" in found("cpu")
    assert "aliases on CPU" not in found("a5")


def test_the_table_follows_the_run(cli: Cli, write: Write) -> None:
    write("k.pto", KERNEL.replace("TYPE", "i32").replace("DIST", "NORM"))
    text = cli("run", "k.pto", "zeros:64", "--chosen").out
    assert text.index("arg ") < text.index("why")
    assert "pto.vadd" in text.split("why")[1]
    assert "chosen" not in cli("run", "k.pto", "zeros:64", "--json").json


def test_a_kernel_that_depends_on_nothing_chosen(cli: Cli, write: Write) -> None:
    write("k.pto", "module {\n  func.func @k(%p: !pto.ptr<i32, gm>) {\n    return\n  }\n}\n")
    outcome = cli("run", "k.pto", "zeros:4", "--chosen")
    assert "nothing it depends on was chosen" in outcome.out
    assert cli("run", "k.pto", "zeros:4", "--chosen", "--json").json["chosen"] == []


def test_a_run_that_fails_says_only_why(cli: Cli, write: Write) -> None:
    write("k.pto", store("i32"))
    np.save("x.npy", np.zeros(0, np.int32))
    outcome = cli("run", "k.pto", "x.npy", "1", "--chosen")
    assert (outcome.code, outcome.out) == (1, "")
