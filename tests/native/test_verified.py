"""Generated code is what LLVM demands of a module: above all, a value is made on every way to where
it is used. LLVM itself does not look, and makes anything of a module that is wrong."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

import ptoscope
from ptoscope import Kernel, native
from ptoscope.native.recording.core import RecordingCompiler
from ptoscope.trace.places import Outline
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import load

ROOT = Path(__file__).parents[2]
KERNELS = sorted((ROOT / "examples").glob("*.pto")) + sorted((ROOT / "bench").glob("*/*.pto"))
LEAST = pytest.mark.parametrize("least", ["0", "1", "2048"])


def _verify(kernel: Kernel) -> None:
    module = native.lower(kernel.function, kernel.target, kernel.revision)
    for text in (module.text, module.cold_text):
        if text:
            llvm.parse_assembly(text).verify()


@LEAST
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels(path: Path, least: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOSCOPE_ELIDE", least)
    _verify(ptoscope.load(path))


@LEAST
@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs(first: int, least: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOSCOPE_ELIDE", least)
    for seed in range(first, first + 10):
        _verify(load(any_program(seed)))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_traced_kernels(path: Path) -> None:
    kernel = ptoscope.load(path)
    outline, features = Outline(kernel.function), native.machine_features()
    compiler = RecordingCompiler(outline, kernel.function, kernel.target, kernel.revision, features)
    module = compiler.module()
    for text in (module.text, module.cold_text):
        if text:
            llvm.parse_assembly(text).verify()
