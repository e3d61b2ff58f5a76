"""Costs say their source: what the documents call a figure, and that no document gives it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptoscope.isa import INSTRUCTIONS
from ptoscope.isa.record import Record
from ptoscope.timing import MODELS
from tests.timing.kernels import MASK, REG, lds, scope, sts, unary

from .conftest import Cli

EXAMPLES = Path(__file__).parents[2] / "examples"
ADD = (EXAMPLES / "vector_add.pto", "zeros:256", "zeros:256", "zeros:256", 256)
MODELLED = [(target, model) for target, models in MODELS.items() for model in models]


def _cost(cli: Cli, name: str) -> str:
    return cli("isa", name).out.partition("\ncost\n")[2].partition("\n\n")[0]


def test_the_documents_names_are_shown(cli: Cli):
    """The names of the binary and the load/store document, with the figures they stand for."""
    text = _cost(cli, "vadd")
    assert "f32 7, f16 7, i32 7, i16 7, i8 7 cycles (manual, RV_VADD)" in text
    for name in (
        "startup 14 (A2A3_STARTUP_BINARY)",
        "per repeat 2 (A2A3_RPT_2)",
        "interval 18 (A2A3_INTERVAL)",
        "completion f32 19 (A2A3_COMPL_FP_BINOP)",
        "completion int 17 (A2A3_COMPL_INT_BINOP)",
    ):
        assert name in text
    assert "*" not in text
    assert "128 bytes a cycle (manual, A2A3_BW_GM_VEC)" in _cost(cli, "mte_gm_ub")
    assert "256 bytes a cycle (manual, A2A3_BW_GM_MAT)" in _cost(cli, "mte_gm_l1")
    assert "256 bytes a cycle (manual, A2A3_BW_MAT_LEFT)" in _cost(cli, "mte_l1_l0a")
    assert "128 bytes a cycle (manual, A2A3_BW_MAT_RIGHT)" in _cost(cli, "mte_l1_l0b")
    assert "interval 13 (A2A3_INTERVAL_VCOPY)" in _cost(cli, "vmov")
    assert "RV_VADDC" in _cost(cli, "vaddc")


def test_what_no_document_gives_is_marked(cli: Cli):
    """vmul: the table has a completion for integers only. UB to GM is in no table. The table has
    1 a repeat for scalars."""
    text = _cost(cli, "vmul")
    assert "completion f32 20*, completion int 18 (A2A3_COMPL_INT_MUL)" in text
    assert "* assumed: no document gives it" in text
    assert "A2/A3: 128* bytes a cycle (assumed" in _cost(cli, "mte_ub_gm")
    text = _cost(cli, "vadds")
    assert "per repeat 1 (A2A3_RPT_1)" in text
    assert "completion f32 19*" in text


@pytest.mark.parametrize(
    ("op", "figure", "source"),
    [
        ("vmul", "completion", "assumed"),
        ("vmul", "per_repeat", "manual"),
        ("vadd", "completion", "manual"),
        ("vadd", "startup", "manual"),
    ],
)
def test_time_knows_the_same_sources(cli: Cli, write, op: str, figure: str, source: str):
    body = f"%r = pto.{op} %a, %a, %all : {REG}, {REG}, {MASK} -> {REG}"
    write("k.pto", scope(lds("a"), body, sts("r")))
    command = ("time", "k.pto", "--target", "a2a3", "--model", "manual")
    found = {f["set"]: f for f in cli(*command, "--json").json["figures"]}
    assert found[f"{op}.{figure}"]["source"] == source
    assumed = cli(*command).out.split("rests on assumed figures: ")[1]
    assert (f"{op}.{figure} " in assumed) == (source == "assumed")


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("op", ["vcmax", "vcadd", "vabs", "vrsqrt", "vrec"])
def test_isa_and_time_agree_on_what_there_is(cli: Cli, write, op: str, target: str):
    """A figure that `time` takes from a table is on the page of `isa`, marked in both or not."""
    write("k.pto", scope(lds("x"), unary(op, "y", "x"), sts("y")))
    shown = _cost(cli, op)
    figures = cli("time", "k.pto", "--target", target, "--json").json["figures"]
    mine = [f for f in figures if f["name"] in (op, f"{op}.f32")]
    assert mine
    for figure in mine:
        mark = r"\*" if figure["source"] == "assumed" else r"(?![\d*])"
        word = "f32" if figure["figure"] == "latency" else figure["figure"].replace("_", " ")
        there = re.search(rf"\b{word} {figure['value']:g}{mark}", shown)
        stands_in = re.search(r"as \w+\*", shown) and figure["note"].rpartition("as ")[2]
        assert there or stands_in, (figure, shown)


@pytest.mark.parametrize("record", INSTRUCTIONS.values(), ids=lambda r: r.short)
def test_a_latency_of_the_manual_has_the_manuals_name(record: Record):
    cost = record.cost
    assert bool(cost.rv) == bool(cost.a5)
    assert set(cost.names) <= set(cost.a2a3)
    for key in cost.a2a3:
        assert cost.constant(key).assumed == (key not in cost.names)


@pytest.mark.parametrize(("target", "model"), MODELLED)
def test_names_that_time_prints_are_names_that_set_takes(cli: Cli, target: str, model: str):
    command = ("time", *ADD, "--target", target, "--model", model)
    page = cli(*command).out
    lines = [line for line in page.splitlines() if "figures" in line]
    names = dict(re.findall(r"([a-z_]\S+\.\w+) (\d[\d.]*)", " ".join(lines)))
    assert "scalar.issue" in names
    assert any(name.startswith("dma.") for name in names)
    for name, value in names.items():
        given = cli(*command, "--set", f"{name}={value}", "--json")
        assert given.code == 0, given.out
        (figure,) = (f for f in given.json["figures"] if f["set"] == name)
        assert figure["source"] == "given"


def test_a_loop_is_not_faster_than_its_bound(cli: Cli):
    """Two loads and a store of 2 or 1 a cycle: 1.5 cycles, also where four iterations end before
    the first store."""
    for target, model in MODELLED:
        found = cli("time", *ADD, "--target", target, "--model", model, "--json").json["loops"]
        assert found
        assert all(loop["cycles_per_iteration"] >= loop["bound"] for loop in found)
    (inner,) = (x for x in cli("time", *ADD, "--json").json["loops"] if x["iterations"] == 4)
    assert inner["bound"] == 1.5
