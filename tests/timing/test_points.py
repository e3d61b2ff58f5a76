"""The profiling points, and a log of single cycles."""

from __future__ import annotations

import pytest
from bench import dispatch, points


@pytest.fixture(scope="module")
def found() -> list[points.Point]:
    return points.points()


def test_all_points_are_there(found: list[points.Point]) -> None:
    assert len(found) == 183
    assert len({p.body for p in found}) == 9


def test_the_model_is_near_the_points(found: list[points.Point]) -> None:
    errors = [abs(p.error) for p in found]
    assert sum(errors) / len(errors) <= 0.0125
    for family, (mean, worst) in points.errors(found).items():
        assert mean <= 0.05, family
        assert worst <= 0.11, family
    for p in found:
        if p.body in ("vlds vlds vadd vsts", "vlds vexp vsts", "vlds vmins vsts"):
            assert abs(p.error) <= 0.04, p


def test_the_model_is_near_the_log() -> None:
    """Instruction by instruction: dispatch and start of a whole vecscope."""
    found, whole = dispatch.moments()
    assert len(found) == 229
    near = [abs(m.modelled_dispatch - m.dispatch) <= 2 for m in found]
    assert sum(near) >= 0.95 * len(near)
    near = [abs(m.modelled_start - m.start) <= 2 for m in found]
    assert sum(near) >= 0.95 * len(near)
    ports = [(m.modelled_port, m.port) for m in found if m.port >= 0]
    assert len(ports) == 102
    assert all(modelled == port for modelled, port in ports)
    assert whole == pytest.approx(dispatch.WHOLE, rel=0.02)
