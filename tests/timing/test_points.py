"""The profiling points: fitted on two bodies, checked on the third."""

from __future__ import annotations

import pytest
from bench import dispatch, points


@pytest.fixture(scope="module")
def found() -> list[points.Point]:
    return points.points()


def test_all_points_are_there(found: list[points.Point]) -> None:
    assert len(found) == 66
    assert {p.body for p in found} == {*points.FITTED, "vlds vmins vsts"}


def test_the_model_is_near_the_points(found: list[points.Point]) -> None:
    for body, (mean, worst) in points.errors(found).items():
        assert mean <= 0.01, body
        assert worst <= 0.04, body


def test_the_model_is_near_the_log() -> None:
    """Instruction by instruction: dispatch and start of a whole vecscope."""
    found, whole = dispatch.moments()
    assert len(found) == 229
    near = [abs(m.modelled_dispatch - m.dispatch) <= 2 for m in found]
    assert sum(near) >= 0.95 * len(near)
    near = [abs(m.modelled_start - m.start) <= 2 for m in found]
    assert sum(near) >= 0.95 * len(near)
    assert whole == pytest.approx(dispatch.WHOLE, rel=0.02)
