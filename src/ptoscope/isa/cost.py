"""What an instruction costs: the figures that hang on its record, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FigureSource = Literal["manual", "cycle model", "measured", "assumed", "given"]
"""manual: the documents; cycle model: the vendor's cycle-accurate simulator; measured: on the
machine, or fitted to its profiling points; given: by the user."""

CostKind = Literal[
    "compute", "load", "store", "predicate", "barrier", "free", "scope", "copy", "bulk", "product",
    "issue",
]  # fmt: skip
"""What an instruction costs as. The vector core's: compute, load, store, predicate, barrier, and
free for another view of the same register, which is no instruction. Those of pipes: scope for a
vecscope, copy for a transfer, bulk for one that works on UB as a whole, product for the matrix
unit. issue: nothing but its issue."""

RepeatRole = Literal["own", "move", "part"]
"""What an instruction is to A2/A3, where instructions read and write UB themselves: one of its
own; a move, in a vecscope that computes nothing; part of the others."""


@dataclass(frozen=True)
class Figure:
    """A number, its source, and in words what it stands for or stands in for; `name` is what
    the documents call it. `ends` are what else it may be where what is published leaves it open:
    figures of one kind go together to the first of theirs, or to the second."""

    value: float
    source: FigureSource
    note: str = ""
    name: str = ""
    ends: tuple[float, float] | None = None

    @property
    def cycles(self) -> int:
        return int(self.value)

    @property
    def assumed(self) -> bool:
        return self.source == "assumed"


@dataclass(frozen=True)
class Cost:
    """The figures of one instruction, and where others have to stand in for them.

    `a5` maps an element type to the manual's latency; `a2a3` holds the manual's constants:
    startup, completion per kind of element, cycles per repeat, interval. `rv` is what the manual
    calls the instruction of A5, `names` what it calls the constants; a constant without a name is
    one that no document gives. `latency` and `hold`, which is how long the load/store unit is
    held, are A5's of a load, a store or a predicate.

    `like` names the instruction, or the row of the measured tables, whose figures stand in where
    there is none, and `like_a2a3` that of A2/A3 where it is another. `row_a2a3` is its name in
    the measured table of A2/A3, where that is another; `rows_by` the attribute for whose values
    the tables have rows of their own, or `types` if they have rows for pairs of element types;
    with `by_width` the row of a width serves every type of that width.

    `kind` and `role` may be left to the record; `stream` marks those that hand on the state of
    an unaligned stream.
    """

    kind: CostKind | None = None
    a5: Mapping[str, int] = field(default_factory=dict[str, int])
    a2a3: Mapping[str, int] = field(default_factory=dict[str, int])
    rv: str = ""
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    latency: Figure | None = None
    hold: Figure | None = None
    like: str = ""
    like_a2a3: str = ""
    row_a2a3: str = ""
    rows_by: str = ""
    by_width: bool = False
    role: RepeatRole | None = None
    stream: bool = False

    def constant(self, key: str) -> Figure:
        """One of the constants of A2/A3."""
        if key in self.names:
            return Figure(self.a2a3[key], "manual", name=self.names[key])
        return Figure(self.a2a3[key], "assumed", UNDOCUMENTED)


UNDOCUMENTED = "no document gives it"
NO_FIGURE = Cost()
STAND_IN = "vadd"
"""What an instruction without any figure, and without anything it is like, costs as much as."""
SCALAR_ISSUE = Figure(
    1, "assumed", "the scalar unit executes or issues one instruction a cycle", ends=(1, 2)
)
SCALAR_LOAD: Mapping[str, Figure] = {
    "a5": Figure(393, "cycle model", "a load from GM that misses the data cache, one log"),
    "a2a3": Figure(393, "assumed", "a load from GM that misses the data cache, as on A5"),
}
"""What the scalar unit waits for a number from GM, by target."""
CACHE_LINE = 64
"""Bytes that a scalar load brings into the data cache; no document gives it."""
MOVE = "vmov"
"""What a store of a vecscope that computes nothing is on A2/A3."""
COPY_PATH = "gm_to_ub"
"""The path whose bandwidth stands in for that of others."""

LATENCIES: Mapping[str, Figure] = {
    "load": Figure(9, "assumed", "as vlds"),
    "store": Figure(9, "assumed", "as vsts"),
    "predicate": Figure(6, "assumed", "as vcmp_eq"),
}
"""A5, where the record has none."""
HOLD = Figure(1, "assumed", "as vlds")

BULK: Mapping[str, tuple[Figure, Figure, Figure]] = {
    "a5": (
        Figure(22, "assumed", "latency as vcadd"),
        Figure(8, "assumed", "32 bytes a cycle"),
        Figure(0, "assumed", "none"),
    ),
    "a2a3": (
        Figure(14 + 26, "assumed", "as the transcendental instructions"),
        Figure(4 + 18, "assumed", "as the transcendental instructions"),
        Figure(0, "assumed", "as the transcendental instructions"),
    ),
}
"""Head, cycles per repeat and tail of a bulk instruction, where no table has it."""

_PRODUCT_HEAD, _PRODUCT_REPEAT = 6, {"f32": 2}
_PRODUCTS = "the public cost model of A2/A3"


def product(target: str, dtype: str, manual: bool) -> tuple[Figure, Figure]:
    """Of a product of such elements: its head, and the cycles of a repeat, which is 16 rows of
    32 bytes from each side.

    That a repeat of f16 takes one fits a published run on A3: 24 cores, 6144 in each direction,
    1.506 ms, the matrix unit at work for 86.7% of it.
    """
    public = target == "a2a3" and not manual
    each = _PRODUCT_REPEAT.get(dtype, 1)
    if public:
        return Figure(_PRODUCT_HEAD, "measured", _PRODUCTS), Figure(each, "measured", _PRODUCTS)
    note = f"as {_PRODUCTS}"
    return Figure(_PRODUCT_HEAD, "assumed", note), Figure(each, "assumed", note)


def load(latency: int = 9, note: str = "same unit as vlds", stream: bool = False) -> Cost:
    """A load of A5's load/store unit, which it holds for a cycle."""
    figure = Figure(latency, "cycle model", note)
    return Cost("load", latency=figure, hold=Figure(1, "cycle model", note), stream=stream)


def store(latency: int = 9, note: str = "same unit as vsts", stream: bool = False) -> Cost:
    """A store of A5's load/store unit, which it holds for a cycle."""
    figure = Figure(latency, "cycle model", note)
    return Cost("store", latency=figure, hold=Figure(1, "cycle model", note), stream=stream)


def predicate(latency: int, note: str) -> Cost:
    """An instruction of A5 that makes a mask."""
    return Cost("predicate", latency=Figure(latency, "cycle model", note))


PREDICATE = Cost("predicate")
FREE = Cost("free")
MASK_LOAD = Cost("load", latency=Figure(9, "cycle model", "as plds"), hold=HOLD)
MASK_STORE = Cost(
    "store",
    latency=Figure(9, "cycle model", "as psts"),
    hold=Figure(1, "assumed", "as vsts"),
    role="part",
)
