"""Compiled objects on disk: found again, never trusted blindly, shared by processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.native import cache

ADD = Path(__file__).parents[2] / "examples" / "vector_add.pto"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entries(folder: Path) -> dict[str, bytes]:
    return {p.stem: p.read_bytes() for p in folder.glob("ptoscope-objects/*.ptoscope")}


def add(text: str | Path = ADD, n: int = 100) -> ptoscope.Kernel:
    """Loads and runs the addition, and checks its sums."""
    a, b, out = np.arange(n, dtype="f4"), np.full(n, 2, "f4"), np.zeros(n, "f4")
    kernel = ptoscope.load(text)
    kernel(a, b, out, n, engine="native")
    assert (out == a + b).all()
    return kernel


def test_the_second_load_reads_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add()
    before = entries(folder)
    assert before

    def fail(*arguments: object) -> None:
        raise AssertionError("not from the cache")

    monkeypatch.setattr("ptoscope.kernel.parse", fail)
    monkeypatch.setattr("ptoscope.native.compile_program", fail)
    add()
    assert entries(folder) == before


def test_a_kernel_from_the_cache_is_whole(folder: Path) -> None:
    first = add()
    second = add()
    assert second.name == first.name
    assert second.target is first.target
    assert second.signature.as_json() == first.signature.as_json()
    assert len(second.program.functions) == 1
    assert [op.name for op in second.function.ops()] == [op.name for op in first.function.ops()]
    out = np.zeros(100, "f4")
    second(np.ones(100, "f4"), np.ones(100, "f4"), out, 100, engine="reference")
    assert (out == 2).all()


def test_faults_and_wrong_arguments_from_the_cache(folder: Path) -> None:
    add()

    def said(engine: str) -> list[dict[str, object]]:
        small = np.zeros(64, "f4")
        with pytest.raises(PtoError) as error:
            ptoscope.load(ADD)(small, small.copy(), small.copy(), 5000, engine=engine)
        return [d.as_json() for d in error.value.diagnostics]

    assert said("native") == said("reference")
    with pytest.raises(PtoError, match="takes 4 arguments"):
        ptoscope.load(ADD)(1)


def test_warnings_are_kept(folder: Path) -> None:
    text = ADD.read_text().replace(
        "return",
        '%s = arith.constant 0 : i64\n pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID7"]\n return',
    )
    first = add(text).findings
    assert [d.severity for d in first] == ["warning"]
    assert add(text).findings == first


@pytest.mark.parametrize("change", ["text", "target", "revision", "entry"])
def test_each_has_its_own_entry(folder: Path, change: str) -> None:
    add()
    before = entries(folder)
    text = ADD.read_text()
    match change:
        case "text":
            kernel = ptoscope.load(text + "\n// more\n")
        case "target":
            kernel = ptoscope.load(ADD, target="cpu")
        case "revision":
            kernel = ptoscope.load(ADD, revision="micro")
        case _:
            kernel = ptoscope.load(ADD, entry="vector_add")
    arrays = [np.zeros(8, "f4") for _ in range(3)]
    kernel(*arrays, 8, engine="native")
    after = entries(folder)
    assert before.items() <= after.items()
    assert len(after) == len(before) + 1


DAMAGES = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-100] + bytes([data[-100] ^ 1]) + data[-99:],
    "another make": lambda data: data.replace(b"object 1", b"object 0"),
    "nonsense": lambda data: bytes(range(256)) * 40,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_replaced(folder: Path, damage) -> None:
    add()
    good = entries(folder)
    for place in folder.glob("*/*.ptoscope"):
        place.write_bytes(damage(place.read_bytes()))
    add()
    # The runtime functions are in memory already; the kernel's own entry is written again.
    assert any(entries(folder)[name] == data for name, data in good.items())


def test_an_entry_under_another_name_is_ignored(folder: Path) -> None:
    cache.write("a" * 64, b"content")
    assert cache.read("a" * 64) == b"content"
    place = folder / "ptoscope-objects" / f"{'a' * 64}.ptoscope"
    place.with_stem("b" * 64).write_bytes(place.read_bytes())
    assert cache.read("b" * 64) is None


def test_a_place_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no directory")
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path / "file" / "below"))
    add()
    monkeypatch.setenv("PTOSCOPE_CACHE", "")
    add()


def test_the_oldest_entries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_MOST", 20)
    for i in range(50):
        cache.write(f"{i:064x}", b"x")
    left = entries(folder)
    assert len(left) <= 20
    assert f"{49:064x}" in left


RUN = ("run", str(ADD), "zeros:300", "zeros:300", "zeros:300", "300")


@pytest.mark.parametrize(
    ("module", "cold"), [("ptoscope.ir", True), ("ptoscope.isa.table", True), ("numpy.ma", False)]
)
def test_a_warm_run_imports_only_what_it_needs(folder: Path, module: str, cold: bool) -> None:
    """Neither reader nor instructions; and masked arrays only those who have one."""
    text = "import sys; from ptoscope.cli.main import main; status = main(sys.argv[1:]);"
    text += f"print('{module}' in sys.modules); sys.exit(status)"
    seen = [
        subprocess.run(
            [sys.executable, "-c", text, *RUN], check=True, capture_output=True, text=True
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert [lines[-1] for lines in seen] == [str(cold), "False"]
    assert seen[0][:-1] == seen[1][:-1]


def test_processes_share_the_cache(folder: Path) -> None:
    """Six at once on an empty cache: all give the same, and one entry for each thing is left."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "ptoscope", *RUN], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    told = {process.communicate()[0] for process in running}
    assert [process.returncode for process in running] == [0] * 6
    assert len(told) == 1
    assert len(entries(folder)) == 2
