"""The profiling points: fitted on two bodies, checked on the third."""

from __future__ import annotations

import pytest
from bench import points


@pytest.fixture(scope="module")
def found() -> list[points.Point]:
    return points.points()


def test_all_points_are_there(found: list[points.Point]) -> None:
    assert len(found) == 66
    assert {p.body for p in found} == {*points.FITTED, "vlds vmins vsts"}


def test_the_model_is_near_the_points(found: list[points.Point]) -> None:
    for body, (mean, worst) in points.errors(found).items():
        assert mean <= 0.02, body
        assert worst <= 0.06, body
