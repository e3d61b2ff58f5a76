"""SECURITY.md says what the code does: its names and numbers are the code's, and what it says of
a kernel, of cases and of the cache is tried."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope.cases.host import interpreter, preprocessor
from ptoscope.cases.run import processes
from ptoscope.machine import pipes
from ptoscope.native import cache, cache_folder, jit, runtime
from tests.cases.conftest import make_case
from tests.command import Outcome

ROOT = Path(__file__).parents[1]
TEXT = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
SUM = ROOT / "examples" / "vector_add.pto"


def test_its_numbers_are_the_code_s() -> None:
    for sentence in (
        f"{processes.MOST_MEMORY >> 30} GiB of address space",
        f"{processes.MOST_FILE_BYTES >> 30} GiB for a file",
        f"at most {interpreter.STEPS:,} steps",
        f"at most {pipes.MOST_QUEUED:,} instructions",
        f"up to {preprocessor._MOST:,} lines and tokens",
        f"kept in `{cache_folder.NAME}`",
        f"a `{cache_folder._TAG}` of its own",
    ):
        assert sentence in TEXT, sentence


def test_generated_code_calls_what_it_says() -> None:
    """Every symbol that is not defined in the text of the runtime is one of those named."""
    named = {"memcpy", "memmove", "memset"}
    assert named <= {word.strip("`,") for word in TEXT.split()}
    assert set(jit._LIBRARY_CALLS) == named | {"fmod", "fmodf"}
    text = runtime.text(jit.host())
    declared = set(re.findall(r"^declare .*?@([\w.]+)\(", text, re.MULTILINE))
    assert {name for name in declared if not name.startswith("llvm.")} <= set(jit._LIBRARY_CALLS)


def test_a_kernel_that_reaches_beyond_its_arrays_is_stopped() -> None:
    """Its neighbours in one allocation stay as they are."""
    memory = np.full(300, 7, "f4")
    out = memory[100:164]
    with pytest.raises(ptoscope.PtoError, match="PTO0902"):
        ptoscope.load(SUM)(np.ones(300, "f4"), np.ones(300, "f4"), out, 300, engine="native")
    assert (memory[:100] == 7).all()
    assert (memory[164:] == 7).all()


def test_arrays_are_plain_data(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    mark = tmp_path / "mark"

    class Harmful:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return open, (str(mark), "w")  # type: ignore[return-value]

    np.save(tmp_path / "x.npy", np.array([Harmful()], dtype=object), allow_pickle=True)
    outcome = Outcome.of(("run", SUM, tmp_path / "x.npy", "zeros:8", "zeros:8", "8"), capfd)
    assert outcome.code == 1
    assert "PTO0806" in outcome.err
    assert not mark.exists()


def test_what_of_a_case_is_executed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The two scripts, in a working directory and a TMPDIR of scratch; no other Python file."""
    case = make_case(tmp_path / "cases", "case")
    mark = tmp_path / "mark"
    say = f"import os\nopen({str(mark)!r}, 'a').write(f'{{__file__}} {{os.getcwd()}} "
    say += '{os.environ["TMPDIR"]}\\n\')\n'
    for path in (case / "golden.py", case / "compare.py", case / "other.py"):
        path.write_text(say + (path.read_text("utf-8") if path.exists() else ""), encoding="utf-8")
    (case / "conftest.py").write_text(say, encoding="utf-8")
    assert Outcome.of(("cases", case), capfd).code == 0
    lines = [line.split() for line in mark.read_text().splitlines()]
    assert [Path(file).name for file, _, _ in lines] == ["golden.py", "compare.py"]
    for _, directory, temporary in lines:
        assert Path(directory).parent == Path(temporary).parent
        assert not Path(directory).exists()


def test_what_the_cache_says_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is in tests/native/test_cache_folder.py."""
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path))
    cache.write("a" * 64, b"content")
    folder = tmp_path / cache_folder.NAME
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "mode 0700" in TEXT
    monkeypatch.setenv("PTOSCOPE_CACHE", "")
    assert cache_folder.root() is None
    cache.write("b" * 64, b"content")
    assert len(list(folder.glob("*.ptoscope"))) == 1
