"""Breaks what copies and stores do, in kernels below directories given or in those of this project,
and counts how often only the warnings about contents of memory see it.

    python -m tests.repair.contents [--jobs N] [--every N] [--verbose] [DIR...]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool

from ptoscope.isa.types import Ptr, Scalar

from .judge import findings, is_clean, is_right, watched
from .mistakes import Made, Mistake, Source, is_copy, line, operand_range
from .subjects import Subject, case_subjects, own_subjects

CODES = ("PTO0508", "PTO0509", "PTO0510")
"""Never read, copies nothing, rows that overlap in the source."""
OTHERS, HARMLESS, NONE = "others", "harmless", "nothing"
"""Something else sees it; the results are right all the same; nothing sees it."""


def _left_out(source: Source) -> Made:
    for op in source.ops:
        if is_copy(op):
            yield f"{line(op)} left out", source.without(op)


def _other_operands(source: Source) -> Made:
    """Another pointer or number of the same type in a copy, a load or a store."""
    for function in source.program.functions:
        outer = [(slot, 0) for slot in function.params]
        outer += [(s, source.lines(op)[0]) for op in function.body.ops for s in op.results]
        for op in source.ops:
            if not is_copy(op) and not op.name.startswith(("pto.vlds", "pto.vsts")):
                continue
            for index in range(len(op.operand_spans)):
                start, end = operand_range(source, op, index)
                kind = function.types[op.operands[index]]
                if not isinstance(kind, Ptr | Scalar):
                    continue
                for slot, at in outer:
                    other = f"%{function.names[slot]}"
                    if function.types[slot] == kind and at < start:
                        text = source.text[:start] + other + source.text[end:]
                        yield f"{line(op)}: {source.text[start:end]} to {other}", text


def mistakes(subject: Subject) -> list[Mistake]:
    """Every mistake, each text once."""
    source = Source(subject)
    found: dict[str, Mistake] = {}
    for kind, make in (("copy left out", _left_out), ("other operand", _other_operands)):
        for what, text in make(source):
            if text != subject.text:
                found.setdefault(text, Mistake(subject, kind, what, text))
    return list(found.values())


def seen_by(mistake: Mistake) -> tuple[Mistake, str]:
    """What sees a mistake: others, codes of the warnings, or nothing."""
    subject, text = mistake.subject, mistake.text
    codes = {d.code for d in findings(subject, text)}
    if codes - set(CODES) or watched(subject, text):
        return mistake, OTHERS
    if is_right(subject, text):
        return mistake, HARMLESS
    return mistake, " ".join(sorted(codes)) or NONE


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.repair.contents")
    parser.add_argument("directories", nargs="*")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    def all_mistakes() -> Iterator[Mistake]:
        of_cases = (s for d in options.directories for s in case_subjects(d))
        for subject in of_cases if options.directories else own_subjects():
            if is_clean(subject):
                yield from mistakes(subject)
            elif any(d.code in CODES for d in findings(subject, subject.text)):
                print(f"false: {subject.name}")

    counts: Counter[str] = Counter()
    with Pool(options.jobs) as pool:
        todo = list(all_mistakes())[:: options.every]
        for mistake, seen in pool.imap(seen_by, todo, chunksize=4):
            counts[seen] += 1
            if options.verbose and seen not in (OTHERS, HARMLESS):
                print(f"{seen}: {mistake.subject.name}, {mistake.what}")
    for seen, count in counts.most_common():
        print(f"{seen:>10} {count}")
    only = sum(counts.values()) - counts[OTHERS] - counts[HARMLESS]
    print(f"{only - counts[NONE]} of {only} mistakes that nothing else sees")


if __name__ == "__main__":
    main()
