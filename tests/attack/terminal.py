"""Random control characters in kernels and names, shown on a terminal.

Whatever a command is given, a terminal gets no control character but our own colours.
"""

from __future__ import annotations

import io
import os
import random
import re
import tempfile
from pathlib import Path
from unittest.mock import patch

from ptoscope.cli.main import main
from tests.cli.test_terminal import CONTROLS, TURNING, kernel

SECONDS = 60

_MARK = "ATTACK"
_CODES = (
    *("\x1b[2J", "\x1b]0;t\x07", "\x1b[31m", "\x9b1m", "\x1bP", "\x1b(0", "\r\n", "\r", "\t"),
    *("\x1b[31;1m\x1b[0m", "\x1b]8;;http://x\x1b\\", "\x1b", "\x9d", "\x1b[?1049h", "é", "漢"),
)
_COLOUR = re.compile(r"\x1b\[(?:1;3[136]|[01]|39|49)m")
_COMMANDS = (
    *(["check"], ["check", "--diff"], ["check", "--all-targets"], ["fmt"], ["fmt", "--check"]),
    *(["run"], ["run", "--check", "all"], ["run", "--chosen"], ["time"], ["trace"], ["debug"]),
    *(["run", "--print", "7:%s"], ["run", "--against", "revision:micro"], ["time", "--compare"]),
    *(["cases"], ["calibrate"], ["isa"], ["help"], ["view", "-o", "page.html"], ["new-case"], []),
)


class _Tty(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def attempt(rng: random.Random) -> None:
    """One command line with a kernel whose texts and name are random."""
    name = f"k{_codes(rng, 3)}.pto".replace("/", "")
    text = kernel(_codes(rng, 6).replace("\n", ""), _codes(rng, 4).translate({10: None, 92: None}))
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(text))
        text = text[:at] + _codes(rng, 3) + text[at + rng.randrange(4) :]
    command = rng.choice(_COMMANDS)
    word = rng.choice((name, name, name, _codes(rng, 4)))
    argv = [*command, word, *rng.choice(([], ["zeros:4"], ["undefined:4"], [_codes(rng, 4)]))]
    tty, plain = _Tty(), rng.choice(("", "1"))
    stdin = io.TextIOWrapper(io.BytesIO(f"list\n{_codes(rng, 5)}\nstep\n".encode()), "utf-8")
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, name).write_text(text, "utf-8", newline="")
        os.chdir(directory)
        try:
            with (
                patch("sys.stdout", tty),
                patch("sys.stderr", tty),
                patch("sys.stdin", stdin),
                patch.dict(os.environ, {"NO_COLOR": plain, "TERM": "xterm"}),
            ):
                status = main(argv)
        finally:
            os.chdir(here)
    said = tty.getvalue()
    assert status in (0, 1, 2), (argv, status, said)
    assert "internal error: " not in said, (argv, text, said)
    left = said if plain else _COLOUR.sub("", said)
    found = {c for c in left.replace("\r\n", "\n") if c in (*CONTROLS, *TURNING)}
    assert not found, (argv, text, said)
    assert f"m{_MARK}" not in "".join(re.findall(r"\x1b\[[0-9;]*m.{6}", said)), (argv, text, said)


def _codes(rng: random.Random, most: int) -> str:
    """Some codes, each with a mark behind it: no colour of ours stands before one."""
    codes = rng.choices((*_CODES, *CONTROLS, *TURNING), k=rng.randrange(most))
    return "".join(code + _MARK for code in codes).translate({0: None})
