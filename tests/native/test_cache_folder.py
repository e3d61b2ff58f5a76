"""The folder of compiled objects: nothing of others is run, nothing of others is removed."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from ptoscope.native import cache, cache_folder
from tests.native.test_cache import RUN

KEY = "a" * 64


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that a user named for the cache and that holds other things."""
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path / "mine"))
    monkeypatch.setattr(cache_folder, "_said", set())
    return tmp_path / "mine"


def objects(root: Path) -> Path:
    return root / "ptoscope-objects"


def fill(folder: Path, names: list[str], data: bytes = b"mine") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(data)
        os.utime(folder / name, (1, 1))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and objects(folder) not in p.parents
    }


def overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Writes more entries than are kept."""
    monkeypatch.setattr(cache, "_MOST", 20)
    for i in range(100):
        cache.write(f"{i:064x}", b"x")


def test_trimming_leaves_foreign_files_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the directory, in folders beside the cache's, named like the folders and the files of
    any cache, and behind links to directories."""
    names = [f"photo{i}.jpg" for i in range(60)]
    digits = [f"{i:062x}" for i in range(60)]
    fill(root, names)
    for inside in ("aa", "00", "work", "work/deep"):
        fill(root / inside, names + digits)
    fill(tmp_path / "elsewhere", names + digits)
    (root / "link").symlink_to(tmp_path / "elsewhere")
    before = contents(root), contents(tmp_path / "elsewhere")
    overflow(monkeypatch)
    assert (contents(root), contents(tmp_path / "elsewhere")) == before
    assert len(list(objects(root).glob("*.ptoscope"))) <= 20


def test_trimming_removes_only_our_name_with_our_magic(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.write(KEY, b"x")
    entry = (objects(root) / f"{KEY}.ptoscope").read_bytes()
    foreign = {
        "notes.txt": b"mine",
        f"{'b' * 64}.ptoscope": b"mine",
        f"{'c' * 64}": entry,
        f"{'d' * 64}.txt": entry,
    }
    for name, data in foreign.items():
        fill(objects(root), [name], data)
    fill(tmp_path / "elsewhere", ["own"], entry)
    link = objects(root) / f"{'e' * 64}.ptoscope"
    link.symlink_to(tmp_path / "elsewhere" / "own")
    abandoned = f"{'f' * 64}.ptoscope-new-0123456789abcdef"
    fill(objects(root), [abandoned], entry[:30])
    overflow(monkeypatch)
    assert {name: (objects(root) / name).read_bytes() for name in foreign} == foreign
    assert link.is_symlink()
    assert (tmp_path / "elsewhere" / "own").read_bytes() == entry
    assert not (objects(root) / abandoned).exists()


def test_the_folder_is_for_one_user(root: Path) -> None:
    cache.write(KEY, b"content")
    for path in (root, objects(root), *objects(root).iterdir()):
        assert not path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH), path
    assert stat.S_IMODE(objects(root).stat().st_mode) == 0o700
    assert [p.name for p in root.iterdir()] == ["ptoscope-objects"]


def writable_by_all(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects(root).chmod(0o777)


def writable_by_a_group(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects(root).chmod(0o770)


def of_another_user(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)


def a_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects(root).rename(root / "moved")
    objects(root).symlink_to(root / "moved")


def without_tag(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (objects(root) / "CACHEDIR.TAG").unlink()


def with_a_foreign_tag(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (objects(root) / "CACHEDIR.TAG").write_text("of another program")


FOLDERS = {
    writable_by_all: "others may write to it (mode 777)",
    writable_by_a_group: "others may write to it (mode 770)",
    of_another_user: "it belongs to user",
    a_link: "it is a link",
    without_tag: "it has no CACHEDIR.TAG",
    with_a_foreign_tag: "its CACHEDIR.TAG is not",
}


@pytest.mark.parametrize("change", FOLDERS, ids=lambda change: change.__name__)
def test_a_folder_that_others_may_have_written_is_not_used(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., None]
) -> None:
    cache.write(KEY, b"content")
    assert cache.read(KEY) == b"content"
    change(root, monkeypatch)
    before = sorted(objects(root).iterdir())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert cache.read(KEY) is None
        cache.write("b" * 64, b"content")
        assert cache.read("b" * 64) is None
    assert [t.category for t in told] == [cache_folder.CacheWarning]
    assert f"{objects(root)}: {FOLDERS[change]}" in str(told[0].message)
    assert sorted(objects(root).iterdir()) == before


def test_a_file_that_others_may_have_written_is_not_run(root: Path, tmp_path: Path) -> None:
    """No word: the next one that is written takes its place."""
    cache.write(KEY, b"content")
    entry = objects(root) / f"{KEY}.ptoscope"
    entry.chmod(0o666)
    assert cache.read(KEY) is None
    cache.write(KEY, b"content")
    assert cache.read(KEY) == b"content"
    entry.rename(tmp_path / "moved")
    entry.symlink_to(tmp_path / "moved")
    assert cache.read(KEY) is None
    entry.unlink()
    os.mkfifo(entry, 0o600)
    assert cache.read(KEY) is None


def test_a_file_of_another_user_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write(KEY, b"content")
    with cache_folder.opened() as folder:
        assert folder is not None
        assert cache_folder.read_file(folder, KEY) is not None
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert cache_folder.read_file(folder, KEY) is None


def test_a_full_disk_leaves_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write(KEY, b"content")
    before = sorted(objects(root).iterdir())

    def fail(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    cache.write("b" * 64, b"content")
    assert sorted(objects(root).iterdir()) == before
    monkeypatch.undo()


def test_the_command_says_it_once_and_runs(root: Path) -> None:
    objects(root).mkdir(parents=True)
    objects(root).chmod(0o777)
    ended = subprocess.run(
        [sys.executable, "-m", "ptoscope", *RUN], capture_output=True, text=True, check=True
    )
    assert ended.stderr.splitlines() == [
        f"ptoscope: warning: compiled kernels are not kept: {objects(root)}: others may write to "
        "it (mode 777); remove it, or name another directory with PTOSCOPE_CACHE"
    ]
    assert list(objects(root).iterdir()) == []


def test_one_that_is_not_there_is_no_reason_to_speak(root: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache_folder.check()
        assert cache.read(KEY) is None
