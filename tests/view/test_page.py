"""The page of a run: one file, with the data that the run has."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope.cli.main import main
from ptoscope.view import history
from ptoscope.view.page import asset, script

EXAMPLES = Path(__file__).parents[2] / "examples"
SOFTMAX = EXAMPLES / "row_softmax.pto"
TYPES = {"u1": np.uint8, "i4": np.int32, "f8": np.float64}


def data_of(page: str) -> list[dict[str, Any]]:
    """What the page has of its runs."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def columns_of(data: dict[str, Any]) -> dict[str, Any]:
    """The columns of a run, as a browser unpacks them."""
    blob = gzip.decompress(base64.b64decode(data["blob"]))
    return {
        name: np.frombuffer(blob, TYPES[kind], size, begin)
        for name, (kind, begin, size) in data["columns"].items()
    }


def softmax(rows: int = 20) -> tuple[Any, Any, Any]:
    x = np.random.default_rng(3).standard_normal((rows, 128)).astype(np.float32)
    return ptoscope.load(SOFTMAX, target="a5"), x, np.zeros_like(x)


def test_the_page_needs_nothing_else() -> None:
    kernel, x, y = softmax()
    page = kernel.view(x, y, 20, title="rows <of> softmax")
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", page)
    assert not re.search(r"https?://", page.split("application/json")[0])
    assert "rows &lt;of&gt; softmax" in page
    assert "{{" not in page.split("application/json")[0]


def test_values_and_memory_of_the_page_are_those_of_the_run() -> None:
    kernel, x, y = softmax()
    (data,) = data_of(kernel.view(x, y, 20))
    columns = columns_of(data)
    run = kernel.record(x, np.zeros_like(x), 20)
    assert data["run"]["steps"] == len(run)
    assert columns["executed"].tolist() == run.recording.trace.executed.tolist()
    (slot,) = [s for s, name in enumerate(data["slots"]["names"]) if name == "%max"]
    notes = np.flatnonzero(columns["value_slot"] == slot)
    assert len(notes) == 20
    for row, note in enumerate(notes):
        at = columns["value_at"][note]
        lanes = columns["value_bytes"][at : at + 256].view(np.float32)
        assert (lanes == x[row].max()).all()
    written = columns["access_writes"] == 1
    assert (np.diff(columns["access_step"]) >= 0).all()
    sizes = columns["access_length"] * columns["access_count"]
    assert sizes[written].sum() == len(columns["written"])


def test_how_to_read_the_values_is_on_the_page() -> None:
    kernel, x, y = softmax()
    (data,) = data_of(kernel.view(x, y, 20))
    slots = data["slots"]
    shapes = dict(zip(slots["names"], slots["shapes"], strict=True))
    assert shapes["%max"] == {"kind": "vector", "element": "f32", "lanes": 64}
    assert shapes["%all"] == {"kind": "mask", "element": "i1", "lanes": 64}
    assert shapes["%ub_in"]["space"] == -1
    assert shapes["%gm_in"] | {"space": None} == shapes["%gm_in"]
    assert [array["number"] for array in data["arrays"]] == [0, 1]
    (place,) = [place for place in data["places"] if place["name"] == "pto.vmax"]
    assert slots["names"][place["mask"]] == "%all"
    assert place["lanewise"]
    (copy,) = [place for place in data["places"] if place["name"] == "pto.mte_gm_ub"]
    assert copy["mask"] == -1


def test_what_pointers_point_to_is_on_the_page() -> None:
    kernel, x, y = softmax()
    (data,) = data_of(kernel.view(x, y, 20))
    columns = columns_of(data)
    (slot,) = [s for s, name in enumerate(data["slots"]["names"]) if name == "%gm_in"]
    notes = np.flatnonzero(columns["value_slot"] == slot)
    first = columns["value_at"][notes[1]]
    (address,) = columns["value_bytes"][first : first + 8].view(np.int64)
    # The second tile of 16 rows of 128 elements.
    assert address - data["arrays"][0]["base"] == 16 * 128 * 4


def test_values_with_nan_and_undefined_bits_are_marked() -> None:
    kernel, x, y = softmax()
    x[7, 5] = np.nan
    (data,) = data_of(kernel.view(x, y, 20))
    columns = columns_of(data)
    run = kernel.record(x, np.zeros_like(x), 20)
    made_nan = (columns["value_marks"] & (history.MADE | history.HAS_NAN)) == 3
    first = run.first_nan()
    assert first is not None
    assert columns["value_step"][made_nan][0] == first.index
    assert not (columns["value_marks"] & history.HAS_UNDEFINED).any()
    text = SOFTMAX.read_text("utf-8").replace("pto.vlds %ub_in[%hi]", "pto.vlds %ub_out[%hi]")
    kernel = ptoscope.load(text, target="a5", force=True)
    columns = columns_of(data_of(kernel.view(x, y, 20))[0])
    lost = (columns["value_marks"] & history.HAS_UNDEFINED) != 0
    first = kernel.record(x, y, 20).first_undefined()
    assert first is not None
    assert columns["value_step"][lost][0] == first.index
    assert (lost == (columns["value_undefined_at"] >= 0)).all()


@pytest.mark.parametrize(
    ("name", "numpy_name"), [("f8e4m3", "float8_e4m3fn"), ("f8e5m2", "float8_e5m2")]
)
def test_codes_of_narrow_floats_are_those_of_ml_dtypes(name: str, numpy_name: str) -> None:
    kernel, x, y = softmax(3)
    columns = columns_of(data_of(kernel.view(x, y, 3))[0])
    wanted = np.arange(256, dtype=np.uint8).view(getattr(ml_dtypes, numpy_name)).astype(np.float64)
    assert np.array_equal(columns[f"codes_{name}"], wanted, equal_nan=True)


