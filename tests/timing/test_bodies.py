"""Kernels that are made of bodies: which instructions they have, in what order and how often."""

from __future__ import annotations

from collections import Counter

import pytest

from ptoscope.isa import TABLE
from ptoscope.kernel import load
from ptoscope.timing.bodies import BodyError, kernel_text
from ptoscope.timing.scopes import is_instruction
from ptoscope.tracing import trace

BODIES = [
    ("vlds vlds vadd vsts", "f32", "vlds vlds vadd vsts"),
    ("vlds vmins vsts", "f16", "vlds vmins vsts"),
    ("vbr; vlds vdiv vsts", "f16", "vlds vdiv vsts"),
    ("vlds vlds plds vsel vsts", "i8", "vlds vlds plds vsel vsts"),
    ("vlds vcvt vsts", "bf16_to_f16", "vlds vcvt vsts"),
    ("vlds vcvt vsts", "f16_to_f32", "vlds vcvt vsts"),
    ("vlds.dintlv vcvt vcvt vor vsts", "f32_to_bf16", "vldsx2 vcvt vcvt vor vsts"),
    ("pset vci vmuls; vlds vcvt vselr mem_bar vsts", "f32_to_e4m3", "vlds vcvt vselr mem_bar vsts"),
    ("pset vci vmuls; vlds vcvt vselr mem_bar vsts", "f32_to_hif8", "vlds vcvt vselr mem_bar vsts"),
]


@pytest.mark.parametrize("addressing", ["post_update", "no_post_update"])
@pytest.mark.parametrize(("body", "dtype", "looped"), BODIES)
def test_a_body_runs_once_for_every_register(
    body: str, dtype: str, looped: str, addressing: str
) -> None:
    run = trace(load(kernel_text(body, 2, 3, dtype, addressing), "a5"), [])
    named = [TABLE[p.op.name].short if is_instruction(run, p) else "" for p in run.places]
    executed = Counter(named[place] for place in run.events.place.tolist())
    once = body.rpartition(";")[0].split()
    expected = Counter(6 * looped.split() + [word for word in once if word != "pset"])
    assert {n: k for n, k in executed.items() if n and n[:4] not in ("pset", "plt_")} == expected
    assert sum(executed[n] for n in executed if n.startswith("plt_")) == 6
    types = run.function.types
    moved = [p for p in run.places if p.record and p.record.cost_kind in ("load", "store")]
    updating = [any("ptr" in str(types[slot]) for slot in p.op.results) for p in moved]
    assert set(updating) == {addressing == "post_update"}


def test_what_an_instruction_reads() -> None:
    """The oldest registers that nobody has read, then those made ahead of the loops."""
    text = kernel_text("vbr; vlds vlds vsub vdiv vsts", 1, 1)
    run = trace(load(text, "a5"), [])
    made = {p.op.results[0]: p.op.name for p in run.places if p.op.results}
    reads = {p.op.name: [made.get(slot) for slot in p.op.operands] for p in run.places}
    assert reads["pto.vsub"][:2] == ["pto.vlds", "pto.vlds"]
    assert reads["pto.vdiv"][:2] == ["pto.vsub", "pto.vbr"]
    assert reads["pto.vsts"][0] == "pto.vdiv"


def test_of_which_type_is_what_is_made_ahead_of_the_loops() -> None:
    """That of the loads where it fits; integers where an index is read."""
    division = kernel_text("vbr; vlds vdiv vsts", 1, 1, "f16")
    assert '"pto.vbr"' in division
    assert "-> (!pto.vreg<128xf16>)" in division.split('"pto.vbr"')[1].split("\n")[0]
    selection = kernel_text("vci vmuls; vlds vcvt vselr vsts", 1, 1, "f32_to_e4m3")
    # A5 multiplies no bytes.
    assert "-> (!pto.vreg<128xi16>)" in selection.split('"pto.vci"')[1].split("\n")[0]


@pytest.mark.parametrize(
    ("body", "options", "message"),
    [
        ("vlds vaddd vsts", {}, "there is no instruction 'vaddd'; did you mean 'vadd'?"),
        ("vlds.sideways vsts", {}, "there is no instruction 'vlds.sideways'"),
        ("vlds vadd vsts", {}, "vadd reads more registers than there are"),
        ("vlds vcvt vsts", {}, "vcvt needs an element type such as f32_to_f16"),
        ("vlds vcvt vsts", {"dtype": "hif8_to_ui32"}, "vcvt does not work on hif8 on a5"),
        ("vlds vexp vsts", {"dtype": "i32"}, "vexp does not work on i32 on a5"),
        ("vlds vexp vsts", {"dtype": "f33"}, "unknown element type 'f33'"),
        ("vlds vsts", {"addressing": "sideways"}, "unknown addressing 'sideways'"),
        ("vlds vsts", {"vregs": 2000}, "2000 registers a row take 1024512 bytes of UB"),
        ("vlds vsts", {"rows": 0}, "one register of one row at least"),
        ("vbr;", {}, "the body has no instruction in its loops"),
        ("", {}, "the body has no instruction in its loops"),
    ],
)
def test_what_makes_no_kernel_says_why(body: str, options: dict, message: str) -> None:
    given = {"rows": 1, "vregs": 1, **options}
    with pytest.raises(BodyError) as error:
        kernel_text(body, **given)
    assert message in str(error.value)
