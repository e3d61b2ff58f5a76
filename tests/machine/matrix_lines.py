"""Lines of kernels of a cluster: what the matrix core and the vector cores copy, and how they
signal each other."""

from __future__ import annotations

from collections.abc import Sequence

_NUMBERS = (0, 1, 2, 8, 16, 32, 256, 512, 1024, 2048, 4096, 8192)


def ptr(element: str, space: str) -> str:
    return f"!pto.ptr<{element}, {space}>"


GM, UB, L1 = (ptr("f16", space) for space in ("gm", "ub", "l1"))
L0A, L0B, L0C = ptr("f16", "l0a"), ptr("f16", "l0b"), ptr("f32", "l0c")
OUT = ptr("f32", "gm")


def cluster(
    cube: Sequence[str] = (),
    vector: Sequence[str] = (),
    outside: Sequence[str] = (),
    kind: str = "",
) -> str:
    """A kernel of arrays %x, %y (f16) and %z (f32). It has constants %n0, ... (i64) and %i0, ...
    (index), the number %s of a vector core, pointers %ub, %l1, %l0a, %l0b and %l0c to where
    memories begin, and %l1b, 4096 bytes further on."""
    lines = [f"%n{n} = arith.constant {n} : i64" for n in _NUMBERS]
    lines += [f"%i{n} = arith.constant {n} : index" for n in _NUMBERS]
    for name, kind_of, at in (
        ("ub", UB, 0),
        ("l1", L1, 0),
        ("l1b", L1, 4096),
        ("l0a", L0A, 0),
        ("l0b", L0B, 0),
        ("l0c", L0C, 0),
    ):
        lines.append(f"%{name} = pto.castptr %n{at} : i64 -> {kind_of}")
    lines += ["%s = pto.get_subblock_idx", *outside]
    for name, body in (("cube", cube), ("vector", vector)):
        if body:
            lines += [f"pto.section.{name} {{", *body, "}"]
    said = f" attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}" if kind else ""
    body = "\n".join(lines)
    params = f"%x: {GM}, %y: {GM}, %z: {OUT}"
    return f"module{said} {{\nfunc.func @kernel({params}) {{\n{body}\nreturn\n}}\n}}\n"


def line_of(text: str, what: str, which: int = 0) -> int:
    """The line that has some words, counted from 1; of several the one of this number."""
    return [i for i, line in enumerate(text.split("\n"), 1) if what in line][which]


def gm_l1(to: str = "%l1", source: str = "%x", length: str = "%n512") -> str:
    """MTE2 of the matrix core: a row from GM to L1."""
    return (
        f"pto.mte_gm_l1 {source}, {to}, {length} nburst(%n1, {length}, {length})"
        f" : {GM}, {L1}, i64, i64, i64, i64"
    )


def gm_ub(source: str = "%x", length: str = "%n512") -> str:
    """MTE2 of a vector core."""
    return (
        f"pto.mte_gm_ub {source}, %ub, %n0, {length} nburst(%n1, {length}, {length})"
        f" : {GM}, {UB}, i64, i64, i64, i64, i64"
    )


def ub_gm(to: str = "%y", length: str = "%n512") -> str:
    """MTE3 of a vector core."""
    return (
        f"pto.mte_ub_gm %ub, {to}, {length} nburst(%n1, {length}, {length})"
        f" : {UB}, {GM}, i64, i64, i64, i64"
    )


def ub_l1(to: str = "%l1") -> str:
    """MTE3 of a vector core: 512 bytes of its UB to L1."""
    return f"pto.mte_ub_l1 %ub, {to}, %n16 nburst(%n1, %n0, %n0) : {UB}, {L1}, i64, i64, i64, i64"


def l1_ub(core: int = 0, source: str = "%l1") -> str:
    """MTE1 of the matrix core: 512 bytes of L1 to the UB of a vector core."""
    return (
        f"pto.copy_cbuf_to_ubuf {source}, %ub, %n{core}, %n1, %n16, %n0, %n0"
        f" : {L1}, {UB}, i64, i64, i64, i64, i64"
    )


def l1_l0a(source: str = "%l1") -> str:
    """MTE1: a fractal of 16 x 16 to L0A."""
    return f"pto.mte_l1_l0a {source}, %l0a, %n16, %n16 : {L1}, {L0A}, i64, i64"


def l1_l0b(source: str = "%l1b") -> str:
    """MTE1: the same to L0B."""
    return f"pto.mte_l1_l0b {source}, %l0b, %n16, %n16 : {L1}, {L0B}, i64, i64"


def flag(src: str, dst: str, event: int = 0) -> list[str]:
    """A flag from one pipe to another: set, and waited for."""
    operands = f'["PIPE_{src}", "PIPE_{dst}", "EVENT_ID{event}"]'
    return [f"pto.set_flag{operands}", f"pto.wait_flag{operands}"]


def signal(pipe: str, number: int) -> str:
    """A signal to another core, after what a pipe did so far."""
    return f"pto.sync.set <PIPE_{pipe}>, {number}"


def await_(pipe: str, number: int) -> str:
    """A pipe waits for one."""
    return f"pto.sync.wait <PIPE_{pipe}>, {number}"


def mad(name: str = "mad", more: str = "") -> str:
    """The matrix unit: 16 x 16 x 16."""
    words = f" {more}" if more else ""
    return (
        f"pto.{name} %l0a, %l0b, %l0c, %n16, %n16, %n16{words} : {L0A}, {L0B}, {L0C}, i64, i64, i64"
    )


def l0c_gm(more: str = "", to: str = "%z") -> str:
    """FIX: 16 x 16 results to GM, row after row."""
    words = f"{more}, " if more else ""
    return (
        f"pto.mte_l0c_gm %l0c, {to}, %n16, %n16, %n16, %n16, %n0, %n0, {words}nz2nd"
        f" : {L0C}, {OUT}, i64, i64, i64, i64, i64, i64"
    )


def loop(body: Sequence[str], times: int = 2) -> list[str]:
    """Lines that are repeated."""
    return [f"scf.for %i = %i0 to %i{times} step %i1 {{", *body, "}"]
