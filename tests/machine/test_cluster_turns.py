"""Which core of a cluster runs when one ends."""

from __future__ import annotations

from ptoscope.isa.parts import core_ids
from ptoscope.machine.cluster import Cluster

IDS = core_ids(("cube", "vector", "vector"))


def test_a_core_that_could_go_on_does_before_one_that_cannot() -> None:
    """Of two that wait when the third ends: what the first waits for, the second gives later."""
    cluster = Cluster(IDS)
    answers: dict[int, bool] = {}

    def waits() -> None:
        answers[0] = cluster.wait(0)

    def could_go_on() -> None:
        answers[1] = cluster.wait(1, could_go_on=True)
        cluster.signalled()

    cluster.run([waits, could_go_on, lambda: None])
    assert answers == {1: False, 0: True}


def test_where_none_could_one_finds_that_out() -> None:
    cluster = Cluster(IDS)
    answers: list[bool] = []
    cluster.run([lambda: answers.append(cluster.wait(0)), lambda: None, lambda: None])
    assert answers == [False]
