"""Every example runs, is right for odd sizes too, and would notice if it were not."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.pto"))
TARGETS = ("cpu", "a2a3", "a5")
A5_ALONE = ("flash_attention",)
"""Kernels that use what other targets do not have."""

# Positional arguments of main: sizes around a lane, a register and a tile, and the grid.
LENGTHS = [(0, 1), (1, 1), (1, 4), (63, 2), (64, 1), (65, 3), (1023, 1), (1025, 2), (4097, 5)]
SIZES: dict[str, list[tuple[int, ...]]] = {
    "vector_add": [*LENGTHS, (8191, 1), (8193, 3), (30_001, 2)],
    "abs_kernel": [(1,), (2,)],
    "clamp": [*LENGTHS, (12_289, 3)],
    "bias_scale": [(0, 5, 1), (1, 1, 1), (16, 64, 1), (17, 65, 2), (50, 1024, 3), (33, 1023, 8)],
    "carry_chain": LENGTHS,
    "double_buffer_flags": [*LENGTHS, (9_999, 1)],
    "double_buffer_bufs": [*LENGTHS, (9_999, 1)],
    "row_softmax": [(0, 1), (1, 1), (15, 1), (17, 2), (64, 3), (33, 7)],
    "layer_norm": [(0, 5, 1), (1, 1, 1), (8, 64, 1), (9, 65, 2), (20, 2048, 3), (33, 2047, 8)],
    "gelu": [*LENGTHS, (8191, 1), (8193, 3)],
    "rope": [(0, 1, 1, 1), (1, 1, 1, 1), (5, 3, 33, 2), (7, 2, 63, 4), (9, 64, 64, 3)],
    "quantize_int8": [(0, 5, 1), (1, 1, 1), (8, 64, 1), (9, 65, 2), (20, 2048, 3), (33, 2047, 8)],
    "histogram": [*LENGTHS, (16_385, 3)],
    "matmul": [(0, 5, 3, 1), (1, 1, 1, 1), (17, 33, 65, 2), (128, 256, 64, 8), (129, 130, 129, 3)],
    "matmul_quantized": [(0, 5, 3, 1), (1, 1, 1, 1), (17, 33, 65, 2), (129, 130, 257, 3)],
    "flash_attention": [(0, 5, 1), (1, 1, 1), (2, 64, 1), (17, 33, 2), (129, 65, 3), (128, 130, 1)],
    "top_k": [(0, 5, 1, 1), (1, 1, 1, 1), (2, 64, 33, 2), (3, 65, 8, 1), (1, 2048, 65, 2)],
}
# Where a result may differ by rounding, a wrong last bit cannot be noticed.
ROUNDED = {"row_softmax", "layer_norm", "gelu", "matmul", "flash_attention"}
# Sizes that a kernel has no room for, and what its script says of them.
TOO_LARGE: dict[str, list[tuple[tuple[int, ...], str]]] = {
    "bias_scale": [((3, 1025), "room for 1024")],
    "layer_norm": [((3, 2049), "room for 1 to 2048"), ((3, 0), "room for 1 to 2048")],
    "quantize_int8": [((3, 2049), "room for 1 to 2048"), ((3, 0), "room for 1 to 2048")],
    "top_k": [((3, 2049, 5), "1 to 2048 columns"), ((3, 5, 6), "k of them"), ((3, 5, 0), "k of")],
    "matmul": [((3, 5, 0), "at least 1")],
    "matmul_quantized": [((3, 5, 0), "at least 1")],
    "flash_attention": [((3, 0), "at least 1")],
    "rope": [((2, 65, 8), "room for 64 of 64"), ((2, 8, 65), "room for 64 of 64")],
}


def main_of(name: str) -> Callable[..., int]:
    """The main function of an example."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def test_every_kernel_has_a_script_sizes_and_a_line() -> None:
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == NAMES
    assert sorted(SIZES) == NAMES
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in readme.splitlines() if line.startswith("| `")]
    assert sorted(listed) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_as_a_script(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 0 and one line, without arguments and with a size."""
    for arguments in ([], [str(n) for n in SIZES[name][-1]]):
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        assert left.value.code == 0
        out = capsys.readouterr().out
        assert out.startswith(f"{name}: ")
        assert out.count("\n") == 1


def targets_of(name: str) -> tuple[str, ...]:
    """Those that have all that an example uses."""
    return ("a5",) if name in A5_ALONE else TARGETS


@pytest.mark.parametrize(
    ("name", "sizes", "target"),
    [(n, sizes, target) for n in NAMES for sizes in SIZES.get(n, []) for target in targets_of(n)],
)
def test_sizes(name: str, sizes: tuple[int, ...], target: str) -> None:
    assert main_of(name)(*sizes, target=target) == 0


@pytest.mark.parametrize(
    ("name", "sizes", "says"),
    [(name, *refused) for name in TOO_LARGE for refused in TOO_LARGE[name]],
)
def test_sizes_without_room_are_refused(
    name: str, sizes: tuple[int, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main_of(name)(*sizes) == 1
    assert says in capsys.readouterr().out


class Spoilt:
    """A kernel whose results are spoilt after the run, or which does not run at all."""

    def __init__(self, kernel: ptoscope.Kernel, spoil: Callable[[list[Any]], None] | None) -> None:
        self.kernel, self.spoil = kernel, spoil

    def __call__(self, *arguments: Any, grid: int = 1) -> None:
        if self.spoil is None:
            return
        arrays = [a for a in arguments if isinstance(a, np.ndarray)]
        before = [a.copy() for a in arrays]
        self.kernel(*arguments, grid=grid)
        pairs = zip(arrays, before, strict=True)
        self.spoil([a for a, b in pairs if a.tobytes() != b.tobytes()])


def run_spoilt(
    name: str, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[list[Any]], None] | None
) -> int:
    """The exit status of an example whose kernel is spoilt."""
    load = ptoscope.load
    with monkeypatch.context() as patch:
        patch.setattr(ptoscope, "load", lambda *given: Spoilt(load(*given), spoil))
        return main_of(name)()


@pytest.mark.parametrize("name", NAMES)
def test_an_example_notices_a_kernel_that_does_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_spoilt(name, monkeypatch, None) == 1


@pytest.mark.parametrize("name", NAMES)
def test_an_example_notices_one_wrong_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first, a middle and the last element of each output."""
    bit = 1 << 24 if name in ROUNDED else 1
    outputs: list[Any] = []
    assert run_spoilt(name, monkeypatch, outputs.extend) == 0
    assert outputs
    for which, array in enumerate(outputs):
        for position in (0, array.size // 2, array.size - 1):

            def spoil(arrays: list[Any], which: int = which, position: int = position) -> None:
                bits = arrays[which].reshape(-1).view(f"u{arrays[which].itemsize}")
                bits[position] ^= bit

            assert run_spoilt(name, monkeypatch, spoil) == 1
