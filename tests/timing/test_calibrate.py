"""Figures are found again from the cycles that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from ptoscope.diagnostics import UsageError
from ptoscope.kernel import load
from ptoscope.timing import Timing, time_kernel
from ptoscope.timing.bodies import kernel_text
from ptoscope.timing.calibrate import Calibration, Point, calibrate
from ptoscope.timing.search import SearchAxis, minimise
from tests.timing.kernels import pipeline, tiles

HIDDEN = {"core.drain": 20, "dma.gm_to_ub.startup": 300, "vadd.f32.latency": 9}
SHAPES = [("vlds vlds vadd vsts", 1, 1), ("vlds vlds vadd vsts", 2, 3), ("vlds vexp vsts", 1, 1)]


@pytest.fixture(scope="module")
def runs() -> list[tuple[Timing, bool]]:
    """Runs of vecscopes alone, and of tiles that come by DMA, as the model has them."""
    alone = [time_kernel(load(kernel_text(*shape), "a5"), []) for shape in SHAPES]
    whole = [time_kernel(load(pipeline(n, 1), "a5"), [tiles(n)]) for n in (1, 3)]
    return [*((timing, True) for timing in alone), *((timing, False) for timing in whole)]


def points(runs: Sequence[tuple[Timing, bool]], figures: Mapping[str, float]) -> list[Point]:
    """What a machine of these figures would be measured to take."""
    found: list[Point] = []
    for number, (timing, scope) in enumerate(runs):
        point = Point(timing, 1, str(number), "scope" if scope else "tiles", scope)
        found.append(
            Point(timing, point.modelled(timing.again(figures)), point.name, point.family, scope)
        )
    return found


@pytest.fixture(scope="module")
def found(runs: list[tuple[Timing, bool]]) -> Calibration:
    return calibrate(points(runs, HIDDEN), fit=[*HIDDEN, "core.release"])


def test_figures_are_found_again(found: Calibration) -> None:
    assert found.values == HIDDEN
    assert found.before.worst > 0.2
    assert (found.after.mean, found.after.worst) == (0, 0)
    assert [p.after for p in found.points] == [p.measured for p in found.points]


def test_a_rate_is_found_again(runs: list[tuple[Timing, bool]]) -> None:
    hidden = {"dma.gm_to_ub.bytes_per_cycle": 64}
    again = calibrate(points(runs, hidden), fit=["dma.gm_to_ub.bytes_per_cycle"])
    assert again.after.mean < 1e-4
    assert again.values["dma.gm_to_ub.bytes_per_cycle"] == pytest.approx(64, rel=0.01)


def test_a_slope_need_not_be_whole() -> None:
    """Cycles of a repeat on A2/A3 are the slope of a line: 2.11 of vadd."""
    shapes = [("vlds vlds vadd vsts", 1, n) for n in (1, 10, 40, 80)]
    mine = [(time_kernel(load(kernel_text(*s), "a2a3"), []), True) for s in shapes]
    again = calibrate(points(mine, {"vadd.per_repeat": 1.36}), fit=["vadd.*"])
    assert again.after.mean < 0.01
    assert again.values["vadd.per_repeat"] == pytest.approx(1.36, abs=0.05)


def test_which_points_rest_on_which_figures(found: Calibration) -> None:
    by_name = {figure.name: figure for figure in found.figures}
    assert by_name["core.drain"].points == 5
    assert by_name["vadd.f32.latency"].points == 2
    assert by_name["dma.gm_to_ub.startup"].points == 2
    assert "vadd.f32.latency" in found.points[0].figures
    assert "vadd.f32.latency" not in found.points[2].figures


def test_the_file_gives_the_same_cycles(
    found: Calibration, runs: list[tuple[Timing, bool]], tmp_path: Path
) -> None:
    path = tmp_path / "fitted.csv"
    path.write_text(found.file_text(), "utf-8")
    timing = time_kernel(load(pipeline(3, 1), "a5"), [tiles(3)], calibration=path)
    assert timing.total_cycles == found.points[4].measured
    assert timing.model.overrides.values == HIDDEN


def test_what_is_given_is_kept_and_begun_with(runs: list[tuple[Timing, bool]]) -> None:
    given = [(timing.again({"core.startup": 30}), scope) for timing, scope in runs]
    fitted = calibrate(points(given, {"core.startup": 30, "core.drain": 20}), fit=["core.drain"])
    assert fitted.values == {"core.startup": 30, "core.drain": 20}


def test_figures_are_free_if_nobody_knows_them(runs: list[tuple[Timing, bool]]) -> None:
    sources = {f.name: f.source for f in calibrate(points(runs, {}), rounds=1).figures}
    assert set(sources.values()) == {"assumed", "measured"}
    assert {"core.loop", "dma.gm_to_ub.startup", "scalar.issue"} <= set(sources)


def test_what_no_point_determines_is_said(runs: list[tuple[Timing, bool]]) -> None:
    measured = points(runs, HIDDEN)[:3]
    by_name = {f.name: f for f in calibrate(measured, fit=["core.*"], rounds=2).figures}
    assert by_name["core.registers"].determined is False
    assert by_name["core.registers"].after == by_name["core.registers"].before
    # What begins and what ends a vecscope is only seen together.
    assert by_name["core.drain"].alike == ("core.startup",)
    # So are start-up and rate of copies that are all of one size.
    rate, startup, *_ = calibrate(points(runs, {}), fit=["dma.gm_to_ub.*"]).figures
    assert startup.name in rate.alike
    assert rate.name in startup.alike


def test_points_that_are_left_out_show_what_was_fitted_too_well(
    runs: list[tuple[Timing, bool]],
) -> None:
    """Without its family nothing tells the latency: that point is as wrong as before."""
    measured = points(runs, {"vadd.f32.latency": 60})
    left = calibrate(measured, fit=["vadd.f32.latency"], leave_out="point")
    assert left.left_out is not None
    assert left.left_out.worst == 0
    alone = calibrate(measured[1:], fit=["vadd.f32.latency"], leave_out="point")
    assert alone.after.worst == 0
    assert alone.points[0].left_out == alone.points[0].before != alone.points[0].measured
    family = calibrate(measured, fit=["vadd.f32.latency"], leave_out="family")
    assert [p.left_out for p in family.points[:3]] == [p.before for p in family.points[:3]]


def test_points_of_python() -> None:
    kernel = load(pipeline(1, 1), "a5")
    point = Point.of(kernel, [tiles(1)], 1000)
    assert (point.name, point.cycles, point.scope) == ("k", 1000, False)


def test_wrong_calls(runs: list[tuple[Timing, bool]]) -> None:
    with pytest.raises(UsageError, match="there are no points"):
        calibrate([])
    with pytest.raises(UsageError, match=r"no point uses the figure 'core\.drian'; did you mean"):
        calibrate(points(runs, {}), fit=["core.drian"])
    other = time_kernel(load(kernel_text(*SHAPES[0]), "a5"), [], model="manual")
    with pytest.raises(UsageError, match="several targets or models"):
        calibrate([*points(runs, {}), Point(other, 5)])


def test_the_search_stays_within_its_bounds() -> None:
    """Two numbers: the first wants to be 9 and may be 5, nothing depends on the second."""
    axes = [SearchAxis(-2, 5), SearchAxis(-3, 3)]
    best = minimise(lambda at: np.array([at[0] - 9.0, (at[0] - 9.0) / 2]), axes, 10)
    assert best == (5, 0)


def test_the_search_moves_as_few_numbers_as_it_can() -> None:
    """Both could make the sum right; one is enough."""
    axes = [SearchAxis(-20, 20)] * 2
    best = minimise(lambda at: np.array([at[0] + at[1] - 7.0, at[0] + at[1] - 7.0]), axes, 10)
    assert sorted(best) == [0, 7]
