"""Control characters of kernels and file names on a terminal: shown, never sent."""

from __future__ import annotations

import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ptoscope.cli import demo, progress
from ptoscope.cli.main import main
from ptoscope.cli.output import Result
from ptoscope.diagnostics import Diagnostic, Span, visible
from ptoscope.tables import Table

from .conftest import Cli
from .test_process import on_a_terminal

CONTROLS = [chr(c) for c in (*range(0x20), *range(0x7F, 0xA0)) if chr(c) not in "\t\n"]
TURNING = [chr(c) for c in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
"""All that has the property Bidi_Control."""
PAYLOAD = "\x1b]0;title\x07\x1b[2J\x1b[31mPWNED\x9b31m\x08\x7f\u202e\u2066"
SHOWN = "␛]0;title␇␛[2J␛[31mPWNED�31m␈␡��"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Tty(io.StringIO):
    """A terminal that keeps what is sent to it."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Runs a command on a terminal and gives what was sent to it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*argv: object, status: int | None = 0) -> str:
        tty = Tty()
        monkeypatch.setattr(sys, "stdout", tty)
        monkeypatch.setattr(sys, "stderr", tty)
        code = main([str(word) for word in argv])
        assert sys.stdout is tty
        assert status is None or code == status, tty.getvalue()
        return tty.getvalue()

    return run


def kernel(payload: str = PAYLOAD, quoted: str = PAYLOAD) -> str:
    """Returns a kernel with the payload in comments, and `quoted` in its name and a format."""
    return f"""// {payload}
module attributes {{pto.target_arch = "a5"}} {{
  func.func @"k{quoted}"(%x: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{ // {payload}
    %c0 = arith.constant 0 : index // {payload}
    %escape = arith.constant 27 : i32
    %s = pto.load_scalar %x[%c0] : !pto.ptr<f32, gm> -> f32 // {payload}
    pto.print ins("{quoted} %f", %s : f32)
    pto.print ins("%c[95m", %escape : i32)
    pto.store_scalar %s, %x[%c0] : !pto.ptr<f32, gm>, f32 // {payload}
    return
  }}
}}
"""


def harmless(text: str) -> None:
    """Only our own colours, and nothing of the payload."""
    assert "\x1b[31mP" not in text
    assert "\x1b[95m" not in text
    left = COLOUR.sub("", text)
    assert not [c for c in left if c in (*CONTROLS, *TURNING)]


NAME = f"k{PAYLOAD}.pto"


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["check"], f"k{SHOWN}.pto: ok"),
        (["fmt"], f"// {SHOWN}\n"),
        (["fmt", "--check"], f"k{SHOWN}.pto: "),
        (["run", "zeros:4"], f"{SHOWN} 0.000000"),
        (["run", "zeros:4"], "␛[95m"),
        (["run", "zeros:4"], f"@k{SHOWN}"),
        (["time", "zeros:4"], f"k{SHOWN}"),
        (["trace", "zeros:4"], "pto.load_scalar"),
        (["run", "undefined:4", "--poison"], f"k{SHOWN}.pto:"),
        (["run", "zeros:4", "4"], f"k{SHOWN}.pto:3:"),
        (["view", "undefined:4", "-o", f"{NAME}.html"], f"page in k{SHOWN}.pto.html"),
        (["cases"], SHOWN),
        (["new-case", "family/case"], ""),
        (["calibrate"], SHOWN),
        (["isa"], ""),
    ],
    ids=lambda value: "-".join(value).replace("/", ".") if isinstance(value, list) else "",
)
def test_every_command(terminal: Callable[..., str], argv: list[str], shown: str) -> None:
    Path(NAME).write_text(kernel())
    command, *rest = argv
    words = [command, *rest, NAME] if command == "new-case" else [command, NAME, *rest]
    said = terminal(*words, status=None)
    harmless(said)
    assert shown in COLOUR.sub("", said)
    if command in ("check", "run") and "error[" in said:
        assert "\x1b[1;31merror[" in said


def test_prompts_show_them_too(
    terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(NAME).write_text(kernel())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{PAYLOAD}\nlist\n".encode())))
    said = terminal("debug", NAME, "zeros:4")
    harmless(said)
    assert SHOWN in said


def test_a_real_terminal(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(kernel())
    said = on_a_terminal(["run", str(tmp_path / NAME), "zeros:4"], NO_COLOR="1")
    assert "\x1b" not in said
    assert f"{SHOWN} 0.000000" in said


def test_no_writer_goes_around_it(
    terminal: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prints, warnings and a progress bar pass through one stream, as do results."""
    monkeypatch.setattr(warnings, "filters", [])

    def answer(request: Any) -> Result:
        print(PAYLOAD)
        print(PAYLOAD, file=sys.stderr)
        sys.stderr.writelines([PAYLOAD])
        warnings.warn(PAYLOAD, stacklevel=1)
        with progress.progress(2) as done:
            done(PAYLOAD)
        finding = Diagnostic("PTO0001", PAYLOAD, file=PAYLOAD, found=PAYLOAD, hint=PAYLOAD)
        return Result("demo", (PAYLOAD, Table((PAYLOAD,), [(PAYLOAD,)])), {}, (finding,))

    monkeypatch.setattr(demo, "answer", answer)
    said = terminal("demo")
    # The bar moves the cursor and hides it.
    bar = re.compile(r"\x1b\[(?:\?25[lh]|2K|1A)|\r")
    harmless(bar.sub("", said))
    assert COLOUR.sub("", said).count(SHOWN) >= 10


def test_a_pipe_gets_the_bytes(cli: Cli) -> None:
    text = kernel()
    Path(NAME).write_text(text)
    assert f"// {PAYLOAD}\n" in cli("fmt", NAME).out
    outcome = cli("run", NAME, "zeros:4")
    assert f"{PAYLOAD} 0.000000" in outcome.out
    assert "\x1b[95m" in outcome.out
    assert f"@k{PAYLOAD}" in outcome.out


def test_findings_show_them_everywhere(cli: Cli) -> None:
    """Carets stand under their characters, which sent codes would move."""
    before = "".join(("\x1b[31m", "\u202e", "\x9b", "\r", "\t", "\x7f"))
    Path("k.pto").write_text(f'module {{ "{before}" wrong }}', newline="")
    outcome = cli("check", "k.pto")
    harmless(outcome.err)
    lines = outcome.err.splitlines()
    source = next(line for line in lines if line.startswith("  1 | "))
    carets = lines[lines.index(source) + 1]
    assert source[carets.index("^")] == '"'
    at = len(before) + 1
    finding = Diagnostic("PTO0001", "m", span=Span(1, at), source_line=f"{before}x")
    source, carets = str(finding).splitlines()[1:3]
    assert source.index("x") == carets.index("^")
    assert PAYLOAD not in repr(Diagnostic("PTO0001", PAYLOAD))


def test_every_control_character_is_one_visible_character() -> None:
    for c in (*CONTROLS, *TURNING):
        shown = visible(f"a{c}b")
        assert len(shown) == 3
        assert shown[1].isprintable(), hex(ord(c))
        assert shown[1] != c
    plain = "a\tb\nc\r\nd é 漢 😀 \u200d\u2028"
    assert visible(plain) == plain
    assert visible("\x00\x1b\x1f\x7f") == "␀␛␟␡"


def test_a_device_of_another_encoding(tmp_path: Path) -> None:
    """An ASCII terminal gets escapes for the pictures."""
    (tmp_path / "k.pto").write_text(kernel())
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "NO_COLOR": "1"}
    said = on_a_terminal(["fmt", os.fspath(tmp_path / "k.pto")], **environment)
    assert "\x1b" not in said
    assert "\\u241b[31mPWNED\\x9b31m" in said


