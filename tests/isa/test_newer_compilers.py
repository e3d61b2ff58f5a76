"""What newer compilers take and older pages do not, and the other way round: as the newest pages
say, where they say it."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, ir
from ptoscope.kernel import prepare
from tests.check.test_refusals import cube, mad
from tests.isa.test_newer import engines

TARGETS = ("cpu", "a2a3", "a5")


def codes(text: str, target: str = "a5", revision: str = "micro") -> set[str]:
    return {d.code for d in prepare(text, "k.pto", target, revision).findings}


def outside(lines: str) -> str:
    return (
        f"func.func @k(%g: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{\n{lines}\nreturn\n}}\n"
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("number", range(8, 16))
def test_there_are_eight_events(target: str, number: int) -> None:
    """EVENT_ID0 to EVENT_ID7, though some have 16 where the target has them."""
    pair = '["PIPE_MTE2", "PIPE_V", "EVENT_ID{}"]'
    for revision in ("manual", "micro"):
        for event, expected in ((number, True), (number - 8, False)):
            flag = pair.format(event)
            text = outside(f"pto.set_flag{flag}\npto.wait_flag{flag}")
            assert ("PTO0103" in codes(text, target, revision)) == expected


@pytest.mark.parametrize("name", ["set_cross_block", "wait_cross_block"])
def test_signals_between_blocks_are_not_modelled(name: str) -> None:
    with pytest.raises(PtoError, match="signals between the blocks of a launch") as caught:
        ptoscope.load(outside(f"pto.{name} <PIPE_MTE3>, 0"), "a5")
    assert [d.code for d in caught.value.diagnostics] == ["PTO0002"]


@pytest.mark.parametrize(
    ("written", "kind", "lanes"),
    [
        ("!pto.hif8", "hif8", 256),
        ("!pto.f4E1M2x2", "f4e1m2", 256),
        ("!pto.f4E2M1x2", "f4e2m1", 256),
    ],
)
def test_narrow_floats_of_the_dialect(written: str, kind: str, lanes: int) -> None:
    """Its types stand inside others; what is printed has the short names."""
    text = outside(
        f"%z = arith.constant 0 : i64\n%c0 = arith.constant 0 : index\n"
        f"%u = pto.castptr %z : i64 -> !pto.ptr<{written}, ub>\npto.vecscope {{\n"
        f"%v = pto.vlds %u[%c0] : !pto.ptr<{written}, ub> -> !pto.vreg<{lanes}x{written}>\n}}"
    )
    printed = ir.print_module(ir.parse(text))
    assert f"!pto.ptr<{kind}, ub> -> !pto.vreg<{lanes}x{kind}>" in printed
    assert "!pto.hif8" not in printed
    assert codes(text) == codes(printed)


@engines
@pytest.mark.parametrize("target", TARGETS)
def test_burst_lengths_have_16_bits(engine: str, target: str) -> None:
    """The page's table has 16 bits, also of A5."""
    line = (
        "pto.mte_gm_ub %g, %u, %z, {0} nburst(%one, %step, %step)"
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"
    )
    head = "\n".join(
        f"%{n} = arith.constant {v} : i64"
        for n, v in {"z": 0, "one": 1, "step": 65536, "most": 65535, "more": 65536}.items()
    )
    head += "\n%u = pto.castptr %z : i64 -> !pto.ptr<f32, ub>"
    for number, expected in (("%most", False), ("%more", True)):
        text = outside(f"{head}\n{line.format(number)}")
        assert ("PTO0503" in codes(text, target)) == expected
    text = outside(f"{head}\n{line.format('%n')}").replace("gm>) attr", "gm>, %n: i64) attr")
    with pytest.raises(PtoError, match="PTO0907"):
        ptoscope.load(text, target)(np.zeros(32768, np.float32), 65536, engine=engine)


MOVE = (
    "pto.mte_l0c_{space} %l0c, %{to}, %c16, {n}, %c16, %c32{core}{clauses} : "
    "!pto.ptr<f32, l0c>, !pto.ptr<f32, {kind}>, i64, i64, i64, i64{types}"
)


def move(space: str, clauses: str, types: str = "", n: str = "%c32", core: str = "") -> str:
    to, kind = {"l1": ("f1", "l1"), "ub": ("ub", "ub")}[space]
    text = MOVE.format(space=space, to=to, n=n, core=core, clauses=clauses, kind=kind, types=types)
    given = "%f1 = pto.castptr %z : i64 -> !pto.ptr<f32, l1>"
    return cube(f"{mad()}\n{text}", given)


def faulty(text: str) -> bool:
    return bool(codes(text) & {"PTO0108", "PTO0513"})


@pytest.mark.parametrize("flag", ["check_only", "check_and_clear"])
def test_unit_flags_of_moves_to_l1(flag: str) -> None:
    """unit_flag must be omitted where loop0_src_stride is not 1; the syntax has it otherwise."""
    for clauses, types, expected in (
        (f", unit_flag({flag}), nz2nd", "", False),
        (f", unit_flag({flag}), nz2dn(%c1)", ", i64", False),
        (f", unit_flag({flag}), nz2dn(%c16)", ", i64", True),
        (", nz2dn(%c16)", ", i64", False),
    ):
        assert faulty(move("l1", clauses, types)) == expected


@pytest.mark.parametrize(
    ("mode", "clauses", "types", "n", "expected"),
    [
        ("split_m", ", nz2nd", "", "%c32", False),
        ("split_n", "", "", "%c64", False),
        ("split_n", ", unit_flag(check_only), nz2nd", "", "%c32", False),
        ("split_n", ", nz2nd", "", "%c16", True),
        ("split_m", ", nz2dn(%c1)", ", i64", "%c32", True),
        ("split_m", ", nz2nz", "", "%c32", True),
        ("split_m", ", pre_relu(mode = normal_relu), nz2nd", "", "%c32", True),
        ("split_m", ", nz2nd, loop3(%c1, %c1, %c1)", ", i64, i64, i64", "%c32", True),
    ],
)
def test_two_destinations(mode: str, clauses: str, types: str, n: str, expected: bool) -> None:
    """Normal or nz2nd writeback, without transforms; n in halves of whole blocks."""
    text = move("ub", clauses, types, n, f", dst_mode({mode})")
    assert faulty(text) == expected
