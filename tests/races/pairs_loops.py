"""Pairs about loops, branches, barriers and copies."""

from __future__ import annotations

from ..check.pipes import G, P, both, branch, copy_in, copy_out, loop, sets
from ..check.pipes import waits as awaits
from .kernels import EARLY, LATE, Pair
from .pairs_flags import plus, read, write

ALL = "pto.barrier #pto.pipe<PIPE_ALL>"
END = "pto.barrier #pto.pipe"


def _odd(yes: list[str], no: list[str]) -> str:
    """In iteration %i of a loop: one of two bodies."""
    return "\n".join(
        [
            "%rest = arith.remui %i, %i2 : index",
            "%even = arith.cmpi eq, %rest, %i0 : index",
            branch("%even", yes, no),
        ]
    )


def _while(*lines: str, before: str = "") -> str:
    return "\n".join(
        [
            "%last = scf.while (%k = %l0) : (i64) -> i64 {",
            *before.split("\n"),
            "%more = arith.cmpi slt, %k, %l4 : i64",
            "scf.condition(%more) %k : i64",
            "} do {",
            "^bb0(%k: i64):",
            *lines,
            "%k1 = arith.addi %k, %l1 : i64",
            "scf.yield %k1 : i64",
            "}",
        ]
    )


def _old_out(mark: str = "") -> str:
    return (
        f"pto.copy_ubuf_to_gm %b, %y, %l0, %l1, %l256, %l0, %l256, %l256 : {P}, {G}, i64, i64,"
        f" i64, i64, i64, i64{mark}"
    )


def _old_in(mark: str = "") -> str:
    return (
        f"pto.copy_gm_to_ubuf %x, %a, %l0, %l1, %l256, %l0, %l0, %no, %l0, %l256, %l256 : {G}, {P},"
        f" i64, i64, i64, i64, i64, i1, i64, i64, i64{mark}"
    )


LOOPS = {
    "the next iteration copies over what is still loaded": Pair(
        [
            plus(sets("V", "MTE2")),
            loop(
                plus(awaits("V", "MTE2")),
                copy_in() + LATE,
                both("MTE2", "V"),
                read(EARLY),
                plus(sets("V", "MTE2")),
            ),
            plus(awaits("V", "MTE2")),
        ],
        "PTO0701",
        "WAR",
        2,
    ),
    "the next iteration stores over what is still copied out": Pair(
        [
            plus(sets("MTE3", "V")),
            loop(
                plus(awaits("MTE3", "V")),
                write(),
                both("V", "MTE3"),
                copy_out("%a") + EARLY,
                plus(sets("MTE3", "V")),
            ),
            plus(awaits("MTE3", "V")),
        ],
        "PTO0701",
        "WAR",
        2,
    ),
    "every iteration loads too early": Pair(
        [loop(copy_in() + EARLY, plus(both("MTE2", "V")), read(), both("V", "MTE2"))],
        "PTO0701",
        "RAW",
        3,
    ),
    "the next iteration of an inner loop": Pair(
        [loop(loop(copy_in() + LATE, both("MTE2", "V"), read(EARLY), plus(END), index="%j"))],
        "PTO0701",
        "WAR",
        8,
    ),
    "a copy before an inner loop over what that reads": Pair(
        [
            loop(
                copy_in() + LATE,
                both("MTE2", "V"),
                loop(read(EARLY), index="%j"),
                plus(both("V", "MTE2")),
            )
        ],
        "PTO0701",
        "WAR",
        2,
    ),
    "an inner loop reads what is still copied": Pair(
        [copy_in() + EARLY, loop(plus(END), read())], "PTO0701", "RAW", 1
    ),
    "an iteration of scf.while after the other": Pair(
        [_while(copy_in() + LATE, both("MTE2", "V"), read(EARLY), plus(both("V", "MTE2")))],
        "PTO0701",
        "WAR",
        3,
    ),
    "the condition of scf.while copies, its body loads": Pair(
        [_while(plus(END), read(), both("V", "MTE2"), before=copy_in() + EARLY)],
        "PTO0701",
        "RAW",
        4,
    ),
    "a branch copies, what follows loads": Pair(
        [branch("%yes", [copy_in() + EARLY]), plus(both("MTE2", "V")), read()], "PTO0701", "RAW"
    ),
    "a branch loads what was copied before": Pair(
        [copy_in() + EARLY, branch("%yes", [plus(both("MTE2", "V")), read()])], "PTO0701", "RAW"
    ),
    "one branch copies, the other loads in the next iteration": Pair(
        [loop(_odd([copy_in() + EARLY], [read(), both("V", "MTE2")]), plus(END))], "PTO0701", "RAW"
    ),
    "two iterations of one branch": Pair(
        [loop(branch("%yes", [copy_in() + LATE, both("MTE2", "V"), read(EARLY), plus(END)]))],
        "PTO0701",
        "WAR",
        2,
    ),
}

BARRIERS = {
    "no barrier at all": Pair([copy_in() + EARLY, plus(ALL), read()], "PTO0701", "RAW"),
    "the barrier of another pipe": Pair(
        [
            copy_in() + EARLY,
            plus('pto.pipe_barrier "PIPE_MTE2"', "-"),
            plus('pto.pipe_barrier "PIPE_ALL"'),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "the attribute form with the wrong pipe": Pair(
        [
            copy_in() + EARLY,
            plus("pto.barrier #pto.pipe<PIPE_V>", "-"),
            plus("pto.barrier #pto.pipe"),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "two copies out to the same bytes": Pair(
        [copy_out() + EARLY, plus('pto.pipe_barrier "PIPE_MTE3"'), copy_out("%c") + LATE],
        "PTO0702",
        "WAW",
    ),
    "the barrier of the other DMA pipe": Pair(
        [
            copy_out() + EARLY,
            plus("pto.barrier #pto.pipe<PIPE_MTE2>", "-"),
            plus("pto.barrier #pto.pipe<PIPE_MTE3>"),
            copy_out("%c") + LATE,
        ],
        "PTO0702",
        "WAW",
    ),
    "the older spelling of two copies out": Pair(
        [_old_out(EARLY), plus('pto.pipe_barrier "PIPE_MTE3"'), copy_out("%c") + LATE],
        "PTO0702",
        "WAW",
    ),
    "the older spelling of a copy in": Pair(
        [_old_in(EARLY), plus(both("MTE2", "V")), read()], "PTO0701", "RAW"
    ),
    "copies that partly overlap": Pair(
        [
            f"%y1 = pto.addptr %y, %i32 : {G} -> {G}",
            f"%y2 = pto.addptr %y, %i64 : {G} -> {G}",
            copy_out() + EARLY,
            plus(copy_out("%c", to="%y1") + LATE, "-"),
            plus(copy_out("%c", to="%y2") + LATE),
        ],
        "PTO0702",
        "WAW",
    ),
    "GM is read while it is written": Pair(
        [
            copy_out() + EARLY,
            plus(both("MTE3", "MTE2")),
            copy_in().replace("%x", "%y") + LATE,
        ],
        "PTO0701",
        "RAW",
    ),
}
