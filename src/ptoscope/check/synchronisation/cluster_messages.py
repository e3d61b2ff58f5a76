"""What is said of signals between cores and of accesses of two cores."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.check.analysis.nodes import Sync
from ptoscope.check.positions import place_name
from ptoscope.check.rule import Context, Finding
from ptoscope.check.synchronisation.clusters import (
    ClusterOrder,
    CoreEvent,
    CoreRace,
    SignalBetween,
)
from ptoscope.check.synchronisation.messages import bytes_of
from ptoscope.check.synchronisation.races import anchor, touch_of
from ptoscope.isa.core_signals import has_pipe, signals_on, sync_set
from ptoscope.isa.order.cores import BOTH, Channel, number_of
from ptoscope.isa.order.kinds import partner
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import ALL_PIPES, PER_CORE, CoreId


def _rule(signal: SignalBetween) -> OrderRule:
    node = signal.at.event.node
    assert isinstance(node, Sync)
    return node.rule


def _lines(events: Sequence[CoreEvent]) -> str:
    lines = sorted({at.event.node.op.span.line for at in events})
    return ", ".join(f"line {line}" for line in lines)


def _other_end(core: CoreId, channel: Channel) -> str:
    """The core at the other end of a channel."""
    if core.kind == "vector":
        return "the matrix core"
    return "both vector cores" if channel.vector == BOTH else f"vector core {channel.vector}"


def _written_there(signal: SignalBetween, channel: Channel) -> str:
    """The instruction that the other core needs."""
    node, core = signal.at.event.node, signal.at.core
    other = CoreId("vector" if core.kind == "cube" else "cube", channel.vector, core.vectors)
    return (
        partner(_rule(signal))
        .written("PIPE", "", number_of(other, channel))
        .replace("<PIPE>", f"<a pipe of {_other_end(core, channel)}>")
        + f" ({node.op.name} names it {number_of(core, channel)} here)"
    )


def _beside(order: ClusterOrder, signal: SignalBetween, giving: bool) -> str:
    """Other signals of the same number, which people take for it."""
    number = number_of(signal.at.core, signal.channels[0]) % PER_CORE
    others = {
        f"{channel.text} ({_lines([made.at])})"
        for made in order.signals
        if bool(made.gives) is giving
        for channel in made.channels
        if channel.semaphore % PER_CORE == number and channel not in signal.channels
    }
    return "; ".join(sorted(others))


def short(order: ClusterOrder, signal: SignalBetween) -> Finding:
    """A wait that no core signals often enough."""
    node, core = signal.at.event.node, signal.at.core
    channel = next(
        c for c in signal.channels if len(order.of_channel(c, True)) < _count(order, signal, c)
    )
    sets, waits = (order.of_channel(channel, giving) for giving in (True, False))
    giver = partner(_rule(signal)).instruction
    if sets:
        found = f"{len(sets)} signals ({_lines(sets)}) for {len(waits)} waits ({_lines(waits)})"
    else:
        beside = _beside(order, signal, True)
        found = f"no {giver} of it" + (f"; there is {beside}" if beside else "")
    return Finding(
        node.op.span,
        f"{node.op.name}: {node.pipe} of {core.title} waits for {channel.text}, which is not "
        "raised",
        found=found,
        expected=f"one pto.{giver} of {_other_end(core, channel)} for every wait",
        hint=f"put {_written_there(signal, channel)} after what {core.title} has to wait for; the "
        f"matrix core adds {PER_CORE} to the numbers of vector core 1",
    )


def _count(order: ClusterOrder, signal: SignalBetween, channel: Channel) -> int:
    return max(n for chain, n in signal.awaits if chain[2] == channel)


def left(order: ClusterOrder, signal: SignalBetween) -> Finding:
    """A signal that no core waits for."""
    node, core = signal.at.event.node, signal.at.core
    (channel,) = signal.channels
    sets, waits = (order.of_channel(channel, giving) for giving in (True, False))
    taker = partner(_rule(signal)).instruction
    if waits:
        found = f"{len(sets)} signals ({_lines(sets)}) for {len(waits)} waits ({_lines(waits)})"
    else:
        beside = _beside(order, signal, False)
        found = f"no {taker} for it" + (f"; there is one for {beside}" if beside else "")
    return Finding(
        node.op.span,
        f"{node.op.name}: {channel.text} is raised and never waited for",
        found=found,
        expected=f"one pto.{taker} of {_other_end(core, channel)} for every signal",
        hint=f"put {_written_there(signal, channel)} before what needs it, or remove the signal; "
        "one that is left lets a later wait through too early",
        severity="" if waits else "note",
    )


def stuck(order: ClusterOrder) -> Finding:
    """Cores that wait for each other."""
    first = order.stuck[0]
    waits = "; ".join(
        f"{at.event.node.pipe} of {at.core.title} at line {at.event.node.op.span.line}"
        for at in order.stuck
    )
    node = first.event.node
    return Finding(
        node.op.span,
        f"{node.op.name}: {node.pipe} of {first.core.title} waits for something that never happens",
        found=f"blocked: {waits}",
        expected="a signal that is not itself behind a wait for what comes after this one",
        hint="let one of the cores signal before it waits for the other; a buffer that is free at "
        "first needs no wait in the first iteration, or a signal before the loop",
    )


def race(context: Context, order: ClusterOrder, item: CoreRace) -> Finding:
    """Two cores at the same bytes."""
    early, late = touch_of(item.race.early), touch_of(item.race.late)
    verb = "write" if early.writes else "read"
    line = early.op.span.line
    return Finding(
        late.op.span,
        f"{late.op.name}: {late.pipe} of {item.late.title} {late.verb} "
        f"{bytes_of(context, item.race)}, which {early.pipe} of {item.early.title} may still "
        f"{verb} (line {line})",
        found=f"no chain of signals from line {line} of {item.early.title} to line "
        f"{late.op.span.line} of {item.late.title}",
        expected=f"{item.late.title} waits for {item.early.title}",
        hint=_remedy(context, order, item),
    )


def _remedy(context: Context, order: ClusterOrder, item: CoreRace) -> str:
    first, then = (place_name(anchor(event)) for event in (item.race.early, item.race.late))
    if item.early.kind == item.late.kind:
        return (
            "give each core bytes of its own; vector cores cannot signal each other: only by way "
            "of the matrix core"
        )
    to_cube = item.late.kind == "cube"
    vector = (item.early if to_cube else item.late).number
    used = {c for signal in order.signals for c in signal.channels}
    free = [n for n in range(PER_CORE) if Channel(to_cube, vector, n) not in used]
    channel = Channel(to_cube, vector, free[0] if free else 0)
    gives, takes = signals_on(context.target.name)
    early, late = touch_of(item.race.early).pipe, touch_of(item.race.late).pipe
    pipes = [
        pipe.name
        for pipe in ALL_PIPES
        if item.early.kind in pipe.cores and has_pipe(sync_set, context.target.name, pipe.name)
    ]
    by_pipe = early if early in pipes else pipes[-1]
    signal = gives.written(by_pipe, "", number_of(item.early, channel))
    wait = takes.written(late, "", number_of(item.late, channel))
    by = "" if early in pipes else f" (with a flag from {early} to {by_pipe} before it)"
    return f"put {signal}{by} after {first} and {wait} before {then}"
