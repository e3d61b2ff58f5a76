"""Mistakes in kernels of the matrix core, each with the tool that finds it.

A mistake is a change of a correct kernel: words and what they become, on every line that has
them. `at` are words of the line that is named, `tool` says what finds it:

    check    `ptoscope check`, before anything runs
    run      a watched run (`ptoscope run --check all`): a fault, a race, undefined data, a result
             that depends on the order of the pipes
    result   nothing but the comparison with what is expected: the kernel is legal
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Tool = Literal["check", "run", "result"]


class Mistake(NamedTuple):
    """One mistake: the kernel, what is done, what finds it with which code, and where."""

    what: str
    seed: str
    changes: tuple[tuple[str, str], ...]
    tool: Tool
    code: str = ""
    at: str = ""

    def text(self, correct: str) -> str:
        """The kernel with the mistake. What becomes nothing is left out, with the
        lines that go on with it."""
        lines = correct.split("\n")
        for old, new in self.changes:
            found = [i for i, line in enumerate(lines) if old in line]
            assert found, (self.what, old)
            for i in reversed(found):
                if new:
                    lines[i] = lines[i].replace(old, new)
                    continue
                end = i + 1
                while _indent(lines[end]) > _indent(lines[i]):
                    end += 1
                del lines[i:end]
        return "\n".join(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def flags(src: str, dst: str, *events: object) -> tuple[tuple[str, str], ...]:
    """All that is set and waited for between two pipes, left out."""
    named = [f", {e}]" if e == "%p" else f', "EVENT_ID{e}"]' for e in events]
    return tuple(
        (f'pto.{verb}_flag["PIPE_{src}", "PIPE_{dst}"{name}', "")
        for name in named
        for verb in ("set", "wait")
    )


def sync(verb: str, pipe: str, number: int) -> str:
    return f"pto.sync.{verb} #pto.pipe<PIPE_{pipe}>, {number}"


def once(old: str, new: str) -> tuple[tuple[str, str], ...]:
    return ((old, new),)
