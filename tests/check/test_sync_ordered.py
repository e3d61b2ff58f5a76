"""Synchronisation that is right, or that nobody can judge, is left alone; what is wrong is said
with both lines and the fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_examples import targets_of

from . import clusters
from .pipes import (
    V,
    both,
    branch,
    codes,
    copy_in,
    copy_out,
    findings,
    kernel,
    load,
    loop,
    scope,
    sets,
    store,
    waits,
)

BARRIER = "pto.barrier #pto.pipe"
LAST = [both("V", "MTE3"), copy_out()]
ROOT = Path(__file__).parents[2]
MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"


def held(pipe: str, *lines: str, buffer: int = 0) -> list[str]:
    return [
        f'pto.get_buf "PIPE_{pipe}", {buffer}, 0',
        *lines,
        f'pto.rls_buf "PIPE_{pipe}", {buffer}, 0',
    ]


SILENT = {
    "a wait before its set in the text": [
        waits("MTE2", "V"),
        scope(),
        copy_in(),
        sets("MTE2", "V"),
        BARRIER,
    ],
    "a chain over a third pipe": [
        copy_in(),
        both("MTE2", "MTE3"),
        both("MTE3", "V"),
        scope(),
    ],
    "a barrier of all pipes": [copy_in(), BARRIER, scope(), BARRIER, copy_out()],
    "one branch for both ends": [
        branch("%yes", [copy_in(), sets("MTE2", "V")]),
        branch("%yes", [waits("MTE2", "V"), scope()]),
    ],
    "conditions that may exclude each other": [
        branch("%yes", [copy_in(), sets("MTE2", "V")]),
        branch("%no", [waits("MTE2", "V"), scope()]),
    ],
    "events that nobody can follow": [
        "%w = pto.load_scalar %x[%i0] : !pto.ptr<f32, gm> -> f32",
        "%e = arith.fptosi %w : f32 to i64",
        sets("MTE2", "V", "%e"),
        waits("MTE2", "V", 3),
    ],
    "buffers of one pipe, other bytes": [
        *held("MTE2", copy_in(), buffer=0),
        *held("V", scope(MADE, store("%w", "%c")), buffer=1),
    ],
    "reads of two pipes": [copy_in(), BARRIER, scope(load("%v", "%a")), copy_out("%a")],
}
UNSURE = {
    "a while loop": [
        "%last = scf.while (%k = %l0) : (i64) -> i64 {",
        "%more = arith.cmpi slt, %k, %l4 : i64",
        "scf.condition(%more) %k : i64",
        "} do {",
        "^bb0(%k: i64):",
        sets("V", "MTE2"),
        "%k1 = arith.addi %k, %l1 : i64",
        "scf.yield %k1 : i64",
        "}",
        waits("V", "MTE2"),
    ],
    "one iteration of many that signals": [
        loop(
            "%five = arith.cmpi eq, %i, %i32 : index",
            branch("%five", [sets("V", "MTE2")]),
            to="%i1024",
        ),
        waits("V", "MTE2"),
    ],
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_ordered_is_left_alone(name: str) -> None:
    assert codes(kernel(*SILENT[name])) == []


@pytest.mark.parametrize("name", UNSURE)
def test_what_cannot_be_followed_is_said(name: str) -> None:
    assert codes(kernel(*UNSURE[name])) == ["PTO0610"]


def test_a_race_names_both_lines_and_what_to_insert() -> None:
    text = kernel(copy_in(), scope(), *LAST)
    (finding,) = findings(text)
    lines = text.splitlines()
    copy = next(i for i, line in enumerate(lines, 1) if "mte_gm_ub" in line)
    begin = next(i for i, line in enumerate(lines, 1) if "vecscope" in line)
    assert lines[finding.line - 1].endswith(load())
    assert (finding.severity, f"line {copy}" in finding.message) == ("error", True)
    assert "bytes 0 to 255" in finding.message
    assert f"{sets('MTE2', 'V')} after line {copy}" in finding.hint
    assert f"{waits('MTE2', 'V')} before the vecscope of line {begin}" in finding.hint


def test_a_path_is_named() -> None:
    text = kernel(branch("%yes", [copy_in(), sets("MTE2", "V")]), waits("MTE2", "V"), scope())
    (finding,) = findings(text)
    line = next(i for i, line in enumerate(text.splitlines(), 1) if "scf.if" in line)
    assert f"where the condition of line {line} does not hold" in finding.message


@pytest.mark.parametrize(
    "path",
    sorted([*(ROOT / "examples").glob("*.pto"), *(ROOT / "src/ptoscope/demo").glob("*.pto")]),
    ids=lambda path: path.name,
)
def test_the_examples_are_clean(path: Path) -> None:
    for target in targets_of(path.stem):
        assert clusters.findings(path.read_text(), target, "manual") == []
