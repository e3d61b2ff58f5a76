"""Breaks kernels, applies the suggested fixes and compares: of this project, and of cases below
directories given.

    python -m tests.repair [--jobs N] [--kind TEXT] [--verbose] [DIR...]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool

from .judge import HARMLESS, LEFT, MISSED, RIGHT, WRONG, Verdict, is_clean, judge
from .mistakes import KINDS, Mistake, mistakes
from .subjects import case_subjects, own_subjects


def table(verdicts: list[Verdict]) -> str:
    """How mistakes of each kind ended."""
    endings = (RIGHT, WRONG, LEFT, HARMLESS, MISSED)
    lines = ["kind".ljust(24) + "".join(f"{ending:>18}" for ending in (*endings, "no fix"))]
    for kind in (*KINDS, "all"):
        mine = [v for v in verdicts if kind in (v.mistake.kind, "all")]
        if not mine:
            continue
        counts = Counter(v.ending for v in mine)
        numbers = [counts[ending] for ending in endings]
        numbers.append(sum(v.ending == LEFT and not v.offered for v in mine))
        lines.append(kind.ljust(24) + "".join(f"{n:>18}" for n in numbers))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.repair")
    parser.add_argument("directories", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--kind", default="")
    parser.add_argument("--subject", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    def all_mistakes() -> Iterator[Mistake]:
        subjects = own_subjects()
        if options.directories:
            subjects = (s for d in options.directories for s in case_subjects(d))
        for subject in subjects:
            if options.subject in subject.name and is_clean(subject):
                yield from (m for m in mistakes(subject) if options.kind in m.kind)

    todo = list(all_mistakes())[:: options.every]
    verdicts: list[Verdict] = []
    with Pool(options.jobs) as pool:
        for verdict in pool.imap(judge, todo, chunksize=4):
            verdicts.append(verdict)
            if options.verbose and verdict.ending in (WRONG, LEFT, MISSED):
                m = verdict.mistake
                codes, left = ",".join(verdict.codes), ",".join(verdict.left)
                print(f"{verdict.ending}: {m.subject.name}, {m.kind}, {m.what}: {codes} / {left}")
    print(table(verdicts))


if __name__ == "__main__":
    main()
