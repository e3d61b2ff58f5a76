"""Every example in Python: the same bits as its text twin, sound, and a third as long."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.kernel import Kernel
from tests.mutation.seeds import SIZES as SEED_SIZES
from tests.test_examples import A5_ALONE, NAMES, SIZES, TARGETS, main_of

PYTHON = Path(__file__).parents[1] / "examples" / "python"


def _runner() -> Any:
    spec = importlib.util.spec_from_file_location("python_examples", PYTHON / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUNNER = _runner()
KERNELS = {name: RUNNER.kernel_of(name) for name in RUNNER.NAMES}
SEVERAL: dict[str, tuple[int, ...]] = {
    **SEED_SIZES,
    "layer_norm": (17, 70, 1),
    "gelu": (16_500, 1),
    "rope": (3, 2, 33, 1),
    "quantize_int8": (17, 70, 1),
    "histogram": (16_500, 1),
    "top_k": (2, 40, 2, 1),
    "matmul": (130, 40, 200, 1),
    "matmul_quantized": (130, 40, 300, 1),
    "flash_attention": (130, 200, 1),
}
"""Sizes of several tiles for one block, so that every iteration but the first waits for another."""
every = pytest.mark.parametrize("name", NAMES)


def test_every_example_is_there_in_python() -> None:
    assert RUNNER.NAMES == NAMES


def launches(name: str, sizes: tuple[int, ...]) -> list[tuple[tuple[Any, ...], int]]:
    """What the script of an example passes to its kernel, which does not run: arguments, grid."""
    found: list[tuple[tuple[Any, ...], int]] = []

    def noted(*arguments: Any, grid: int = 1) -> None:
        found.append((arguments, grid))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ptoscope, "load", lambda *given: noted)
        main_of(name)(*sizes)
    return found


def results(call: Any, arguments: Sequence[Any], grid: int, **options: Any) -> list[bytes]:
    """What all arrays hold after a call."""
    copied = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    call(*copied, grid=grid, **options)
    return [a.tobytes() for a in copied if isinstance(a, np.ndarray)]


@pytest.mark.parametrize(("name", "sizes"), [(n, s) for n in NAMES for s in SIZES[n]])
def test_same_bits_as_the_text(name: str, sizes: tuple[int, ...]) -> None:
    """Both on native code, the kernel in Python also on the reference engine and eagerly."""
    text, kernel = ptoscope.load(PYTHON.parent / f"{name}.pto"), KERNELS[name]
    for arguments, grid in launches(name, sizes):
        expected = results(text, arguments, grid, engine="native")
        assert results(kernel, arguments, grid, engine="native") == expected
        assert results(kernel, arguments, grid, engine="reference") == expected
        assert results(kernel.eager, arguments, grid) == expected


@every
@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_found_in_it(name: str, target: str) -> None:
    found = KERNELS[name].check(target)
    if name in A5_ALONE and target != "a5":
        assert any(each.severity == "error" for each in found)
    else:
        assert found == []


@every
def test_nothing_is_found_in_a_run_of_it(name: str) -> None:
    """No race, nothing undefined, and the same result in other orders of the pipes."""
    kernel: Kernel = KERNELS[name].on()
    for arguments, grid in launches(name, SEVERAL[name]):
        assert kernel.watch(*arguments, grid=grid, schedules=4).diagnostics == []


@every
def test_it_takes_no_more_cycles_than_the_text(name: str) -> None:
    """At most a twentieth more: tiles are the same, and synchronisation is no more than needed."""
    for arguments, grid in launches(name, SEVERAL[name]):
        text = ptoscope.load(PYTHON.parent / f"{name}.pto")
        timings = (
            k.time(*arguments, grid=grid, engine="native") for k in (text, KERNELS[name].on())
        )
        written, compiled = (timing.total_cycles for timing in timings)
        assert compiled <= 1.05 * written


@every
def test_python_takes_a_third_of_the_lines(name: str) -> None:
    python, text = RUNNER.lines_of(name)
    assert python <= text / 3


def test_lines_are_counted_without_comments_and_docstrings() -> None:
    python = '"""Two\nlines."""\n\n# one\nx = (\n    1\n)  # two\n\n\n'
    python += 'def f():\n    """Doc."""\n    return 1\n'
    assert RUNNER.lines_of_python(python) == 5
    assert RUNNER.lines_of_text("// one\n\nmodule {\n  // two\n  return // three\n}\n") == 3


def test_the_scripts_find_them_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert RUNNER.main(["gelu", "rope"]) == 0
    out = capsys.readouterr().out
    assert "gelu: 50000 elements" in out
    assert "rope: 48 tokens" in out
