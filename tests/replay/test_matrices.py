"""Tiles of a recorded run as matrices: against NumPy, and by the command of `debug`."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.isa.dtypes import F8E4M3, F16, F32
from ptoscope.isa.factors import finite_result
from ptoscope.isa.tiles import TileLayout, TileProduct, nz, plain, zz
from ptoscope.replay.matrices import ShownMatrix, elements, matrices_at, matrices_of, of_steps
from ptoscope.replay.prompt.commands import perform
from ptoscope.replay.prompt.session import Session
from ptoscope.trace.recording import TileStep
from tests.view import cluster

A, B, Y = cluster.operands()
RUN = cluster.kernel().record(A, B, Y)
SUM = A.astype(np.float32) @ B.astype(np.float32)
SIZE = 2 * cluster.M * cluster.K


def _matrix(line: str, role: str) -> np.ndarray:
    """All of a matrix after its instruction."""
    index = RUN.at(cluster.line_of(line)).index
    (found,) = (one for one in matrices_at(RUN, index) if one.role == role)
    held, undefined = elements(RUN, index, found, range(found.rows), range(found.columns))
    assert not undefined.any()
    return held


@pytest.mark.parametrize(
    ("line", "role", "expected"),
    [
        ("pto.mte_gm_l1_frac %a", "source", A),
        ("pto.mte_gm_l1_frac %a", "target", A),
        ("pto.mte_l1_l0a", "source", A),
        ("pto.mte_l1_l0a", "target", A),
        ("pto.mad", "left", A),
        ("pto.mad", "right", B),
        ("pto.mad", "result", SUM),
    ],
)
def test_matrices_of_a_product(line: str, role: str, expected: np.ndarray) -> None:
    found = _matrix(line, role)
    assert found.dtype == expected.dtype
    assert (found == expected).all()


def test_what_lies_transposed_is_shown_as_it_is_moved() -> None:
    """Rows of n on both sides: B has rows of k."""
    for role in ("source", "target"):
        found = _matrix("pto.mte_l1_l0b", role)
        assert (found == B).all() or (found == B.T).all()


def test_instructions_without_tiles_have_none() -> None:
    assert (
        matrices_at(
            RUN, RUN.at(cluster.line_of("pto.castptr %c0 : i64 -> !pto.ptr<f16, ub>")).index
        )
        == []
    )
    assert matrices_at(RUN, RUN.at(cluster.line_of("copy_cbuf_to_ubuf")).index) == []


@pytest.mark.parametrize(
    ("layout", "name", "expected"),
    [
        (plain(100, 2), "by rows", 300 + 2 * 37),
        (plain(2, 100), "by columns", 2 * 3 + 100 * 37),
        (nz(F16, 1000, 32, 2), "NZ: blocks of 16 columns", 2 * 1000 + 3 * 32 + 5 * 2),
        (nz(F16, 1000, 32, 2).transposed, "transposed NZ: blocks of 16 rows", 3 * 2 + 37 * 32),
        (zz(F32, 9000, 512, 32, 4), "fractals of 16 x 8", 3 * 32 + 4 * 512 + 5 * 4),
    ],
)
def test_where_an_element_lies(layout: TileLayout[int], name: str, expected: int) -> None:
    """Element (3, 37), from byte 64 on."""
    matrix = ShownMatrix("left", 0, 64, 64, 64, F16, layout, False)
    assert matrix.layout_name == name
    assert matrix.byte(3, 37) == 64 + expected
    assert matrix.bytes(range(2, 5), range(30, 40))[1, 7] == 64 + expected


def test_the_command_shows_rows_and_columns() -> None:
    session = Session(RUN)
    perform(session, f"goto {cluster.line_of('pto.mad')}")
    head, columns, *rows = perform(session, "tile result")
    assert head.startswith("result: 32 x 16 f32 in l0c from 0x0, NZ: blocks of 16 columns")
    assert columns.split() == [str(n) for n in range(16)]
    for row, line in enumerate(rows):
        number, *values = line.split()
        assert int(number) == row
        assert [float(value) for value in values] == SUM[row].tolist()
    head, _, *rows = perform(session, "t right 40 3")
    assert "rows 40 to 47, columns 3 to 15" in head
    assert [float(text) for text in rows[2].split()[1:]] == B[42, 3:].tolist()


def test_what_the_command_refuses() -> None:
    session = Session(RUN)
    assert perform(session, "tile") == ["arith.constant works on no tiles"]
    perform(session, f"goto {cluster.line_of('pto.mad')}")
    assert perform(session, "tile middle") == [
        "there is no tile 'middle' here; there are result, left, right"
    ]
    assert perform(session, "tile left 32 0") == ["left has 32 rows and 48 columns, from 0 on"]


def test_a_core_is_gone_to() -> None:
    session = Session(RUN)
    assert perform(session, "core vector 1")[0].endswith("vector core 1")
    assert perform(session, "core cube")[0].endswith("the matrix core")
    assert perform(session, "core vector 2") == [
        "there is no core 'vector 2'; there are cube, vector 0, vector 1"
    ]
    store = cluster.line_of("pto.mte_ub_gm")
    said = perform(session, f"goto {store}")
    assert said[0].endswith(f"line {store}, PIPE_MTE3, vector core 1")
    assert "ub1:0x0" in said[2]
    assert perform(session, "map")[1].startswith(f"ub1:0x0..{SIZE:#x}")
    perform(session, "core cube")
    assert perform(session, "map")[1].startswith("l1:0x0")


def test_scales_at_the_same_address_are_those_of_their_side() -> None:
    tile = TileProduct(
        16, 64, 128, F8E4M3, F8E4M3, F32,
        nz(F8E4M3, 512, 32, 1), nz(F8E4M3, 2048, 32, 1), nz(F32, 1024, 64, 4, 16),
        "bias", finite_result, finite_result, None, 0, 0, 0,
    )  # fmt: skip
    step = TileStep(
        tile,
        {
            "left": (1, 0),
            "right": (2, 0),
            "result": (3, 0),
            ("bt", 0): (4, 0),
            ("l0a_scale", 0): (5, 0),
            ("l0b_scale", 0): (6, 0),
        },
    )
    found = {one.role: (one.space, one.rows, one.columns) for one in matrices_of(step)}
    assert found["bias"] == (4, 1, 64)
    assert found["left scales"] == (5, 16, 4)
    assert found["right scales"] == (6, 4, 64)


def test_what_goes_to_two_cores_is_numbered() -> None:
    (step,) = RUN.recording.tiles[RUN.at(cluster.line_of("pto.mte_l1_l0a")).index]
    roles = [matrix.role for matrix in of_steps([step, step])]
    assert roles == ["target 0", "source 0", "target 1", "source 1"]
    assert [matrix.role for matrix in of_steps([step])] == ["target", "source"]