@pytest.mark.parametrize("command", ["check", "check --diff", "check --all-targets", "fmt --check"])
def test_a_line_feed_in_a_name_begins_no_line(terminal: Callable[..., str], command: str) -> None:
    """Else a name could look like a finding about another file."""
    name = "k\nother.pto:1:1: error[PTO0001]: no.pto"
    Path(name).write_text('module { "x" }')
    Path("right.pto").write_text(kernel())
    for words in ([name], [name, "right.pto"], ["missing\nother.pto:1:1: error"]):
        said = terminal(*command.split(), *words, status=None)
        assert "\nother.pto" not in said
        assert "␊other.pto:1:1: error" in said


@pytest.mark.parametrize(
    "raised",
    [
        "class E(BaseException): pass",
        "class E(Exception):\n    def __str__(self): raise SystemExit(7)",
        "class E(BaseException):\n    def __str__(self): raise GeneratorExit",
    ],
)
def test_no_exception_of_a_file_of_python_is_a_traceback(
    terminal: Callable[..., str], raised: str
) -> None:
    Path("k.py").write_text(f"{raised}\nraise E({PAYLOAD!r})\n")
    for command in ("check", "run", "fmt"):
        said = terminal(command, "k.py", status=1)
        harmless(said)
        assert "PTO1008" in said
        assert "Traceback" not in said


def test_an_exit_while_a_kernel_is_compiled_is_an_error(terminal: Callable[..., str]) -> None:
    text = "import sys\nfrom ptoscope import pto\n@pto.kernel\ndef k(x: pto.gm[pto.f32]):\n    "
    Path("k.py").write_text(f"{text}a = sys.exit(0)\n")
    said = terminal("check", "k.py", status=1)
    assert "PTO1005" in said
    assert "k.py:5:" in said
