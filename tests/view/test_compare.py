"""Two runs in one page: both whole, and which of their lines belong together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope.cli.main import main
from ptoscope.view.compare import lines_beside
from tests.view.test_page import SOFTMAX, columns_of, data_of


def test_equal_lines_are_pairs() -> None:
    assert lines_beside(["a", "b", "c"], ["a", "  b", "c"]) == [(1, 1), (2, 2), (3, 3)]


def test_a_line_that_one_source_lacks_stands_alone() -> None:
    assert lines_beside(["a", "b", "c"], ["a", "c"]) == [(1, 1), (2, 0), (3, 2)]
    assert lines_beside(["a", "c"], ["a", "b", "c"]) == [(1, 1), (0, 2), (2, 3)]


def test_a_changed_line_is_beside_what_it_was() -> None:
    assert lines_beside(["a", "b", "c"], ["a", "x", "c"]) == [(1, 1), (2, 2), (3, 3)]


def test_a_stretch_that_grew_has_no_pairs() -> None:
    assert lines_beside(["a", "b", "c"], ["a", "x", "y", "c"]) == [
        (1, 1),
        (2, 0),
        (0, 2),
        (0, 3),
        (3, 4),
    ]


def test_a_page_of_two_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second kernel has smaller tiles, and a line above all others."""
    text = SOFTMAX.read_text("utf-8")
    tile = "%tile_rows = arith.constant 16"
    assert text.count(tile) == 1
    other = tmp_path / "small_tiles.pto"
    other.write_text("// Smaller tiles.\n" + text.replace(tile, "%tile_rows = arith.constant 4"))
    output = tmp_path / "report.html"
    arguments = ["zeros:32x128", "zeros:32x128", "32"]
    assert main(["view", str(SOFTMAX), str(other), *arguments, "-o", str(output)]) == 0
    capsys.readouterr()
    page = output.read_text("utf-8")
    first, second = data_of(page)
    assert "<title>row_softmax and small_tiles - ptoscope</title>" in page
    assert "beside" not in first
    lines = len(text.split("\n"))
    assert second["beside"] == [[0, 1], *([n, n + 1] for n in range(1, lines + 1))]
    for data, path in ((first, SOFTMAX), (second, other)):
        x = np.zeros((32, 128), np.float32)
        timing = ptoscope.load(path, target="a5").time(x, x.copy(), 32)
        assert data["timing"]["total"] == timing.total_cycles
        columns = columns_of(data)
        assert len(columns["slice_start"]) == data["timing"]["slices"]
    assert second["timing"]["total"] > first["timing"]["total"]


def test_a_page_of_one_run_has_nothing_beside_it() -> None:
    x = np.zeros((4, 128), np.float32)
    (data,) = data_of(ptoscope.load(SOFTMAX, target="a5").view(x, x.copy(), 4))
    assert "beside" not in data
