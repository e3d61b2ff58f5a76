"""Kernels for the rules about addresses and synchronisation, in short words."""

from __future__ import annotations

from ptoscope import ir
from ptoscope.check.addresses import RULES as ADDRESSES
from ptoscope.check.contents import RULES as CONTENTS
from ptoscope.check.rule import Context
from ptoscope.check.synchronisation.rules import RULES as SYNCHRONISATION
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS, Revision
from ptoscope.program import Program

V, M, P, G = "!pto.vreg<64xf32>", "!pto.mask<b32>", "!pto.ptr<f32, ub>", "!pto.ptr<f32, gm>"
NUMBERS = (0, 1, 2, 4, 32, 64, 128, 255, 256, 512, 1024, 4096)


def kernel(*lines: str, params: str = "%n: index, %yes: i1, %no: i1") -> str:
    """A kernel with GM pointers %x and %y, constants %i0, %i1, ... (index) and %l0, ... (i64),
    UB pointers %a, %b, %c and %d at 0, 4096, 8192 and 12288."""
    numbers = [f"%i{n} = arith.constant {n} : index" for n in NUMBERS]
    numbers += [f"%l{n} = arith.constant {n} : i64" for n in (*NUMBERS, 8192, 12288)]
    pointers = [
        f"%{name} = pto.castptr %l{at} : i64 -> {P}"
        for name, at in (("a", 0), ("b", 4096), ("c", 8192), ("d", 12288))
    ]
    body = "\n".join([*numbers, *pointers, *lines])
    return f"func.func @kernel(%x: {G}, %y: {G}, {params}) {{\n{body}\nreturn\n}}\n"


def program(text: str) -> Program:
    return ir.parse(text).program


def findings(text: str, target: str = "a5", revision: Revision = "manual") -> list[Diagnostic]:
    """What the rules about addresses and synchronisation find."""
    read = program(text)
    return [
        diagnostic
        for function in read.functions
        for rule in (*ADDRESSES, *CONTENTS, *SYNCHRONISATION)
        for diagnostic in rule.diagnostics(Context(read, function, TARGETS[target], revision))
    ]


def codes(text: str, target: str = "a5", revision: Revision = "manual") -> list[str]:
    return sorted({d.code for d in findings(text, target, revision)})


def copy_in(to: str = "%a", length: str = "%l256", rows: str = "%l1", step: str = "") -> str:
    """MTE2 fills UB."""
    return (
        f"pto.mte_gm_ub %x, {to}, %l0, {length} nburst({rows}, {length}, {step or length})"
        f" : {G}, {P}, i64, i64, i64, i64, i64"
    )


def copy_out(source: str = "%b", length: str = "%l256", to: str = "%y") -> str:
    """MTE3 empties UB."""
    return (
        f"pto.mte_ub_gm {source}, {to}, {length} nburst(%l1, {length}, {length})"
        f" : {P}, {G}, i64, i64, i64, i64"
    )


def flag(name: str, src: str, dst: str, event: object = 0) -> str:
    shown = event if isinstance(event, str) else f'"EVENT_ID{event}"'
    return f'pto.{name}["PIPE_{src}", "PIPE_{dst}", {shown}]'


def sets(src: str, dst: str, event: object = 0) -> str:
    return flag("set_flag", src, dst, event)


def waits(src: str, dst: str, event: object = 0) -> str:
    return flag("wait_flag", src, dst, event)


def both(src: str, dst: str, event: object = 0) -> str:
    return f"{sets(src, dst, event)}\n{waits(src, dst, event)}"


def load(result: str = "%v", at: str = "%a", offset: str = "%i0") -> str:
    return f"{result} = pto.vlds {at}[{offset}] : {P} -> {V}"


def store(value: str = "%v", at: str = "%b", offset: str = "%i0", mask: str = "%m") -> str:
    return f"pto.vsts {value}, {at}[{offset}], {mask} : {V}, {P}, {M}"


def scope(*lines: str) -> str:
    """Vector code with a full mask %m; without lines, a register from %a to %b."""
    body = "\n".join(lines or (load(), store()))
    return f'pto.vecscope {{\n%m = pto.pset_b32 "PAT_ALL" : {M}\n{body}\n}}'


def loop(*lines: str, to: str = "%n", step: str = "%i1", index: str = "%i") -> str:
    body = "\n".join(lines)
    return f"scf.for {index} = %i0 to {to} step {step} {{\n{body}\n}}"


def branch(condition: str, yes: list[str], no: list[str] | None = None) -> str:
    other = "" if no is None else " else {\n" + "\n".join(no) + "\n}"
    return f"scf.if {condition} {{\n" + "\n".join(yes) + "\n}" + other
