"""`calibrate`: points from a file, what is said of bad ones, and the file that it writes."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.timing.kernels import pipeline

from .conftest import Cli, store

Write = Callable[[str, str], str]
HEADER = "kernel,args,grid,entry,body,dtype,rows,vregs_per_row,addressing,cycles\n"


@pytest.fixture
def points(cli: Cli, write: Write) -> str:
    """Two runs of tiles and two vecscopes, as long as with other figures."""
    write("tiles.pto", pipeline(1, 1))
    write("more.pto", pipeline(3, 1))
    hidden = "dma.gm_to_ub.startup=300,core.drain=20"
    cycles = [
        cli("time", f"{name}.pto", "zeros:3072", "--set", hidden, "--json").json["total_cycles"]
        for name in ("tiles", "more")
    ]
    # The published profile has 55 cycles of the vecscope, 12 of which are the drain.
    rows = f"""kernel,args,body,addressing,cycles
tiles.pto,zeros:3072,,,{cycles[0]}
more.pto,zeros:3072,,,{cycles[1]}
,,vlds vlds vadd vsts,post_update,{55 + 8}
"""
    return write("points.csv", rows)


def test_figures_are_found_and_written_for_time(cli: Cli, points: str, tmp_path: Path) -> None:
    fit = "--fit", "core.drain,dma.gm_to_ub.startup"
    outcome = cli("calibrate", points, *fit, "-o", "mine.csv", "--leave-out", "family")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "3 points on a5 (calibrated model), 2 free figures"
    assert ["after", "0.00%", "0.00%"] in [line.split() for line in lines]
    assert "core.drain 12 20 cycle model 3" in " ".join(outcome.out.split())
    assert "dma.gm_to_ub.startup 477 300 assumed 2" in " ".join(outcome.out.split())
    assert lines[-1] == "2 figures in mine.csv"
    text = (tmp_path / "mine.csv").read_text("utf-8")
    assert text == "figure,value\ncore.drain,20\ndma.gm_to_ub.startup,300\n"
    timed = cli("time", "tiles.pto", "zeros:3072", "--calibration", "mine.csv", "--json").json
    measured = (tmp_path / points).read_text("utf-8").splitlines()[1].rpartition(",")[2]
    assert timed["total_cycles"] == int(measured)


def test_a_file_is_written_whole_or_not_at_all(
    cli: Cli, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("points.csv", "body,addressing,cycles\nvlds vlds vadd vsts,post_update,63\n")
    write("mine.csv", "figure,value\ncore.drain,1\n")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    argv = "calibrate", "points.csv", "--fit", "core.drain", "-o", "mine.csv"
    with monkeypatch.context() as patched:
        patched.setattr("os.replace", full)
        outcome = cli(*argv)
    assert outcome.code == 2
    assert "cannot write mine.csv: No space left on device" in outcome.err
    assert (tmp_path / "mine.csv").read_text("utf-8") == "figure,value\ncore.drain,1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.csv", "points.csv"]
    assert cli(*argv).code == 0
    assert (tmp_path / "mine.csv").read_text("utf-8") == "figure,value\ncore.drain,20\n"


def test_json(cli: Cli, points: str) -> None:
    found = cli("calibrate", points, "--fit", "core.drain", "--fit", "dma.*.startup", "--json").json
    assert found["ok"]
    assert found["error_before"]["mean"] > found["error_after"]["mean"] == 0
    assert found["error_left_out"] is None
    assert found["values"] == {"core.drain": 20, "dma.gm_to_ub.startup": 300}
    assert found["points"][0]["name"] == "tiles.pto zeros:3072"
    assert found["points"][2]["figures"] == ["core.drain"]
    assert {f["name"]: f["determined"] for f in found["figures"]}["core.drain"] is True


def test_what_it_begins_with(cli: Cli, points: str, write: Write) -> None:
    write("before.csv", "figure,value\ndma.gm_to_ub.startup,300\n")
    argv = "calibrate", points, "--fit", "core.drain", "--json"
    assert cli(*argv, "--calibration", "before.csv").json["values"]["core.drain"] == 20
    begun = cli(*argv, "--set", "dma.gm_to_ub.startup=300", "--rounds", "1").json
    assert begun["values"] == {"dma.gm_to_ub.startup": 300, "core.drain": 20}


def test_kernels_and_arrays_are_beside_the_points(cli: Cli, write: Write, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    write("deep/tiles.pto", pipeline(1, 1))
    (tmp_path / "deep" / "a b.bin").write_bytes(bytes(4096))
    write("deep/points.csv", "kernel,args,cycles\ntiles.pto,'a b.bin',500\n")
    assert cli("calibrate", "deep/points.csv", "--rounds", "1").code == 0


BAD = [
    (",,,,,,,,,5", "the row has neither a kernel nor a body"),
    ("k.pto,,,,vlds vsts,,,,,5", "the row has both a kernel and a body"),
    ("k.pto,zeros:4 1,,,,,,,,", "the measured cycles are no number above 0"),
    ("k.pto,zeros:4 1,,,,,,,,0", "the measured cycles are no number above 0"),
    ("k.pto,zeros:4 1,,,,,,,,nan", "the measured cycles are no number above 0"),
    ("k.pto,zeros:4 1,,,,f32,,,,5", "'dtype' means nothing to a row with a kernel"),
    (",zeros:4,,,vlds vsts,,,,,5", "'args' means nothing to a row with a body"),
    ("missing.pto,,,,,,,,,5", "cannot read missing.pto"),
    ("k.pto,'zeros:4,,,,,,,,5", "the arguments cannot be taken apart"),
    ("k.pto,sideways,,,,,,,,5", "cannot read the argument 'sideways'"),
    ("k.pto,zeros:4 1,many,,,,,,,5", "'grid' is no whole number above 0"),
    ("k.pto,zeros:4 1,,other,,,,,,5", "@store"),
    ("k.pto,zeros:4,,,,,,,,5", "the run of this row cannot be timed"),
    (",,,,vlds vaddd,f32,1,1,,5", "there is no instruction 'vaddd'; did you mean 'vadd'?"),
    (",,,,vlds vsts,f32,0,1,,5", "'rows' is no whole number above 0"),
    (",,,,vlds vsts,f32,2000,2000,,5", "too many to be timed"),
    (",,,,vlds vsts,f32,1,1,sideways,5", "unknown addressing 'sideways'"),
    ("k.pto,zeros:4 1,,,,,,,,5,6", "the row has 11 cells, the first line names 10 columns"),
]


def test_bad_rows_are_all_named_with_their_lines(cli: Cli, write: Write, tmp_path: Path) -> None:
    write("k.pto", store("f32"))
    rows, extra = [row for row, _ in BAD[:-1]], BAD[-1]
    write("points.csv", HEADER + "\n".join(rows) + "\n")
    outcome = cli("calibrate", "points.csv", "-o", "out.csv", "--json")
    assert (outcome.code, outcome.err) == (1, "")
    found = [d for d in outcome.json["diagnostics"] if d["code"] == "PTO0810"]
    assert [d["line"] for d in found] == list(range(2, len(rows) + 2))
    for diagnostic, (_, message) in zip(found, BAD, strict=False):
        assert message in diagnostic["message"]
        assert diagnostic["file"] == "points.csv"
    assert not (tmp_path / "out.csv").exists()
    write("points.csv", HEADER + extra[0])
    said = cli("calibrate", "points.csv").err
    assert said.startswith(f"points.csv:2:1: error[PTO0810]: {extra[1]}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no points"),
        ("kernel,cycles\n", "the file has no points"),
        ("kernel,cyles\na,1\n", "unknown column 'cyles'"),
        ("kernel,kernel,cycles\na,b,1\n", "the column 'kernel' is named twice"),
        ("kernel,args\na,1\n", "columns are missing"),
        ("body,dtype\na,1\n", "columns are missing"),
    ],
)
def test_files_without_points(cli: Cli, write: Write, text: str, message: str) -> None:
    write("points.csv", text)
    outcome = cli("calibrate", "points.csv")
    assert (outcome.code, outcome.out) == (1, "")
    assert f"error[PTO0810]: {message}" in outcome.err
    assert "expected: " in outcome.err or "twice" in message or text == "kernel,cycles\n"


@pytest.mark.parametrize(
    "argv",
    [
        "missing.csv", ".", "a b.csv c.csv", "latin.csv", "broken.csv",
        "points.csv --fit core.drian", "points.csv --rounds 0", "points.csv --leave-out some",
        "points.csv --set core.mood=3", "points.csv --calibration missing.csv",
        "points.csv --target cpu", "points.csv -o missing/out.csv", "points.csv -o .",
    ],
)  # fmt: skip
def test_wrong_usage(cli: Cli, write: Write, tmp_path: Path, argv: str) -> None:
    write("points.csv", "body,cycles\nvlds vsts,50\n")
    (tmp_path / "latin.csv").write_bytes(b"body,cycles\nvlds vsts,\xff\n")
    (tmp_path / "broken.csv").write_bytes(b'body,cycles\n"vlds\n')
    outcome = cli("calibrate", *argv.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error[PTO0000]: ")


def test_no_file_makes_it_fail(cli: Cli, tmp_path: Path) -> None:
    """Bytes of a right file, replaced at random."""
    right = b"kernel,args,grid,body,rows,cycles\nk.pto,zeros:4 1,1,,,9\n,,,vlds vsts,1,50\n"
    (tmp_path / "k.pto").write_text(store("f32"), "utf-8")
    seeded = random.Random(5)
    for _ in range(60):
        data = bytearray(right)
        for _ in range(seeded.randrange(1, 4)):
            data[seeded.randrange(len(data))] = seeded.choice(b"\0\n\r\",;:x0-.'\xff~")
        (tmp_path / "points.csv").write_bytes(data)
        outcome = cli("calibrate", "points.csv", "--rounds", "1")
        assert outcome.code in (0, 1, 2)
        assert "internal error" not in outcome.err, bytes(data)
