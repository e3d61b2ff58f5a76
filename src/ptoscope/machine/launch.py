"""A launch of the reference engine: blocks one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from ptoscope.arguments import Argument
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.parts import CoreId, core_ids
from ptoscope.isa.targets import Target
from ptoscope.machine.cluster import Cluster, Seat
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.deadlock import left_over
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.machine.memory import (
    Bytes,
    Memory,
    Region,
    cluster_regions,
    gm_base,
    gm_regions,
    zeroed,
)
from ptoscope.machine.prints import Prints
from ptoscope.machine.schedule import Schedule
from ptoscope.machine.signals import Buffer, Signal
from ptoscope.machine.walker import Walker
from ptoscope.program import Function, Program

Follow = Callable[[Callable[[], int]], None]
"""Takes, before a launch, a function that any thread may ask how far the launch is, in blocks."""


def launch(
    program: Program,
    walker: Walker,
    target: Target,
    arguments: list[Argument],
    grid: int,
    max_steps: int | None = None,
    schedule: str = "program",
    iterations: dict[int, int] | None = None,
    prints: Prints | None = None,
    follow: Follow | None = None,
) -> list[Diagnostic]:
    """Runs every block, one after the other; PtoError if one faults. A block may begin
    `max_steps` iterations of its loops; `iterations` takes how many each began, `prints` what
    they print, `follow` what says how many blocks have ended. `schedule` says which legal order
    the pipes take (see `Schedule.parse`). Gives warnings: flags that are left set and buffers that
    are still held."""
    chosen = Schedule.parse(schedule)
    regions = gm_regions(arguments)
    count = len(walker.function.cores)
    left: dict[int, dict[Signal, int]] = {}
    held: dict[int, dict[Buffer, int]] = {}
    if follow is not None:
        follow(lambda: len(left))
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in chosen.blocks(grid):
            cores = [
                ReferenceCore(memory, block, grid, max_steps, chosen.order(block, n), seat, core)
                for n, (memory, seat, core) in enumerate(
                    seats(walker.function, target, regions, chosen.turns(block, count))
                )
            ]
            for core in cores:
                core.prints = prints
            try:
                run_cores([partial(walker.run, core, values) for core in cores], cores[0].seat)
            except Fault as fault:
                raise PtoError([fault.diagnostic(program, block, grid)]) from None
            left[block] = {k: n for core in cores for k, n in core.pipes.left_set().items()}
            held[block] = {k: n for core in cores for k, n in core.pipes.held().items()}
            if iterations is not None:
                iterations[block] = sum(core.begun for core in cores)
    return left_over(program, walker.function, left, grid, held)


def seats(
    function: Function,
    target: Target,
    regions: dict[int, Region],
    turns: Sequence[int] | None = None,
    content: Callable[[int], Bytes] = zeroed,
) -> list[tuple[Memory, Seat | None, CoreId]]:
    """What the cores of a block have: their memories, their places in the cluster (None where
    there is one core), and which they are. `turns` is the order in which they run."""
    ids = core_ids(function.cores)
    memories = [Memory(regions, own) for own in cluster_regions(function, target, content)]
    if len(ids) == 1:
        return [(memories[0], None, ids[0])]
    cluster = Cluster(ids, turns)
    return [(memory, Seat(cluster, n), ids[n]) for n, memory in enumerate(memories)]


def run_cores(bodies: Sequence[Callable[[], None]], seat: Seat | None) -> None:
    """Runs the cores of a block, of which the first has that seat; raises what one raises."""
    if seat is None:
        (body,) = bodies
        body()
        return

    def quiet(body: Callable[[], None]) -> None:
        # What NumPy warns of is set for each thread.
        with quietly():
            body()

    seat.cluster.run([partial(quiet, body) for body in bodies])


def argument_value(argument: Argument) -> NumpyLanes:
    """What a parameter holds when the kernel begins."""
    if argument.value is None:
        return constant(INDEX, 1, gm_base(argument.position))
    return constant(argument.dtype, 1, argument.value)
