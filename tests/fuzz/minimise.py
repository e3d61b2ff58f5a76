"""Makes a program that shows a difference smaller, as long as it still does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.fuzz.clusters import any_program
from tests.fuzz.compare import difference, load, outcome
from tests.fuzz.programs import Program
from tests.fuzz.spelling.respell import respell

Keeps = Callable[[list[str]], bool]


def minimise(seed: int, engines: Sequence[str] = ("reference", "native")) -> str:
    """The report of the smallest program found with the same kind of difference, which is also
    printed; of the program in another spelling, where it shows one in that alone."""
    plain = any_program(seed)
    both = plain, respell(plain).written
    program = next((p for p in both if difference(p, engines) is not None), None)
    if program is None:
        report = f"seed {seed}: {' and '.join(engines)} do not differ"
    else:
        wanted = _kind(program, engines)

        def smaller(lines: list[str]) -> Program:
            return replace(plain, text="\n".join(lines))

        lines = program.text.split("\n")
        lines = reduced(lines, lambda rows: _kind(smaller(rows), engines) == wanted)
        report = difference(smaller(lines), engines) or ""
    print(report)
    return report


def _kind(program: Program, engines: Sequence[str]) -> object:
    """What kind of outcome each engine gives, and whether they differ; None if there is none."""
    try:
        kernel = load(program)
    except Exception:
        # What was dropped is still needed.
        return None
    done = [outcome(program, engine, kernel) for engine in engines]
    codes = [[said["code"] for said in d.diagnostics] for d in done]
    return any(d != done[0] for d in done), codes, [d.crash.strip()[-80:] for d in done]


def reduced(lines: list[str], keeps: Keeps) -> list[str]:
    """Fewer lines with the same property: whole regions are dropped first, then runs of lines."""
    while True:
        before = len(lines)
        lines = _without_runs(_without_regions(lines, keeps), keeps)
        if len(lines) == before:
            return lines


def _without_regions(lines: list[str], keeps: Keeps) -> list[str]:
    at = 0
    while at < len(lines):
        end = _region_end(lines, at)
        if end is not None:
            rest = lines[:at] + lines[end + 1 :]
            if keeps(rest):
                lines = rest
                continue
        at += 1
    return lines


def _region_end(lines: list[str], start: int) -> int | None:
    """The line that closes a region opened at a line, by its indentation."""
    if not lines[start].split("  //")[0].endswith("{"):
        return None
    indent = len(lines[start]) - len(lines[start].lstrip())
    for at in range(start + 1, len(lines)):
        row = lines[at]
        inside = len(row) - len(row.lstrip()) > indent
        if not inside and not row.lstrip().startswith(("} else", "} do")):
            return at
    return None


def _without_runs(lines: list[str], keeps: Keeps) -> list[str]:
    size = len(lines) // 2
    while size:
        # From the end: what uses a value goes before what defines it.
        end = len(lines)
        while end > 0:
            start = max(0, end - size)
            rest = lines[:start] + lines[end:]
            if keeps(rest):
                lines = rest
            end = start
        size //= 2
    return lines
