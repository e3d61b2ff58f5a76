"""The Chrome trace of every example is valid, and the test of that would notice."""

from __future__ import annotations

import copy
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ptoscope
from ptoscope.kernel import prepare
from ptoscope.timing import MODELS, Timing, time_kernel
from ptoscope.timing.export import chrome_text, chrome_trace
from tests.test_examples import A5_ALONE
from tests.timing.kernels import pipeline, tiles, timed
from tests.timing.validity import problems

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.pto"))
SMALL = {
    "abs_kernel": (1,),
    "bias_scale": (20, 100, 2),
    "flash_attention": (20, 70, 2),
    "layer_norm": (20, 100, 2),
    "matmul": (20, 30, 100, 2),
    "matmul_quantized": (20, 30, 100, 2),
    "quantize_int8": (20, 100, 2),
    "rope": (5, 3, 33, 2),
    "row_softmax": (40, 2),
    "top_k": (2, 64, 33, 2),
}
ALL_MODELS = [(target, name) for target, models in MODELS.items() for name in models]


def _run(name: str, monkeypatch: pytest.MonkeyPatch, time: Callable[..., Timing]) -> Timing:
    """Runs an example's script with its kernel timed instead of run."""
    found: list[Timing] = []
    load = ptoscope.load

    def loaded(path: Path, target: str | None) -> Callable[..., None]:
        def call(*arguments: Any, grid: int = 1) -> None:
            found.append(time(load(path, target), arguments, grid))

        return call

    monkeypatch.setattr(ptoscope, "load", loaded)
    spec = importlib.util.spec_from_file_location(f"timed_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main(*SMALL.get(name, (2000, 2))) == 0
    return found[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_gives_a_valid_trace(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for target, model in ALL_MODELS:
        if name in A5_ALONE and target != "a5":
            continue
        with monkeypatch.context() as patch:
            timing = _run(
                name,
                patch,
                lambda kernel, arguments, grid, target=target, model=model: time_kernel(
                    prepare(kernel.program.text, name, target, "manual"),
                    arguments,
                    grid,
                    model,
                ),
            )
        document = chrome_trace(timing)
        assert problems(document) == []
        events = document["traceEvents"]
        assert "notice" not in document["otherData"]
        last = max(e["ts"] + e["dur"] for e in events if e["ph"] == "X")
        assert last <= timing.total_cycles
        tracks = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
        cores = timing.trace.function.cores
        if "cube" in cores:
            assert {"PIPE_S", "PIPE_MTE1", "PIPE_MTE2", "PIPE_M", "PIPE_FIX"} <= tracks
        if "vector" in cores:
            assert {"PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3"} <= tracks
        if "vector" in cores and (target, model) == ("a5", "calibrated"):
            assert {"vector: port 1", "vector: stores"} <= tracks


def test_an_arrow_for_every_wait_that_waited() -> None:
    timing = timed(pipeline(4, 2), tiles(4))
    events = chrome_trace(timing)["traceEvents"]
    waits = [e for e in events if e["ph"] == "X" and e["name"].endswith("waits")]
    assert len(waits) == sum(e["ph"] == "s" for e in events) == sum(e["ph"] == "f" for e in events)
    assert len(waits) == int((timing.schedule.wait > 0).sum()) > 0


def test_slices_have_their_source_and_the_reason_of_their_stall() -> None:
    timing = timed(pipeline(4, 2), tiles(4))
    text = timing.program.text.split("\n")
    slices = [e for e in chrome_trace(timing)["traceEvents"] if e["ph"] == "X"]
    assert all(e["args"]["source"] == text[e["args"]["line"] - 1].strip() for e in slices)
    waits = [e["args"] for e in slices if e["name"].endswith("waits")]
    assert {one["why"].split(", of line ")[0] for one in waits} == {"flag wait"}
    for one in waits:
        awaited = text[int(one["why"].split(", of line ")[1]) - 1]
        assert "wait_flag" not in awaited
        assert "set_flag" not in awaited
    late = [e["args"] for e in slices if e["args"].get("why", "").startswith("waits for a result")]
    assert late
    assert all(one["stalled"] > 0 for one in late)


def test_a_long_trace_is_cut_and_says_so() -> None:
    timing = timed(pipeline(6, 2), tiles(6))
    text, notice = chrome_text(timing, limit=100)
    document = json.loads(text)
    slices = [e for e in document["traceEvents"] if e["ph"] == "X"]
    assert len(slices) == 100
    assert notice == document["otherData"]["notice"]
    assert notice.startswith("only the first 100 slices")
    assert problems(document) == []
    everything = chrome_trace(timing)["traceEvents"]
    later = [e["ts"] for e in everything if e["ph"] == "X"]
    assert max(e["ts"] for e in slices) <= sorted(later)[99]


def _first(events: list[Any], phase: str) -> Any:
    return next(e for e in events if e["ph"] == phase)


def _spoil_overlap(events: list[Any]) -> None:
    events.append({**_first(events, "X")})


def _spoil_end(events: list[Any]) -> None:
    events.remove(_first(events, "f"))


def _spoil_twice(events: list[Any]) -> None:
    events.append({**_first(events, "s")})


def _spoil_place(events: list[Any]) -> None:
    _first(events, "s")["ts"] = 1e9


def _spoil_name(events: list[Any]) -> None:
    events[:] = [e for e in events if e["name"] != "thread_name"]


def _spoil_field(events: list[Any]) -> None:
    del _first(events, "X")["dur"]


def _spoil_time(events: list[Any]) -> None:
    _first(events, "X")["ts"] = -1


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_spoil_overlap, "overlap"),
        (_spoil_end, "one end only"),
        (_spoil_twice, "two ends"),
        (_spoil_place, "in no slice"),
        (_spoil_name, "no name"),
        (_spoil_field, "lacks dur"),
        (_spoil_time, "is no time"),
    ],
)
def test_validity_notices(spoil: Callable[[list[Any]], None], message: str) -> None:
    document = chrome_trace(timed(pipeline(3, 1), tiles(3)))
    assert problems(document) == []
    broken = copy.deepcopy(document)
    spoil(broken["traceEvents"])
    assert any(message in text for text in problems(broken))


def test_validity_of_something_else() -> None:
    assert problems([]) == ["there is no list 'traceEvents'"]
