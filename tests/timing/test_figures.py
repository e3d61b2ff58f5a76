"""Every figure has a source; what is given replaces it; nothing is silently something."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptoscope.diagnostics import UsageError
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I16, I32, UI32, DType
from ptoscope.isa.types import VReg
from ptoscope.program import Block, Function, Op
from ptoscope.timing.a5_ops import op_class
from ptoscope.timing.figures import Overrides, parse_setting
from tests.timing.kernels import binary, cycles, lds, scope, sts, timed, unary

CHAIN = scope(lds("x"), binary("vadd", "a", "x", "x"), binary("vadd", "b", "a", "a"), sts("b"))
CHAIN_CYCLES = 21 + 6 + 3 + 5 + 9 + 12


def _class(name: str, dtype: DType, **overrides: float):
    function = Function("k", (), Block(), [VReg(dtype)], ["x"])
    op = Op(f"pto.{name}", (0,), (0,))
    return op_class(function, op, Overrides(overrides))


@pytest.mark.parametrize(
    ("name", "dtype", "latency", "source"),
    [
        ("vadd", F32, 7, "cycle model"),
        ("vadd", I32, 7, "manual"),
        ("vadd", UI32, 7, "manual"),
        ("vadd", I8, 7, "manual"),
        ("vmul", I16, 8, "manual"),
        ("vdiv", F32, 17, "cycle model"),
        ("vdiv", F16, 22, "cycle model"),
        ("vmax", F32, 6, "cycle model"),
        ("vmax", I32, 7, "manual"),
        ("vand", I32, 6, "cycle model"),
        ("vxor", I32, 7, "manual"),
        ("vexp", BF16, 21, "assumed"),
        ("vsubs", F32, 7, "assumed"),
        ("vci", I32, 7, "cycle model"),
        ("vci", I16, 7, "assumed"),
        ("vgather2", F32, 28, "cycle model"),
        ("vstsx2", F32, 12, "cycle model"),
    ],
)
def test_a5_latencies(name: str, dtype: DType, latency: int, source: str) -> None:
    found = _class(name, dtype).latency
    assert (found.cycles, found.source) == (latency, source)
    assert found.note or source != "assumed"


def test_the_manuals_figure_stands_beside_the_calibrated() -> None:
    assert "the manual says 7" in _class("vmax", F32).latency.note
    assert "the manual says 7" in _class("vand", I32).latency.note


@pytest.mark.parametrize("dtype", [F32, F16, BF16, I32, UI32, I16, I8], ids=str)
def test_every_instruction_of_the_vector_core_has_figures(dtype: DType) -> None:
    for record in TABLE.values():
        if record.where != "vecscope" or "a5" not in record.targets or record.cost_kind == "free":
            continue
        found = _class(record.short, dtype)
        for figure in found.figures.values():
            assert figure.source in ("manual", "cycle model", "measured", "assumed")
        if record.short != "mem_bar":
            assert found.latency.cycles > 1, record.short


def test_a_given_latency_moves_the_chain() -> None:
    """Forwarding is then 3 cycles before the latency is over, a store 2."""
    assert cycles(CHAIN) == CHAIN_CYCLES
    given = cycles(CHAIN, overrides={"vadd.f32.latency": 20})
    assert given == 21 + 6 + 17 + 18 + 9 + 12
    assert cycles(CHAIN, overrides={"vadd.latency": 20}) == given
    assert cycles(CHAIN, overrides={"vadd.i32.latency": 20}) == CHAIN_CYCLES


def test_given_figures_are_named_as_given() -> None:
    found = timed(CHAIN, overrides={"vadd.f32.latency": 20}).as_json()["figures"]
    sources = {(f["name"], f["figure"]): f["source"] for f in found}
    assert sources["vadd.f32", "latency"] == "given"
    assert sources["core", "startup"] == "cycle model"
    assert sources["scalar", "issue"] == "assumed"


def test_a_calibration_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("op,dtype,latency,compute_to_store\nvadd,f32,20,19\n", "utf-8")
    assert cycles(CHAIN, calibration=path) == 21 + 6 + 17 + 19 + 9 + 12
    # What is set by name wins over the file.
    given = cycles(CHAIN, calibration=path, overrides={"vadd.f32.compute_to_store": 25})
    assert given == 21 + 6 + 17 + 25 + 9 + 12


@pytest.mark.parametrize(
    "text",
    [
        "op,dtype,latency,drain,issue,startup\nvadd,f32,20,,,\ncore,,,15,,\n\nscalar,,,,2,\n"
        "dma.gm_to_ub,,,,,300\n",
        "figure,value\nvadd.f32.latency,20\ncore.drain,15\nscalar.issue,2\ndma.gm_to_ub.startup,300\n",
    ],
)
def test_a_calibration_file_has_figures_of_all_kinds(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text, "utf-8")
    assert Overrides.of(None, path).values == {
        "vadd.f32.latency": 20,
        "core.drain": 15,
        "scalar.issue": 2,
        "dma.gm_to_ub.startup": 300,
    }
    assert cycles(CHAIN, calibration=path) == 21 + 6 + 17 + 18 + 9 + 15


@pytest.mark.parametrize(
    "name",
    ["vadd", "vadd.f32", "vadd.f33.latency", "vfoo.f32.latency", "vadd.f32.colour", "core.mood",
     "dma.latency", "dma.sideways.startup", "scalar.f32.issue"],
)  # fmt: skip
def test_figures_that_do_not_exist_are_errors(name: str) -> None:
    with pytest.raises(UsageError, match="there is no figure"):
        timed(CHAIN, overrides={name: 1})


@pytest.mark.parametrize("value", [-1, 1e9, float("nan")])
def test_numbers_that_cannot_be_are_errors(value: float) -> None:
    with pytest.raises(UsageError, match="it has to be from"):
        timed(CHAIN, overrides={"vadd.f32.latency": value})


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "the first line"), ("name,latency\nvadd,3\n", "'op' among them"),
     ("op,latency\nvadd,fast\n", "line 2: latency is 'fast'"),
     ("op,latency\nvfoo,3\n", "line 2: there is no figure"),
     ("op,latncy\nvadd,3\n", "no column is a figure"),
     ("figure,value\ncore.drain,-5\n", "line 2: core.drain is -5"),
     ("figure,value\ncore.drain,3,4\n", "line 2: there are only 2 columns"),
     ("figure,value\n\ncore.drain,\n", "line 3: value is ''"),
     ("figure,value\ncore.mood,3\n", "there is no figure 'core.mood'"),
     ("figure,value\n,3\n", "there is no figure ''")],
)  # fmt: skip
def test_calibration_files_that_mean_nothing_are_errors(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        timed(CHAIN, calibration=path)
    with pytest.raises(UsageError, match="cannot read"):
        timed(CHAIN, calibration=tmp_path / "none.csv")


def test_figures_that_do_nothing_are_errors() -> None:
    with pytest.raises(UsageError, match=r"a5 have no figure 'vadd.completion'"):
        timed(CHAIN, overrides={"vadd.completion": 3})
    with pytest.raises(UsageError, match=r"a2a3 have no figure 'core.startup'"):
        timed(CHAIN, target="a2a3", overrides={"core.startup": 3})


def test_cycles_are_whole_numbers() -> None:
    with pytest.raises(UsageError, match="whole number"):
        timed(CHAIN, overrides={"vadd.latency": 2.5})
    with pytest.raises(UsageError, match="from 1 to"):
        timed(CHAIN, overrides={"core.width": 0})


@pytest.mark.parametrize(
    "overrides",
    [{"vadd.latency": 0}, {"core.release": 0}, {"core.queue": 0}, {"core.registers": 0},
     {"core.startup": 0, "core.drain": 0}, {"scalar.issue": 0}, {"vlds.hold": 0},
     {"vadd.latency": 4000}],
    ids=str,
)  # fmt: skip
def test_the_ends_of_what_may_be_given(overrides: dict[str, float]) -> None:
    """The model stays whole: every cycle accounted for, and none lost to a release too late."""
    timing = timed(CHAIN, overrides=overrides)
    lines = {line.text.split(" ")[0]: line.cycles for line in timing.table()}
    scopes = timing.as_json()["vecscopes"][0]["cycles"]
    assert sum(lines.values()) == scopes
    assert scopes <= CHAIN_CYCLES + 40 + 3 * overrides.get("vadd.latency", 0)


def test_settings_as_text() -> None:
    assert parse_setting("vadd.f32.latency=9") == ("vadd.f32.latency", 9.0)
    for text in ("vadd.f32.latency=", "vadd.f32.latency", "vadd.f32.latency=x"):
        with pytest.raises(UsageError, match="NAME=NUMBER"):
            parse_setting(text)


def test_the_manuals_model_of_a5() -> None:
    """One instruction a cycle in order, dependent ones at the latency: the mask in cycle 0, the
    load in 1, vadd at 10 and 17, the store at 24; loads and stores take 9."""
    assert cycles(CHAIN, model="manual") == 1 + 9 + 7 + 7 + 9
    independent = scope(lds("x"), *(unary("vabs", f"v{i}", "x") for i in range(5)))
    assert cycles(independent, model="manual") == 1 + 9 + 4 + 5


def test_the_share_of_assumed_figures() -> None:
    """All figures inside this vecscope are published; issue by the scalar unit and the launch
    are left."""
    timing = timed(CHAIN)
    found = timing.as_json()
    around = timing.total_cycles - CHAIN_CYCLES
    assert found["assumed_share"] * timing.total_cycles == pytest.approx(around, abs=1.01)
    assert {"scalar", "sync"} == {row["name"] for row in found["assumed"]}
