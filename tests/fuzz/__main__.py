"""Runs random programs: `python -m tests.fuzz --count 2000 --engines reference native`."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial

from ptoscope import PtoError
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import differing, load, mistake, outcome
from tests.fuzz.drawn import ENOUGH, forms, missing, summary
from tests.fuzz.minimise import minimise
from tests.fuzz.spelling.respell import respell
from tests.fuzz.spelling.verdict import misread, misrun

SPELLED = 3
"""One of so many programs is also read and run in another spelling."""


@dataclass(frozen=True)
class Result:
    """What one seed showed: a report if something is wrong, and what it drew."""

    seed: int
    faulty: bool = False
    report: str = ""
    drawn: frozenset[str] = frozenset()


def examine(seed: int, engines: Sequence[str], bare: bool = False, share: bool = False) -> Result:
    """Generates, checks, runs and compares one program; a bare one is only run and compared. Those
    that share the engines behind the first go to one of them each, in turn."""
    program = any_program(seed)
    if share:
        engines = engines[0], engines[1 + seed % (len(engines) - 1)]
    drawn: frozenset[str] = frozenset()
    try:
        kernel = load(program, checked=not bare)
        drawn = forms(kernel)
        first = outcome(program, engines[0], kernel)
        wrong = mistake(program, first) or differing(program, engines, kernel, first)
        if wrong is None and not bare and seed % SPELLED == 0:
            spelled = respell(program)
            drawn |= spelled.drawn
            wrong = misread(spelled) or misrun(spelled.written, engines, first)
    except PtoError as error:
        wrong = f"seed {seed}: the program does not check clean\n{error}"
    except Exception:
        wrong = f"seed {seed}: the reader or a check failed\n{traceback.format_exc()}"
    return Result(seed, not program.legal, wrong or "", drawn)


def results(
    seeds: Sequence[int],
    engines: Sequence[str],
    jobs: int,
    bare: bool = False,
    share: bool = False,
) -> Iterator[Result]:
    """Results in the order of the seeds. An engine that ends its process costs one seed."""
    look = partial(examine, engines=engines, bare=bare, share=share)
    step = 256 * jobs
    for start in range(0, len(seeds), step):
        batch = seeds[start : start + step]
        try:
            done = _in_pool(batch, look, jobs)
        except BrokenProcessPool:
            done = [_alone(seed, look) for seed in batch]
        yield from done


def _in_pool(seeds: Sequence[int], look: Callable[[int], Result], jobs: int) -> list[Result]:
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(look, seeds))


def _alone(seed: int, look: Callable[[int], Result]) -> Result:
    try:
        return _in_pool([seed], look, 1)[0]
    except BrokenProcessPool:
        return Result(seed, report=f"seed {seed}: an engine ended its process")


def _watched(found: Iterator[Result], count: int) -> Iterator[Result]:
    """With a progress bar on a terminal."""
    if not sys.stderr.isatty():
        yield from found
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(found, "programs", total=count, console=Console(stderr=True))


def main() -> int:
    """Exit status 1 if engines differ, a program does not check clean or faults wrongly, or many
    programs leave something undrawn."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=200, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--engines", nargs="+", default=["reference"])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--bare", action="store_true", help="only compare engines: no checks, no spellings"
    )
    parser.add_argument(
        "--share", action="store_true", help="each on the first engine and, in turn, on another"
    )
    parser.add_argument("--minimise", type=int, metavar="SEED", help="only make this one small")
    options = parser.parse_args()
    if options.minimise is not None:
        minimise(options.minimise, options.engines)
        return 0
    seeds = range(options.first, options.first + options.count)
    drawn: set[str] = set()
    faulty = wrong = 0
    if options.share and len(options.engines) < 2:
        parser.error("--share takes two engines or more")
    found = results(seeds, options.engines, options.jobs, options.bare, options.share)
    for result in _watched(found, len(seeds)):
        drawn |= result.drawn
        faulty += result.faulty
        if result.report:
            wrong += 1
            print(result.report, flush=True)
    print(f"{len(seeds)} programs on {', '.join(options.engines)}: {faulty} faulty, {wrong} wrong")
    print(summary(drawn))
    enough = len(seeds) >= ENOUGH and not options.bare
    return 1 if wrong or (enough and missing(drawn)) else 0


if __name__ == "__main__":
    sys.exit(main())
