"""The examples without their synchronisation: what is inserted is as good as what was written."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import sources
from ptoscope.kernel import load
from ptoscope.program import For, Function

from .support import PlacedBuffer, done, is_synchronisation, stripped, synchronised

EXAMPLES = Path(__file__).parents[3] / "examples"
SIZES: dict[str, tuple[int, ...]] = {
    "abs_kernel": (1,),
    "bias_scale": (17, 65, 2),
    "carry_chain": (1025, 2),
    "clamp": (4097, 2),
    "double_buffer_bufs": (4097, 2),
    "double_buffer_flags": (4097, 2),
    "row_softmax": (33, 2),
    "layer_norm": (9, 65, 2),
    "gelu": (4097, 2),
    "rope": (5, 3, 33, 2),
    "quantize_int8": (9, 65, 2),
    "histogram": (1025, 2),
    "top_k": (3, 65, 8, 1),
    "vector_add": (4097, 2),
    "matmul": (129, 17, 65, 1),
    "matmul_quantized": (129, 17, 130, 1),
}
"""Arguments of their scripts: few, but with a tail, and more tiles than blocks."""
CLUSTERS = ("flash_attention",)
"""Their sections are programs side by side: without signals nothing says what comes first."""
NAMES = sorted({path.stem for path in EXAMPLES.glob("*.pto")} - set(CLUSTERS))


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"synchronised_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_right_in_every_order(
    name: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = synchronised((EXAMPLES / f"{name}.pto").read_text("utf-8"), target).text

    def loaded(_: object, asked: str | None = None) -> Any:
        kernel = load(text, asked)
        assert [d for d in kernel.findings if d.severity != "note"] == []

        def run(*arguments: Any, **named: Any) -> None:
            seen = kernel.watch(*arguments, **named)
            assert seen.diagnostics == []
            kernel(*arguments, **named)

        return run

    module = script(name)
    monkeypatch.setattr(module.ptoscope, "load", loaded)
    assert module.main(*SIZES[name], target=target) == 0


@pytest.mark.parametrize("name", ["row_softmax", "layer_norm", "rope", "abs_kernel"])
def test_no_more_flags_than_were_written(name: str) -> None:
    """Of those that let the pipes overlap as far: others are written with fewer flags that keep
    a tile from being loaded while the one before it is stored."""
    text = (EXAMPLES / f"{name}.pto").read_text("utf-8")
    written = sources.parse(text, name).functions[0].ops()
    assert len(synchronised(text).inserted) <= sum(map(is_synchronisation, written))


def in_turn(function: Function) -> list[PlacedBuffer]:
    """The buffers of a kernel whose loop carries the number of the copy in turn."""
    (loop,) = (op for op in function.body.ops if isinstance(op, For))
    (stage,) = loop.carried
    assert str(function.types[stage]) == "i64"
    roots = {name: slot for slot, name in enumerate(function.names)}
    return [
        PlacedBuffer((roots[f"ub_{name}"],), number * 8192, 4096, 2, loop, stage)
        for number, name in enumerate(("a", "b", "out"))
    ]


DOUBLE = (
    (EXAMPLES / "double_buffer_flags.pto")
    .read_text("utf-8")
    .replace("muli %iteration, %buffer_bytes", "muli %iteration, %tile_bytes")
    .replace("%at_b = arith.addi %at_a, %tile_bytes", "%at_b = arith.addi %at_a, %c8192")
    .replace("%at_out = arith.addi %at_b, %tile_bytes", "%at_out = arith.addi %at_b, %c8192")
    .replace("%buffer_bytes = arith.constant 12288", "%c8192 = arith.constant 8192")
)
"""The copies of each buffer side by side."""


def test_buffers_in_turn_overlap_as_those_that_were_written() -> None:
    program = stripped(DOUBLE)
    made = done(program, program.functions[0], in_turn(program.functions[0]))
    assert made.lines == [
        "set V MTE2 0",
        "set V MTE2 1",
        "set MTE3 V 0",
        "set MTE3 V 1",
        "wait V MTE2 iteration",
        "set MTE2 V iteration",
        "wait MTE2 V iteration",
        "wait MTE3 V iteration",
        "set V MTE2 iteration",
        "set V MTE3 iteration",
        "wait V MTE3 iteration",
        "set MTE3 V iteration",
        "wait V MTE2 0",
        "wait V MTE2 1",
        "wait MTE3 V 0",
        "wait MTE3 V 1",
    ]
    a, b = np.random.default_rng(0).standard_normal((2, 50_000), np.float32)
    out = np.zeros_like(a)
    kernel, hand = made.kernel(), ptoscope.load(DOUBLE)
    assert kernel.watch(a, b, out, 9_999, grid=2).diagnostics == []
    written = hand.time(a, b, out, len(a)).total_cycles
    cycles = kernel.time(a, b, out, len(a)).total_cycles
    assert np.array_equal(out, a + b)
    assert cycles <= 1.05 * written
    program = stripped(DOUBLE.replace("muli %iteration, %tile_bytes", "muli %c0_i64, %tile_bytes"))
    one_copy = [PlacedBuffer(b.roots, b.address, b.bytes) for b in in_turn(program.functions[0])]
    single = done(program, program.functions[0], one_copy).kernel()
    assert cycles < single.time(a, b, out, len(a)).total_cycles
