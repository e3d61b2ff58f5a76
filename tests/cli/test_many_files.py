"""Commands that take many files: directories, patterns, files that cannot be read, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import BROKEN, MISMASKED, Cli, store

PYTHON = """from ptoscope import pto
print("imported")

@pto.kernel
def first(x: pto.gm[pto.f32]) -> None:
    pass
"""
UNTIDY = "module{\nfunc.func @f(){ return }\n}\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Returns a directory of kernels, right and wrong, and of other files."""
    top = tmp_path / "kernels"
    for name, text in {
        "b.pto": store("f32"),
        "a.pto": MISMASKED,
        "below/c.pto": BROKEN,
        "below/deep/d.py": PYTHON,
        "below/deep/e.txt": "no kernel",
        "helper.py": "import nothing_of_that_name  # ptoscope, kernel\n",
        "test_it.py": "from ptoscope import pto\ndef test():\n    pto.kernel(test)\n",
        ".hidden/f.pto": BROKEN,
        ".g.pto": BROKEN,
        "folder.pto/h.pto": store("f16"),
    }.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.mkfifo(top / "pipe.pto")
    (top / "around").symlink_to(top)
    return top


MEANT = ["a.pto", "b.pto", "below/c.pto", "below/deep/d.py", "folder.pto/h.pto"]


def checked(cli: Cli, *words: object, command: str = "check") -> list[str]:
    """The files that a command looked at."""
    return [file["file"] for file in cli(command, *words, "--json").json["files"]]


def test_a_directory_means_the_kernels_below_it(cli: Cli, tree: Path) -> None:
    assert sorted(checked(cli, "kernels")) == [f"kernels/{name}" for name in MEANT]
    assert sorted(checked(cli, ".")) == [f"kernels/{name}" for name in MEANT]
    assert sorted(checked(cli, tree)) == [str(tree / name) for name in MEANT]
    outcome = cli("check", "kernels")
    assert outcome.code == 1
    assert outcome.out.startswith("5 files: wrong, ")
    assert outcome.out.endswith("; 2 files wrong\n")
    assert outcome.err.index("kernels/a.pto:9:") < outcome.err.index("kernels/below/c.pto:3:")


def test_its_order_is_that_of_names(cli: Cli, tree: Path) -> None:
    assert checked(cli, "kernels") == checked(cli, "kernels")
    assert checked(cli, "kernels")[:2] == ["kernels/a.pto", "kernels/b.pto"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("kernels/*.pto", ["a.pto", "b.pto", "folder.pto/h.pto"]),
        ("kernels/**/*.pto", ["a.pto", "b.pto", "folder.pto/h.pto", "below/c.pto"]),
        ("kernels/[ab].pto", ["a.pto", "b.pto"]),
        ("kernels/?.pto", ["a.pto", "b.pto"]),
        ("kernels/below/deep/*", ["below/deep/d.py", "below/deep/e.txt"]),
        ("**/d.py", ["below/deep/d.py"]),
    ],
)
def test_a_pattern_needs_no_shell(cli: Cli, tree: Path, pattern: str, names: list[str]) -> None:
    assert checked(cli, pattern) == [f"kernels/{name}" for name in names]


def test_what_is_named_may_have_any_name_and_is_taken_once(cli: Cli, write) -> None:
    write("k.txt", store("f32"))
    write("[k].pto", store("f16"))
    write("k.pto", BROKEN)
    assert checked(cli, "k.txt", "[k].pto", "k.txt", "./k.txt") == ["k.txt", "[k].pto"]
    assert checked(cli, "k.pto", ".") == ["k.pto", "[k].pto"]


def test_what_cannot_be_read_is_one_finding(cli: Cli, write, tmp_path: Path) -> None:
    write("a.pto", BROKEN)
    write("z.pto", MISMASKED)
    (tmp_path / "b.pto").write_bytes(b"\xff")
    (tmp_path / "empty").mkdir()
    words = ("a.pto", "missing.pto", "b.pto", "*.none", "empty", "x.py:1", "z.pto")
    outcome = cli("check", *words)
    assert outcome.code == 2
    for said in (
        "a.pto:3:",
        "missing.pto: error[PTO0000]: cannot read missing.pto: No such file or directory\n",
        "b.pto:1:1: error[PTO0007]",
        "*.none: error[PTO0000]: no file matches *.none\n",
        "empty: error[PTO0000]: there is no kernel below empty (.pto or .py)\n",
        "x.py:1: error[PTO0000]: x.py:1: '1' names no kernel",
        "z.pto:9:",
    ):
        assert said in outcome.err
    errors = outcome.err.count("error[")
    assert outcome.out == (
        f"7 files: wrong, {errors} errors, 0 warnings; 7 files wrong, 4 not read or written\n"
    )
    record = cli("check", *words, "--json").json
    assert [f["file"] for f in record["files"]] == list(words)
    assert sum(f["errors"] for f in record["files"]) == len(record["diagnostics"]) == errors
    assert [d["file"] for d in record["diagnostics"] if d["code"] == "PTO0000"] == [
        *("missing.pto", "*.none", "empty", "x.py:1"),
    ]


