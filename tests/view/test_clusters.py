"""The page of a cluster: its cores, its memories, its tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.timing.slices import slices
from tests.view import cluster
from tests.view.test_page import columns_of, data_of


@pytest.fixture(scope="module")
def page() -> tuple[dict[str, Any], dict[str, Any]]:
    """Its data and its columns."""
    (data,) = data_of(cluster.kernel().view(*cluster.operands()))
    return data, columns_of(data)


def test_cores_and_memories(page: tuple[dict[str, Any], dict[str, Any]]) -> None:
    data, _ = page
    assert data["cores"] == ["cube", "vector 0", "vector 1"]
    names = [space["name"] for space in data["run"]["spaces"]]
    assert {"l1", "l0a", "l0b", "l0c", "bt", "fb", "ub", "ub1"} <= set(names)
    numbers = {space["name"]: space["number"] for space in data["run"]["spaces"]}
    assert data["ubs"] == [numbers["ub"], numbers["ub"], numbers["ub1"]]


def test_values_belong_to_cores(page: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Which of the vector cores it is, each of them knows."""
    data, columns = page
    slot = data["slots"]["names"].index("%me")
    notes = np.flatnonzero(columns["value_slot"] == slot)
    at = columns["value_at"][notes]
    found = {
        data["cores"][core]: int(columns["value_bytes"][a : a + 8].view(np.int64)[0])
        for core, a in zip(columns["value_core"][notes], at, strict=True)
    }
    assert found == {"vector 0": 0, "vector 1": 1}


def test_every_moment_has_its_core(page: tuple[dict[str, Any], dict[str, Any]]) -> None:
    data, columns = page
    cores = columns["event_core"][columns["executed"]]
    lines = np.array([place["line"] for place in data["places"]])
    line = lines[columns["event_place"][columns["executed"]]]
    first = cluster.line_of("pto.section.cube")
    last = cluster.line_of("pto.section.vector")
    assert set(cores[(line > first) & (line < last)].tolist()) == {0}
    assert set(cores[line == cluster.line_of("pto.mte_ub_gm")].tolist()) == {2}
    assert set(cores[line == first - 1].tolist()) == {0, 1, 2}


def test_tiles_lie_where_the_run_has_them(page: tuple[dict[str, Any], dict[str, Any]]) -> None:
    data, columns = page
    mad = cluster.line_of("pto.mad")
    lines = [place["line"] for place in data["places"]]
    tiles = {
        tile["role"]: tile
        for tile in data["run"]["tiles"]
        if lines[columns["event_place"][columns["executed"][tile["step"]]]] == mad
    }
    assert {role: (t["rows"], t["columns"], t["element"]) for role, t in tiles.items()} == {
        "left": (cluster.M, cluster.K, "f16"),
        "right": (cluster.K, cluster.N, "f16"),
        "result": (cluster.M, cluster.N, "f32"),
    }
    assert tiles["left"]["along"] == {"width": 16, "block": 32 * cluster.M, "step": 2}
    assert tiles["left"]["down"]["step"] == 32
    assert tiles["result"]["along"] == {"width": 16, "block": 64 * cluster.M, "step": 4}
    assert tiles["right"]["down"] == {"width": 16, "block": 32 * cluster.N, "step": 2}


def test_the_timeline_has_a_lane_for_each_core_and_pipe(
    page: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    data, columns = page
    timing = cluster.kernel().time(*cluster.operands())
    found = slices(timing, 1000)
    assert columns["slice_core"].tolist() == found.core.tolist()
    lanes = {(data["cores"][core], name) for _, core, _, name in data["timing"]["tracks"]}
    assert lanes == {
        *(("cube", f"PIPE_{name}") for name in ("S", "MTE1", "MTE2", "M", "FIX")),
        ("vector 0", "PIPE_S"),
        ("vector 1", "PIPE_S"),
        ("vector 1", "PIPE_MTE3"),
    }
    arrows = columns["arrows"].reshape(-1, 2)
    crossing = [(a, b) for a, b in arrows.tolist() if found.core[a] != found.core[b]]
    names = [data["places"][found.place[b]]["name"] for _, b in crossing]
    assert names == ["pto.sync.wait"]
    assert {core for *_, core in data["timing"]["path"]} == {"cube", "vector 1"}
