"""Other legal orders of a cluster: of the pipes of the matrix core, and of three cores that only
their signals order."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.machine.try_schedules import Difference, try_schedules
from tests.machine.matrix_lines import cluster, flag, l0c_gm, mad
from tests.races.test_clusters import FILL, PRODUCT, TO_M, exchange


def tried(text: str, count: int = 20, grid: int = 1) -> Difference | None:
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    x = np.arange(1, 513).astype(np.float16)
    return try_schedules(
        kernel, [x, np.zeros(512, np.float16), np.zeros(256, np.float32)], grid, count
    )


@pytest.mark.parametrize("text", [cluster(PRODUCT), exchange()], ids=["product", "exchange"])
def test_a_right_kernel_gives_the_same_in_every_order(text: str) -> None:
    assert tried(text) is None


@pytest.mark.parametrize(
    "lines",
    [
        [*FILL, mad(), *flag("M", "FIX"), l0c_gm()],
        [*FILL, *TO_M, mad(), l0c_gm()],
        [*FILL[:2], *FILL[4:], *TO_M, mad(), *flag("M", "FIX"), l0c_gm()],
    ],
    ids=["MTE1-M", "M-FIX", "MTE2-MTE1"],
)
def test_a_missing_flag_of_the_matrix_core(lines: list[str]) -> None:
    found = tried(cluster(lines))
    assert found is not None
    assert (found.argument, found.fault) == ("z", None)


def test_a_missing_wait_for_another_core() -> None:
    """The matrix core, which waits for nobody, may find L1 empty."""
    found = tried(exchange(awaits=[]))
    assert found is not None
    assert (found.argument, found.fault) == ("y", None)


def test_blocks_come_in_any_order_too() -> None:
    lines = [*PRODUCT[:-1], "%b = pto.get_block_idx", *PRODUCT[-1:]]
    assert tried(cluster(lines), 6, grid=3) is None
