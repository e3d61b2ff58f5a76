"""Memory of `run` grows by at most twice the arrays: what they hold, and what they held."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

ADD = Path(__file__).parents[2] / "examples" / "vector_add.pto"
MEASURED = """
import sys
from ptoscope.cli.main import main
status = main()
# Not ru_maxrss, which begins with what the parent had.
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(status)
"""
COUNT = 4 << 20
"""Elements of an array: 16 MiB of float32, twice what interpreters differ by."""


def peak(cache: Path, *argv: object) -> int:
    """The most bytes that a process had which ran a command."""
    ended = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, argv)],
        env={**os.environ, "PTOSCOPE_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    found = re.search(r"^VmHWM:\s+(\d+) kB$", ended.stdout, re.MULTILINE)
    assert found is not None
    return int(found[1]) << 10


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Arrays, and what they add up to."""
    root = tmp_path_factory.mktemp("memory")
    a, b = np.random.default_rng(0).standard_normal((2, COUNT), np.float32)
    for name, array in (("a", a), ("b", b), ("sum", a + b)):
        np.save(root / f"{name}.npy", array)
        array.tofile(root / f"{name}.bin")
    np.save(root / "big.npy", a.astype(">f4"))
    return root


LITTLE = ("zeros:64", "zeros:64", "zeros:64", 64)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that holds the kernel, as it is for little arrays and for large ones."""
    root = tmp_path_factory.mktemp("cache")
    for count in (64, COUNT):
        peak(root, "run", ADD, *[f"zeros:{count}"] * 3, count)
    return root


@pytest.fixture(scope="module")
def own_of_saving(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """What a run that saves next to nothing has."""
    return peak(cache, "run", ADD, *LITTLE, "--save", tmp_path_factory.mktemp("little") / "saved")


RUNS = {
    "npy": ("a.npy", "b.npy", "sum.npy"),
    "bin": ("a.bin", "b.bin", "sum.bin"),
    "made": (f"randn:{COUNT}", f"arange:{COUNT}", f"zeros:{COUNT}"),
    "of the other byte order": ("big.npy", "b.npy", "sum.npy"),
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_that_saves(
    kind: str, files: Path, cache: Path, own_of_saving: int, tmp_path: Path
) -> None:
    arrays = [files / word if ":" not in word else word for word in RUNS[kind]]
    whole = peak(cache, "run", ADD, *arrays, COUNT, "--save", tmp_path / "saved")
    size = 3 * 4 * COUNT
    # Interpreters differ by a few megabytes from start to start.
    grown = whole - own_of_saving
    assert grown < 2 * size + (8 << 20), grown / size
    saved = np.load(tmp_path / "saved" / "arg2.npy")
    assert np.array_equal(np.fromfile(tmp_path / "saved" / "arg2.bin", np.float32), saved)
    if kind != "made":
        assert (tmp_path / "saved" / "arg0.npy").read_bytes() == (
            files / arrays[0].with_suffix(".npy").name  # type: ignore[union-attr]
        ).read_bytes()
        assert np.array_equal(saved, np.load(files / "sum.npy"))


def test_a_run_that_compares(files: Path, cache: Path, tmp_path: Path) -> None:
    """One array more, which it is compared with."""
    np.save(tmp_path / "little.npy", np.zeros(64, np.float32))
    own = peak(cache, "run", ADD, *LITTLE, "--expect", f"2={tmp_path / 'little.npy'}")
    arrays = [files / "a.npy", files / "b.npy", f"zeros:{COUNT}"]
    expected = ("--expect", f"2={files / 'sum.npy'}")
    whole = peak(cache, "run", ADD, *arrays, COUNT, *expected)
    size = 3 * 4 * COUNT
    assert whole - own < 2 * size + (8 << 20), (whole - own) / size
