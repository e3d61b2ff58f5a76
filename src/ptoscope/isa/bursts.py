"""What instructions that copy rows of bytes share: their operands, clauses and meanings."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa import atomics
from ptoscope.isa.copies import GAP_BITS, LENGTH_BITS, BurstLoop, CopyPath, Padding, Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I64, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.record import Evidence, Group, Operand, Run, Site
from ptoscope.isa.types import Ptr

LOOPS_EVIDENCE = Evidence(
    "number of loops",
    "chosen",
    "8 at most: the specification lets loops follow each other and names no number.",
)
ORDER_EVIDENCE = Evidence(
    "overlapping copies",
    "chosen",
    "Two copies of one pipe that meet in a memory of the core keep their order, which public "
    "kernels rely on; those that meet in GM are ordered only by a barrier of the pipe.",
)
BLOCK_UNIT = Evidence("unit", "micro", "Lengths and gaps count 32-byte blocks.")


def number(name: str, doc: str) -> Operand:
    """An operand that counts."""
    return Operand(name, ScalarIn((I64,)), doc)


def pointers(path: CopyPath, target: str = "T") -> tuple[Operand, Operand]:
    """Where a copy reads and where it writes; `target` is the variable of what it points to."""
    source, dest = MEMORIES[path.source], MEMORIES[path.target]
    return (
        Operand("src", PtrTo(space=source.name), f"source in {source.title}"),
        Operand("dst", PtrTo(target, dest.name), f"destination in {dest.title}"),
    )


def element(site: Site, operand: int = 0) -> DType:
    """What a pointer of a use points to."""
    pointer = site.operands[operand]
    assert isinstance(pointer, Ptr)
    return pointer.dtype


def path_of(site: Site) -> CopyPath:
    """From which memory to which a copy goes."""
    assert site.record.path is not None
    return site.record.path


def mode(core: Core, site: Site) -> Lanes | None:
    """The mode of a copy to GM."""
    return None if MEMORIES[path_of(site).target].on_core else atomics.mode(core, site)


def clauses(site: Site, values: tuple[Lanes, ...]) -> list[tuple[str, tuple[Lanes, ...]]]:
    """The operands after the fixed ones, cut into the clauses they were written in."""
    out: list[tuple[str, tuple[Lanes, ...]]] = []
    at = 0
    for keyword, count in site.segments:
        out.append((keyword, values[at : at + count]))
        at += count
    return out


NBURST = Group(
    "nburst",
    (
        number("n_burst", "rows"),
        number("src_stride", "bytes from row to row in the source"),
        number("dst_stride", "bytes from row to row in the destination"),
    ),
)
LOOP = Group(
    "loop",
    (
        number("loop_count", "repetitions of everything inside"),
        number("loop_src_stride", "bytes per repetition in the source"),
        number("loop_dst_stride", "bytes per repetition in the destination"),
    ),
    "many",
    most=8,
)
CACHE = Group(
    "l2_cache_ctl",
    (number("l2_cache_ctl", "L2 allocation hint, without effect on values"),),
    "optional",
    1,
    unnamed=True,
)
_LOAD_HINT_BITS, _STORE_HINT_BITS = 2, 4


def gaps(units: str) -> Group:
    """The clause of bursts of units with gaps between them."""
    return Group(
        "nburst",
        (
            number("n_burst", "bursts"),
            number("src_gap", f"{units} between bursts in the source"),
            number("dst_gap", f"{units} between bursts in the destination"),
        ),
    )


GAPS = gaps("blocks")


def grouped(fixed: int) -> Callable[[Site], Run]:
    """The meaning of a copy with `fixed` operands before its clauses: nburst, then the loops
    around it, then padding."""

    def meaning(site: Site) -> Run:
        path, dtype = path_of(site), element(site)

        def run(core: Core, src: Lanes, dst: Lanes, *values: Lanes) -> None:
            length = values[fixed - 3]
            for hint in values[: fixed - 3]:
                core.fits_field(site, CACHE.keyword, hint, _LOAD_HINT_BITS)
            loops: list[BurstLoop[Lanes]] = []
            padding: Padding[Lanes] | None = None
            for keyword, operands in clauses(site, values[fixed - 2 :]):
                if keyword == "pad":
                    value, *counts = operands
                    left, right = counts or (length.const(0), length.const(0))
                    padding = Padding(value.bits(dtype), left, right)
                elif keyword == CACHE.keyword:
                    core.fits_field(site, keyword, operands[0], _STORE_HINT_BITS)
                else:
                    count, src_stride, dst_stride = operands
                    loops.append(BurstLoop(count, src_stride, dst_stride))
            copy = Transfer(path, dtype, length, tuple(loops), padding, mode(core, site))
            core.transfer(site, src, dst, copy)

        return run

    return meaning


def in_units(
    core: Core,
    site: Site,
    src: Lanes,
    dst: Lanes,
    counts: tuple[Lanes, Lanes, Lanes, Lanes],
    loops: tuple[BurstLoop[Lanes], ...] = (),
    ub: Lanes | None = None,
) -> None:
    """Copies bursts of whole units with gaps between them, and loops around that: `counts` are
    the length of a burst, the number of them, and both gaps. `ub` is the vector core whose UB
    is an end of it, where that is not its own."""
    length, rows, src_gap, dst_gap = counts
    # Before they are multiplied: a product modulo 2**64 may look legal.
    core.fits_field(site, "burst length", length, LENGTH_BITS)
    core.fits_field(site, "gap", src_gap, GAP_BITS)
    core.fits_field(site, "gap", dst_gap, GAP_BITS)
    path = path_of(site)
    unit = path.unit
    inner = BurstLoop(rows, (length + src_gap) * unit, (length + dst_gap) * unit)
    copy = Transfer(path, element(site), length * unit, (inner, *loops), core=ub)
    core.transfer(site, src, dst, copy)


def units_in_clause(site: Site) -> Run:
    """The meaning of `src, dst, length nburst(rows, gaps)`."""

    def run(core: Core, src: Lanes, dst: Lanes, length: Lanes, *burst: Lanes) -> None:
        rows, src_gap, dst_gap = burst
        in_units(core, site, src, dst, (length, rows, src_gap, dst_gap))

    return run


def units_after_stream(site: Site) -> Run:
    """The meaning of the older spelling: `src, dst, stream, rows, length, gaps`."""

    def run(core: Core, src: Lanes, dst: Lanes, sid: Lanes, *counts: Lanes) -> None:
        rows, length, src_gap, dst_gap = counts
        in_units(core, site, src, dst, (length, rows, src_gap, dst_gap))

    return run


def stream_operands(path: CopyPath, sid: str, units: str = "blocks") -> tuple[Operand, ...]:
    """The operands of the older spelling; `sid` says what the number of a stream does."""
    return (
        *pointers(path),
        number("sid", sid),
        number("n_burst", "bursts"),
        number("len_burst", f"{units} per burst"),
        number("src_gap", f"{units} between bursts in the source"),
        number("dst_gap", f"{units} between bursts in the destination"),
    )
