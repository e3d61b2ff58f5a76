"""Pairs about flags: one fault each, and the words that all pairs use."""

from __future__ import annotations

from ..check.pipes import V, both, branch, copy_in, copy_out, load, scope, sets, store
from ..check.pipes import waits as awaits
from .kernels import EARLY, LATE, Pair

MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"


def plus(text: str, sign: str = "+") -> str:
    """Lines of one twin only."""
    return "\n".join(sign + line for line in text.split("\n"))


def read(mark: str = LATE, at: str = "%a") -> str:
    """V loads."""
    return scope(load("%v", at) + mark)


def write(mark: str = LATE, at: str = "%a") -> str:
    """V stores."""
    return scope(MADE, store("%w", at) + mark)


def dynamic(name: str, src: str, dst: str, event: str) -> str:
    return f'pto.{name}["PIPE_{src}", "PIPE_{dst}", {event}]'


FLAGS = {
    "a load before its copy is done": Pair(
        [copy_in() + EARLY, plus(both("MTE2", "V")), read()], "PTO0701", "RAW"
    ),
    "a copy out before the store is done": Pair(
        [scope(MADE, store("%w") + EARLY), plus(both("V", "MTE3")), copy_out() + LATE],
        "PTO0701",
        "RAW",
    ),
    "a copy in over what is still loaded": Pair(
        [read(EARLY), plus(both("V", "MTE2")), copy_in() + LATE], "PTO0701", "WAR"
    ),
    "a store over what is still copied out": Pair(
        [copy_out("%a") + EARLY, plus(both("MTE3", "V")), write()], "PTO0701", "WAR"
    ),
    "a store over what is still copied in": Pair(
        [copy_in() + EARLY, plus(both("MTE2", "V")), write()], "PTO0701", "WAW"
    ),
    "a copy in over what is still stored": Pair(
        [write(EARLY), plus(both("V", "MTE2")), copy_in() + LATE], "PTO0701", "WAW"
    ),
    "a copy in over what is still copied out": Pair(
        [copy_out("%a") + EARLY, plus(both("MTE3", "MTE2")), copy_in() + LATE], "PTO0701", "WAR"
    ),
    "a copy out of what is still copied in": Pair(
        [copy_in() + EARLY, plus(both("MTE2", "MTE3")), copy_out("%a") + LATE], "PTO0701", "RAW"
    ),
    "a flag that is set and not waited for": Pair(
        [copy_in() + EARLY, sets("MTE2", "V"), plus(awaits("MTE2", "V")), read()], "PTO0701", "RAW"
    ),
    "a wait for the event of another copy": Pair(
        [
            copy_in("%b"),
            sets("MTE2", "V", 0),
            copy_in() + EARLY,
            sets("MTE2", "V", 1),
            awaits("MTE2", "V", 0),
            plus(awaits("MTE2", "V", 1)),
            read(),
            plus(awaits("MTE2", "V", 1), "-"),
        ],
        "PTO0701",
        "RAW",
    ),
    "a flag that is set before the copy": Pair(
        [
            plus(sets("MTE2", "V"), "-"),
            copy_in() + EARLY,
            plus(sets("MTE2", "V")),
            awaits("MTE2", "V"),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "a wait that comes after the load": Pair(
        [
            copy_in() + EARLY,
            sets("MTE2", "V"),
            plus(awaits("MTE2", "V")),
            read(),
            plus(awaits("MTE2", "V"), "-"),
        ],
        "PTO0701",
        "RAW",
    ),
    "a flag to the wrong pipe": Pair(
        [copy_in() + EARLY, plus(both("MTE2", "MTE3"), "-"), plus(both("MTE2", "V")), read()],
        "PTO0701",
        "RAW",
    ),
    "a chain with a link missing": Pair(
        [
            copy_in() + EARLY,
            both("MTE2", "MTE3"),
            plus(both("MTE3", "V")),
            plus(both("V", "MTE3"), "-"),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "events of ping and pong collapsed to one": Pair(
        [
            copy_in("%b"),
            sets("MTE2", "V", 0),
            copy_in("%a") + EARLY,
            plus(sets("MTE2", "V", 0), "-"),
            plus(awaits("MTE2", "V", 0), "-"),
            plus(sets("MTE2", "V", 1)),
            plus(awaits("MTE2", "V", 1)),
            read(),
            awaits("MTE2", "V", 0),
            scope(load("%v", "%b")),
        ],
        "PTO0701",
        "RAW",
    ),
    "a flag waited for in one branch only": Pair(
        [
            copy_in() + EARLY,
            sets("MTE2", "V"),
            plus(branch("%no", [awaits("MTE2", "V")]), "-"),
            plus(awaits("MTE2", "V")),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "an event that is computed wrong": Pair(
        [
            sets("MTE2", "V", 2),
            copy_in() + EARLY,
            sets("MTE2", "V", 4),
            plus(dynamic("wait_flag", "MTE2", "V", "%i2"), "-"),
            plus(dynamic("wait_flag", "MTE2", "V", "%i4")),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
    "computed events on both sides": Pair(
        [
            copy_in() + EARLY,
            dynamic("set_flag", "MTE2", "V", "%n"),
            plus(dynamic("wait_flag", "MTE2", "V", "%n")),
            read(),
        ],
        "PTO0701",
        "RAW",
    ),
}
