"""Correct kernels give the same bits under every schedule."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import ptoscope
from ptoscope.machine.try_schedules import try_schedules
from tests.fuzz.compare import load
from tests.fuzz.programs import generate
from tests.machine.runs import run_as

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "vector_add": (8193, 3),
    "abs_kernel": (2,),
    "clamp": (4097, 2),
    "bias_scale": (17, 65, 2),
    "carry_chain": (1025, 2),
    "double_buffer_flags": (4097, 2),
    "double_buffer_bufs": (4097, 2),
    "row_softmax": (17, 2),
    "layer_norm": (9, 65, 2),
    "gelu": (8193, 2),
    "rope": (5, 3, 33, 2),
    "quantize_int8": (9, 65, 2),
    "histogram": (257, 2),
    "top_k": (1, 40, 3, 1),
    "matmul": (17, 40, 130, 2),
    "matmul_quantized": (17, 40, 260, 2),
    "flash_attention": (17, 130, 1),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.pto")))
def test_examples_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the inputs of their own scripts."""
    spec = importlib.util.spec_from_file_location(f"schedules_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernels = ptoscope.load
    tried: list[int] = []

    class Tried:
        def __init__(self, *given: Any) -> None:
            self.kernel = kernels(*given)

        def __call__(self, *arguments: Any, grid: int = 1) -> None:
            assert try_schedules(self.kernel, arguments, grid, 8) is None
            assert run_as(self.kernel, "lazy", arguments, grid) == []
            tried.append(grid)

    monkeypatch.setattr(ptoscope, "load", Tried)
    assert module.main(*SMALL[name]) == 0
    assert tried


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs_give_the_same_bits(first: int) -> None:
    programs = [p for p in map(generate, range(first, first + 10)) if p.legal]
    assert len(programs) >= 5
    for program in programs:
        found = try_schedules(load(program), program.arguments(), program.grid, 7)
        assert found is None, (program.seed, str(found))