def test_a_folder_that_cannot_be_read(
    cli: Cli, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scandir(path):
        if str(path).endswith("below"):
            raise PermissionError(13, "Permission denied", path)
        return look(path)

    look = os.scandir
    monkeypatch.setattr(os, "scandir", scandir)
    outcome = cli("check", "kernels")
    assert outcome.code == 2
    assert "kernels/below: error[PTO0000]: cannot read kernels/below: Permission d" in outcome.err
    assert "kernels/a.pto:9:" in outcome.err


def test_an_internal_error_is_one_finding(cli: Cli, write, monkeypatch: pytest.MonkeyPatch) -> None:
    from ptoscope.cli import check

    def examine(word, request):
        if word.name == "b.pto":
            raise RecursionError("deep")
        return look(word, request)

    look = check.examine
    monkeypatch.setattr(check, "examine", examine)
    for name in "abc":
        write(f"{name}.pto", MISMASKED)
    outcome = cli("check", "a.pto", "b.pto", "c.pto")
    assert outcome.code == 1
    assert "b.pto: error[PTO9999]: internal error: RecursionError: deep" in outcome.err
    assert "c.pto:9:" in outcome.err


def test_all_targets_of_a_directory(cli: Cli, tree: Path) -> None:
    outcome = cli("check", "kernels", "missing.pto", "--all-targets")
    assert outcome.code == 2
    assert "kernels/b.pto: legal on cpu, a2a3, a5\n" in outcome.out
    assert "kernels/below/c.pto: legal on no target\n" in outcome.out
    assert "missing.pto: error[PTO0000]" in outcome.err


@pytest.mark.parametrize("command", ["fmt --check", "fmt -i", "check --fix", "check --diff"])
def test_commands_that_edit_leave_python_alone(cli: Cli, tree: Path, command: str) -> None:
    names = [f"kernels/{name}" for name in MEANT if name.endswith(".pto")]
    name, option = command.split()
    assert checked(cli, "kernels", option, command=name) == names
    outcome = cli(name, option, "kernels/b.pto", "kernels/below/deep/d.py")
    assert outcome.code == 2
    assert "kernels/below/deep/d.py is Python, which is not edited" in outcome.err
    assert "imported" not in outcome.err


def test_fmt_check_of_many(cli: Cli, write) -> None:
    write("a.pto", UNTIDY)
    write("b.pto", BROKEN)
    write("c.pto", cli("fmt", write("d.pto", store("f32"))).out)
    write("e.pto", UNTIDY)
    os.remove("d.pto")
    outcome = cli("fmt", "--check", ".", "missing.pto")
    assert outcome.code == 2
    assert outcome.out == (
        "a.pto: would change\ne.pto: would change\n"
        "5 files: 2 would change, 2 could not be formatted\n"
    )
    assert "b.pto:3:" in outcome.err
    assert "missing.pto: error[PTO0000]: cannot read missing.pto" in outcome.err
    record = cli("fmt", "--check", ".", "--json").json
    assert [(f["file"], f["ok"]) for f in record["files"]] == [
        *(("a.pto", False), ("b.pto", False), ("c.pto", True), ("e.pto", False)),
    ]
    outcome = cli("fmt", "-i", ".")
    assert (outcome.code, Path("b.pto").read_text()) == (1, BROKEN)
    assert outcome.out.endswith("4 files: 2 rewritten, 1 could not be formatted\n")
    assert cli("fmt", "--check", "a.pto", "c.pto", "e.pto").out == "3 files: 0 would change\n"


def test_fixes_of_many(cli: Cli, write) -> None:
    for name in "ab":
        write(f"{name}.pto", MISMASKED)
    diff = cli("check", "--diff", "a.pto", "missing.pto", "b.pto")
    assert diff.code == 2
    assert (diff.err.count("PTO0108"), diff.out.count("fix to apply\n")) == (2, 2)
    assert cli("check", "--fix", "a.pto", "missing.pto", "b.pto").code == 2
    assert "PTO0108" not in cli("check", "a.pto", "b.pto").err


def test_a_diff_can_be_applied(cli: Cli, write, tmp_path: Path) -> None:
    """Lines end at line feeds: a comment may hold what else Python calls an end of line."""
    text = MISMASKED.replace("%x = ", "// a\x0bb\x85c\u2028d\x1ce\n      %x = ").rstrip("\n")
    write("k.pto", text)
    diff = json.loads(cli("check", "--diff", "k.pto", "--json").out)["files"][0]["diff"]
    assert cli("check", "--fix", "k.pto").out.startswith("k.pto: 1 fix applied\n")
    fixed = Path("k.pto").read_text()
    write("k.pto", text)
    subprocess.run(["patch", "-s", "k.pto"], input=diff, text=True, check=True, cwd=tmp_path)
    assert Path("k.pto").read_text() == fixed != text


def interrupted(tmp_path: Path, *options: str) -> tuple[int, str, str]:
    """Status, out and err of a check whose second file is a pipe: once the first finding is told,
    it is interrupted."""
    (tmp_path / "a.pto").write_text(BROKEN)
    (tmp_path / "c.pto").write_text(BROKEN)
    os.mkfifo(tmp_path / "b.pto")
    # A test run in the background may hand down an ignored interrupt.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ptoscope.cli.main import main; sys.exit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, "check", "a.pto", "b.pto", "c.pto", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )
    assert process.stderr is not None
    told = b"" if options else process.stderr.readline()
    # It opens for writing once the command reads it.
    with open(tmp_path / "b.pto", "w"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    return process.returncode, out.decode(), (told + err).decode()


def test_findings_come_before_the_end_and_an_interrupt_is_told(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path)
    assert code == 130
    assert err.count("a.pto:") == 2
    assert out == "interrupted: 1 of 3 files: wrong, 2 errors, 0 warnings; 1 file wrong\n"


def test_an_interrupt_in_json(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path, "--json")
    assert (code, err) == (130, "")
    record = json.loads(out)
    assert (record["ok"], record["interrupted"]) == (False, True)
    assert [file["file"] for file in record["files"]] == ["a.pto"]


def test_a_reader_that_goes_away_ends_it(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.pto").write_text(BROKEN)
    reader, writer = os.pipe()
    os.close(reader)
    argv = [sys.executable, "-m", "ptoscope", "check", "."]
    done = subprocess.run(argv, cwd=tmp_path, stderr=writer, stdout=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stdout) == (1, b"")
