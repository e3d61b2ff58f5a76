"""Vecscopes that a text leaves out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import ir
from ptoscope.diagnostics import PtoError
from ptoscope.expansion import expanded
from ptoscope.program import Block, Op, Scope
from tests.command import Outcome

V, M, U, G = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>"
BAR = "pto.barrier #pto.pipe<PIPE_ALL>"
MASK = f'%m = pto.pset_b32 "PAT_ALL" : {M}'
LOAD = f"%v = pto.vlds %ub[%c0] : {U} -> {V}"
ADD = f"%w = pto.vadd %v, %v, %m : {V}, {V}, {M} -> {V}"
STORE = f"pto.vsts %w, %ub[%c64], %m : {V}, {U}, {M}"
VECTOR = [MASK, LOAD, ADD, STORE]


def renamed(lines: list[str], by: str) -> list[str]:
    """The same with other values."""
    out: list[str] = []
    for line in lines:
        for name in ("%m", "%v", "%w"):
            line = line.replace(f"{name} ", f"{name}{by} ").replace(f"{name},", f"{name}{by},")
        out.append(line)
    return out


def kernel(*lines: str) -> str:
    head = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%c64 = arith.constant 64 : index",
        "%l0 = arith.constant 0 : i64",
        "%n = arith.constant 16 : i32",
        f"%ub = pto.castptr %l0 : i64 -> {U}",
        "pto.barrier #pto.pipe<PIPE_V>",
    ]
    return "func.func @kernel(%yes: i1) {\n" + "\n".join([*head, *lines]) + "\nreturn\n}\n"


def shape(text: str) -> list[object]:
    """Names of what stands in the function, scopes and loops as lists, constants left out."""

    def block(body: Block) -> list[object]:
        return [one(op) for op in body.ops if not op.name.startswith(("arith.constant", "func."))]

    def one(op: Op) -> object:
        name = op.name.removeprefix("pto.")
        return [name, *(x for b in op.blocks for x in block(b))] if op.blocks else name

    (function,) = expanded(ir.parse(text).program).functions
    return block(function.body)[2:]


def test_between_what_ends_it() -> None:
    scope = ["vecscope", "pset_b32", "vlds", "vadd", "vsts"]
    found = shape(kernel(*VECTOR, BAR, *renamed(VECTOR, "2")))
    assert found == [scope, "barrier", scope]


@pytest.mark.parametrize(
    "end",
    [
        BAR,
        'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
        f"%s = pto.load_scalar %ub[%c0] : {U} -> f32",
        "scf.while : () -> () {\nscf.condition(%yes)\n} do {\nscf.yield\n}",
        f"scf.if %yes {{\n{BAR}\n}}",
        "pto.vecscope {\n}",
    ],
)
def test_what_ends_it(end: str) -> None:
    found = shape(kernel(*VECTOR, end, *renamed(VECTOR, "2")))
    assert len(found) == 3
    assert [x[0] for x in (found[0], found[2]) if isinstance(x, list)] == ["vecscope"] * 2


def test_what_it_holds() -> None:
    """A mem_bar, arithmetic that nothing else uses, loops and branches without an end."""
    body = [MASK, LOAD, 'pto.mem_bar "VST_VLD"', "%o = arith.addi %c0, %c64 : index", ADD]
    store = STORE.replace("%c64", "%o")
    loop = ["scf.for %i = %c0 to %c1 step %c1 {", store, "}"]
    found = shape(kernel(*body, *loop))
    held = ["pset_b32", "vlds", "mem_bar", "arith.addi", "vadd", ["scf.for", "vsts", "scf.yield"]]
    assert found == [["vecscope", *held]]


@pytest.mark.parametrize("around", [[], ["scf.for %i = %c0 to %c64 step %c1 {", "}"]])
def test_a_barrier_alone_gets_none(around: list[str]) -> None:
    """A mem_bar is meaningful inside a vecscope only: the manual's mem-bar.md."""
    lines = [*around[:1], 'pto.mem_bar "VST_VLD"', *around[1:], BAR, *VECTOR]
    with pytest.raises(PtoError) as caught:
        ptoscope.load(kernel(*lines))
    (found,) = [d for d in caught.value.diagnostics if d.code == "PTO0301"]
    assert "pto.mem_bar stands outside a vecscope" in found.message
    assert "flags and pto.barrier order pipes" in found.hint
    assert found.found
    assert found.expected


