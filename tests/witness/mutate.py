"""`python -m tests.witness.mutate`: which changes of a meaning does no witness notice?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from multiprocessing import get_context
from time import perf_counter

from ptoscope.isa import TABLE
from tests.witness.mutants import Verdict, equivalents, judge

FIRST = ("pto.vcvt", "pto.vmrgsort4", "pto.vbitsort", "pto.vsort32", "pto.vcpadd", "pto.vsts")
"""Those that take longest go first, so that no process is left with one at the end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where every change is noticed or stated as equivalent."""
    parser = argparse.ArgumentParser(prog="python -m tests.witness.mutate", description=__doc__)
    parser.add_argument("records", nargs="*", help="names or patterns; all records without any")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--quiet", action="store_true", help="only records with something to say")
    options = parser.parse_args(arguments)
    chosen = names(options.records)
    if not chosen:
        parser.error(f"no record is called {' or '.join(options.records)}")
    start = perf_counter()
    verdicts = list(_shown(_judged(chosen, options.jobs), len(chosen)))
    print(report(verdicts, options.quiet))
    stale = unmet(verdicts) if not options.records else []
    for line in stale:
        print(line)
    print(f"{len(chosen)} records in {perf_counter() - start:.0f} s")
    return 1 if stale or any(v.unnoticed or v.mistaken for v in verdicts) else 0


def names(patterns: Sequence[str]) -> list[str]:
    """The records that patterns name, with or without their dialect."""
    wanted = [
        name
        for name, record in TABLE.items()
        if not patterns or any(fnmatchcase(n, p) for p in patterns for n in (name, record.short))
    ]
    return sorted(wanted, key=lambda name: name not in FIRST)


def report(verdicts: Iterable[Verdict], quiet: bool = False) -> str:
    """A row for each record; under it, what went unnoticed or is wrongly called equivalent."""
    lines = [f"{'record':28} {'changes':>7} {'noticed':>7} {'stated':>7} {'unnoticed':>9}"]
    total = [0, 0, 0, 0]
    for v in sorted(verdicts, key=lambda v: v.record):
        row = (v.changes, v.noticed, v.stated, len(v.unnoticed))
        total = [a + b for a, b in zip(total, row, strict=True)]
        if v.unnoticed or v.mistaken or not quiet:
            lines.append(f"{v.record:28} {row[0]:7} {row[1]:7} {row[2]:7} {row[3]:9}")
        lines += [f"    unnoticed: {m}" for m in v.unnoticed]
        lines += [f"    called equivalent, but noticed: {m}" for m in v.mistaken]
    lines.append(f"{'all':28} {total[0]:7} {total[1]:7} {total[2]:7} {total[3]:9}")
    return "\n".join(lines)


def unmet(verdicts: Sequence[Verdict]) -> list[str]:
    """Stated equivalents that no change matches any more."""
    used = frozenset[int]().union(*(v.used for v in verdicts))
    return [
        f"stated as equivalent, but there is no such change: {e}"
        for i, e in enumerate(equivalents())
        if i not in used
    ]


def _one(name: str) -> Verdict:
    return judge(TABLE[name])


def _judged(chosen: Sequence[str], jobs: int) -> Iterator[Verdict]:
    if jobs == 1 or len(chosen) == 1:
        yield from map(_one, chosen)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(_one, chosen)


def _shown(verdicts: Iterator[Verdict], total: int) -> Iterator[Verdict]:
    """With a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return verdicts
    from rich.console import Console
    from rich.progress import track

    return iter(track(verdicts, "records", total=total, console=Console(stderr=True)))


if __name__ == "__main__":
    raise SystemExit(main())