def test_time_of_the_page_is_that_of_the_model() -> None:
    kernel, x, y = softmax()
    (data,) = data_of(kernel.view(x, y, 20))
    timing = kernel.time(x, y, 20)
    assert data["timing"]["total"] == timing.total_cycles
    assert {int(k): v[0] for k, v in data["timing"]["lines"].items()} == {
        line.line: line.cycles for line in timing.table()
    }
    columns = columns_of(data)
    ends = columns["slice_start"] + columns["slice_length"]
    assert ends.max() <= timing.total_cycles
    assert columns["slice_critical"].any()


def test_what_does_not_fit_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, x, y = softmax()
    monkeypatch.setattr(history, "MOST_BYTES", 30_000)
    (data,) = data_of(kernel.view(x, y, 20))
    whole = len(kernel.record(x, y, 20))
    assert 0 < data["run"]["steps"] < whole
    assert data["run"]["left_out"] == whole - data["run"]["steps"]


def test_findings_races_and_undefined_data_are_on_the_page() -> None:
    text = SOFTMAX.read_text("utf-8")
    line = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    assert text.count(line) == 1
    _, x, y = softmax()
    kernel = ptoscope.load(text.replace(line, ""), target="a5", force=True)
    (data,) = data_of(kernel.view(x, y, 20))
    assert "PTO0701" in {finding["code"] for finding in data["findings"]}


def test_the_scripts_share_one_scope() -> None:
    """As modules they import what they use; in the page no name may be there twice."""
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", script(), re.MULTILINE)
    assert len(names) == len(set(names))
    assert not re.search(r"^(?:import|export)\b", script(), re.MULTILINE)
    assert asset("page.html").count("{{script}}") == 1


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "report.html"
    arguments = ["zeros:20x128", "zeros:20x128", "20"]
    assert main(["view", str(SOFTMAX), *arguments, "-o", str(output)]) == 0
    assert f"page in {output}" in capsys.readouterr().out
    (data,) = data_of(output.read_text("utf-8"))
    assert data["title"] == "row_softmax"
    both = [str(SOFTMAX), str(SOFTMAX), *arguments, "-o", str(output)]
    assert main(["view", *both]) == 0
    assert len(data_of(output.read_text("utf-8"))) == 2


def test_what_is_given_as_undefined_is_on_the_page(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    codes: list[set[str]] = []
    for given in ("zeros:2560", "undefined:2560"):
        assert main(["view", str(SOFTMAX), given, "zeros:2560", "20", "-o", str(output)]) == 0
        (data,) = data_of(output.read_text("utf-8"))
        codes.append({finding["code"] for finding in data["findings"]})
    assert codes == [set(), {"PTO0711"}]


def test_a_page_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere" / "report.html"
    assert main(["view", str(SOFTMAX), "zeros:1", "zeros:1", "1", "-o", str(missing)]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["view", "k" * 1000, "-o", str(tmp_path / ("x" * 1000))]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main(["view", "."]) == 2
    assert main(["view", str(SOFTMAX), "1", "-o", str(tmp_path / "x.html")]) == 1
    assert not (tmp_path / "x.html").exists()


def test_a_notebook_shows_it_in_place(tmp_path: Path) -> None:
    kernel, x, y = softmax(3)
    page = kernel.view(x, y, 3)
    shown = page._repr_html_()
    assert shown.startswith("<iframe")
    assert "&lt;!doctype html&gt;" in shown
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page


def test_the_first_difference_is_on_the_page() -> None:
    kernel, x, y = softmax()
    golden = np.exp(x - x.max(axis=1, keepdims=True))
    golden /= golden.sum(axis=1, keepdims=True)
    kernel(x, y, 20)
    assert np.allclose(y, golden, rtol=1e-5)
    wanted = y.copy()
    wanted[7, 70] += 1
    (data,) = data_of(kernel.view(x, np.zeros_like(x), 20, expect={1: wanted}))
    run = kernel.record(x, np.zeros_like(x), 20)
    copy = run.writer("%y", 4 * (7 * 128 + 70))
    assert copy is not None
    assert data["difference"]["step"] == copy.index
    assert "element 966 of %y" in data["difference"]["text"]
    lines = {run[step].name for step, _ in data["difference"]["links"] if step >= 0}
    assert {"pto.mte_ub_gm", "pto.vsts", "pto.vdiv", "pto.vexp"} <= lines
    (data,) = data_of(kernel.view(x, np.zeros_like(x), 20, expect={"y": y}))
    assert "difference" not in data


def test_the_command_takes_what_is_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, x, y = softmax()
    kernel(x, y, 20)
    y[3, 4] = 9
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "golden.npy", y)
    output = tmp_path / "report.html"
    words = [str(SOFTMAX), str(tmp_path / "x.npy"), "zeros:20x128", "20", "-o", str(output)]
    assert main(["view", *words, "--expect", f"1={tmp_path / 'golden.npy'}"]) == 0
    (data,) = data_of(output.read_text("utf-8"))
    assert "element 388 of %y" in data["difference"]["text"]
    assert main(["view", *words, "--expect", f"y={tmp_path / 'golden.npy'}", "--atol", "9"]) == 0
    (data,) = data_of(output.read_text("utf-8"))
    assert "difference" not in data
    capsys.readouterr()
    assert main(["view", *words, "--expect", f"1={tmp_path / 'missing.npy'}"]) == 2
    assert "missing.npy" in capsys.readouterr().err
    np.save(tmp_path / "halves.npy", y.astype(np.float16))
    assert main(["view", *words, "--expect", f"1={tmp_path / 'halves.npy'}"]) == 2
    assert "--expect 1=" in capsys.readouterr().err