def test_a_scalar_that_is_used_behind_it_stays_outside() -> None:
    """The sum comes before the scope, or between two."""
    sum_ = "%o = arith.addi %c0, %c64 : index"
    behind = f"%s = pto.load_scalar %ub[%o] : {U} -> f32"
    found = shape(kernel(sum_, *VECTOR, behind))
    scope = ["vecscope", "pset_b32", "vlds", "vadd", "vsts"]
    assert found == ["arith.addi", scope, "load_scalar"]
    two = shape(kernel(*VECTOR, sum_, *renamed(VECTOR, "2"), behind))
    assert two == [scope, "arith.addi", scope, "load_scalar"]


def test_inside_loops_that_synchronise() -> None:
    found = shape(kernel("scf.for %i = %c0 to %c64 step %c1 {", *VECTOR, BAR, "}"))
    scope = ["vecscope", "pset_b32", "vlds", "vadd", "vsts"]
    assert found == [["scf.for", scope, "barrier", "scf.yield"]]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([MASK, LOAD, BAR, ADD, STORE], MASK, "used in line"),
        (
            [
                f"%m, %rest = pto.plt_b32 %n : i32 -> {M}, i32",
                BAR,
                "%k = arith.addi %rest, %n : i32",
            ],
            "pto.plt_b32",
            "no value leaves",
        ),
    ],
)
def test_why_there_can_be_none(lines: list[str], line: str, words: str) -> None:
    text = kernel(*lines)
    with pytest.raises(PtoError) as caught:
        ptoscope.load(text)
    first = caught.value.diagnostics[0]
    assert first.code == "PTO0301"
    assert line in text.split("\n")[first.span.line - 1]
    assert words in first.hint


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_it_runs_as_if_the_scope_were_written(engine: str) -> None:
    text = f"""func.func @kernel(%x: {G}) {{
  %c0 = arith.constant 0 : index
  %l0 = arith.constant 0 : i64
  %l1 = arith.constant 1 : i64
  %l256 = arith.constant 256 : i64
  %ub = pto.castptr %l0 : i64 -> {U}
  pto.mte_gm_ub %x, %ub, %l0, %l256 nburst(%l1, %l256, %l256) : {G}, {U}, i64, i64, i64, i64, i64
  pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
  {MASK}
  {LOAD}
  {ADD}
  {STORE.replace("%c64", "%c0")}
  pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.mte_ub_gm %ub, %x, %l256 nburst(%l1, %l256, %l256) : {U}, {G}, i64, i64, i64, i64
  {BAR}
  return
}}
"""
    x = np.arange(64, dtype=np.float32)
    ptoscope.load(text)(x, engine=engine)
    assert np.array_equal(x, 2 * np.arange(64))


def test_fmt_shows_them(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    helper = f"func.func private @helper(%ub: {U}, %c0: index) {{\n{MASK}\nreturn\n}}\n"
    inside = "pto.vecscope {\nfunc.call @helper(%ub, %c0) : (!pto.ptr<f32, ub>, index) -> ()\n}"
    path = tmp_path / "k.pto"
    loop = ["scf.for %i = %c0 to %c64 step %c1 {  // rows", "// One row.", *VECTOR, BAR, "}"]
    path.write_text(helper + kernel(*loop, inside))
    made = Outcome.of(("fmt", "--explicit", path), capfd)
    assert made.code == 0
    assert made.out.count("pto.vecscope {") == 2
    assert "// rows" in made.out
    assert made.out.index("// One row.") > made.out.index("pto.vecscope")
    path.write_text(made.out)
    assert Outcome.of(("fmt", "--explicit", path), capfd).out == made.out
    assert Outcome.of(("check", path), capfd).code == 0


WORDS = {
    "v": VECTOR,
    "e": [BAR],
    "s": ["%k = arith.addi %n, %n : i32"],
}


@settings(max_examples=60, deadline=None)
@given(st.text("ves", max_size=12))
def test_every_vector_instruction_gets_one(word: str) -> None:
    """As many scopes as there are stretches with vector instructions between two ends."""
    lines = [
        line.replace("%k", f"%k{i}")
        for i, letter in enumerate(word)
        for line in renamed(WORDS[letter], str(i))
    ]
    (function,) = expanded(ir.parse(kernel(*lines)).program).functions
    scopes = [op for op in function.body.ops if isinstance(op, Scope)]
    assert len(scopes) == sum("v" in part for part in word.split("e"))
    assert ptoscope.load(kernel(*lines), force=True)
