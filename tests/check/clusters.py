"""Kernels for clusters, in short words."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope import sources
from ptoscope.check import check
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS, Revision

NUMBERS = (0, 1, 2, 3, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 65536)


def pointer(element: str, space: str) -> str:
    return f"!pto.ptr<{element}, {space}>"


GM, UB = pointer("f32", "gm"), pointer("f32", "ub")


def cluster(
    cube: Sequence[str] = (),
    vector: Sequence[str] = (),
    outside: Sequence[str] = (),
    params: str = f"%x: {GM}, %y: {GM}, %n: index",
    kind: str = "",
) -> str:
    """A kernel with a section for each kind of core that has lines, and lines before them. It has
    constants %l0, %l1, ... (i64), %i0, ... (index), %s (the number of a vector core), and UB
    pointers %a and %b at 0 and 4096."""
    lines = [f"%l{n} = arith.constant {n} : i64" for n in NUMBERS]
    lines += [f"%i{n} = arith.constant {n} : index" for n in NUMBERS]
    lines += [f"%a = pto.castptr %l0 : i64 -> {UB}", f"%b = pto.castptr %l4096 : i64 -> {UB}"]
    lines += ["%s = pto.get_subblock_idx", *outside]
    for name, body in (("cube", cube), ("vector", vector)):
        if body:
            lines += [f"pto.section.{name} {{", *body, "}"]
    said = f" attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}" if kind else ""
    body = "\n".join(lines)
    return f"module{said} {{\nfunc.func @kernel({params}) {{\n{body}\nreturn\n}}\n}}\n"


def findings(text: str, target: str = "a5", revision: Revision = "micro") -> list[Diagnostic]:
    """What is wrong with a kernel."""
    return check(sources.parse(text, "k.pto"), TARGETS[target], revision)


def codes(text: str, target: str = "a5") -> list[str]:
    return [d.code for d in findings(text, target)]


def line_of(text: str, what: str) -> int:
    """The line that has some words, counted from 1."""
    (found,) = [i for i, line in enumerate(text.split("\n"), 1) if what in line]
    return found


def copy_in(to: str = "%a", source: str = "%x", length: str = "%l256") -> str:
    """MTE2 of a vector core fills its UB."""
    return (
        f"pto.mte_gm_ub {source}, {to}, %l0, {length} nburst(%l1, {length}, {length})"
        f" : {GM}, {UB}, i64, i64, i64, i64, i64"
    )


def copy_out(source: str = "%a", to: str = "%y", length: str = "%l256") -> str:
    """MTE3 of a vector core empties its UB."""
    return (
        f"pto.mte_ub_gm {source}, {to}, {length} nburst(%l1, {length}, {length})"
        f" : {UB}, {GM}, i64, i64, i64, i64"
    )


def flag(src: str, dst: str, event: int = 0) -> tuple[str, str]:
    """A flag from one pipe to another: set, and waited for."""
    operands = f'["PIPE_{src}", "PIPE_{dst}", "EVENT_ID{event}"]'
    return f"pto.set_flag{operands}", f"pto.wait_flag{operands}"


def signal(pipe: str, number: int | str) -> str:
    """A signal to another core."""
    return f"pto.sync.set <PIPE_{pipe}>, {number}"


def await_(pipe: str, number: int | str) -> str:
    """The wait for one."""
    return f"pto.sync.wait <PIPE_{pipe}>, {number}"
