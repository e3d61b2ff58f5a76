"""What the rules of synchronisation say."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.check.analysis.expr import single
from ptoscope.check.analysis.nodes import BranchNode, RegisterTouch, Sync
from ptoscope.check.positions import place_name
from ptoscope.check.rule import Context, Finding
from ptoscope.check.synchronisation import problems as problems_
from ptoscope.check.synchronisation.buffers import overlap_between
from ptoscope.check.synchronisation.executions import Execution, GivenUp, UnrolledRun
from ptoscope.check.synchronisation.order import PipeOrder
from ptoscope.check.synchronisation.problems import COPIES, UNFLAGGED, Problems
from ptoscope.check.synchronisation.races import StaticRace, anchor, touch_of
from ptoscope.check.synchronisation.scopes import ScopeHazard
from ptoscope.isa.order.kinds import partner
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT
from ptoscope.isa.order.unit_flags import CLEAR, FREE, PUBLISH
from ptoscope.isa.parts import EVENTS, MEMORIES


def _sync(event: Execution) -> Sync:
    assert isinstance(event.node, Sync)
    return event.node


def _named(sync: Sync) -> str:
    number, what = sync.number, sync.rule.numbers[0][0]
    which = f"this {what}" if number is None else f"{what} {number}"
    return f"{which} from {sync.src} to {sync.dst}"


def _lines(events: list[Execution]) -> str:
    lines = sorted({e.node.op.span.line for e in events})
    return ", ".join(f"line {line}" for line in lines)


def _like(run: UnrolledRun, name: str, sync: Sync) -> list[Execution]:
    """What a rule does with the pipes and numbers of a synchronisation."""
    same = sync.src, sync.dst, sync.numbers
    return [
        e
        for e in run.events
        if isinstance(e.node, Sync)
        and e.node.rule.name == name
        and (e.node.src, e.node.dst, e.node.numbers) == same
    ]


def _event(sync: Sync) -> str:
    number, what = sync.number, sync.rule.numbers[0][0]
    return f"some {what}" if number is None else f"{what} {number}"


def _signals(run: UnrolledRun, wait: Sync) -> list[str]:
    """The signals of the kind of a wait that are given to its pipe, by line."""
    nodes = [e.node for e in run.events if isinstance(e.node, Sync)]
    found = {
        (n.op.span.line, f"{n.src} to {n.dst} {_event(n)}")
        for n in nodes
        if n.rule.name == wait.rule.given_by and n.dst == wait.dst
    }
    return [f"{what} (line {line})" for line, what in sorted(found)]


def _short(run: UnrolledRun, event: Execution) -> Finding:
    """A wait for which there is no set."""
    flag = _sync(event)
    sets, waits = (_like(run, name, flag) for name in (flag.rule.given_by, flag.rule.name))
    others = _signals(run, flag)
    giver, what = partner(flag.rule), flag.rule.numbers[0][0]
    if sets:
        found = f"{len(sets)} set ({_lines(sets)}) for {len(waits)} waits ({_lines(waits)})"
    else:
        found = f"no {giver.instruction} of it" + (
            f"; flags set: {'; '.join(others)}" if others else ""
        )
    number = flag.number
    event_id = number if number is not None and 0 <= number < len(EVENTS) else 0
    return Finding(
        event.node.op.span,
        f"{event.node.op.name}: {flag.dst} waits for {_named(flag)}, which is not set",
        found=found,
        expected=f"one {giver.instruction} of the same pipes and {what} for every wait, on every "
        "path",
        hint=f"put {giver.written(flag.src, flag.dst, event_id)} after the last instruction "
        f"of {flag.src} that {flag.dst} has to wait for, before line {flag.op.span.line}",
    )


def _stuck(run: UnrolledRun, order: PipeOrder, event: Execution) -> Finding:
    """Pipes that wait for each other."""
    waits = "; ".join(
        f"{run.events[i].node.pipe} at line {run.events[i].node.op.span.line}" for i in order.stuck
    )
    node = _sync(event)
    hint = (
        "set the flag before the pipe that sets it waits for the other one; the first iteration "
        "of a loop needs a flag that is set before the loop"
    )
    if node.rule.account == FREE.account:
        hint = (
            f"the matrix unit sets the flag of a tile by {PUBLISH.text}, what drains the tile "
            f"clears it by {CLEAR.text}: each once, in turn"
        )
    return Finding(
        node.op.span,
        f"{node.op.name}: {node.pipe} waits for something that never happens",
        found=f"blocked: {waits}",
        expected="an instruction that sets the flag or releases the buffer and is not itself "
        "behind a wait",
        hint=hint,
    )


def _left(event: Execution) -> Finding:
    """A flag that nobody waits for."""
    flag = _sync(event)
    number = flag.number
    event_id = number if number is not None and 0 <= number < len(EVENTS) else "?"
    taker, what = partner(flag.rule), flag.rule.numbers[0][0]
    return Finding(
        event.node.op.span,
        f"{event.node.op.name}: {_named(flag)} is set and never waited for",
        found="more sets than waits",
        expected=f"one {taker.instruction} of the same pipes and {what} for every set, on every "
        "path",
        hint=f"put {taker.written(flag.src, flag.dst, event_id)} before the first "
        f"instruction of {flag.dst} that needs it, or remove the set; a flag that is left set "
        "lets a later wait through too early",
    )


def acquires(item: Execution | StaticRace) -> bool:
    """Returns True if a problem is about the acquisition of a buffer."""
    return not isinstance(item, StaticRace) and _sync(item).rule is GET


def _unheld(event: Execution) -> Finding:
    """A release without an acquisition, or a second acquisition."""
    node = _sync(event)
    if node.rule is GET:
        return Finding(
            node.op.span,
            f"{node.op.name}: {node.pipe} acquires buffer {node.number}, which it holds already",
            found=f"no pto.{RELEASE.instruction} of it by this pipe since the last "
            f"pto.{GET.instruction}",
            expected=f"one {RELEASE.instruction} between two {GET.instruction} of a pipe",
            hint=f"put {RELEASE.written(node.pipe, '', str(node.number), 0)} behind the last use "
            "of the buffer by this pipe, or remove one acquisition",
        )
    return Finding(
        node.op.span,
        f"{node.op.name}: {node.pipe} releases buffer {node.number}, which it has not acquired",
        found=f'no pto.{GET.instruction} "{node.pipe}" of buffer {node.number} that is still held',
        expected="the pipe that acquired the buffer",
        hint=f"put {GET.written(node.pipe, '', str(node.number), 0)} before the first use of the "
        "buffer by this pipe",
    )


def _kept(event: Execution) -> Finding:
    """An acquisition without a release."""
    node = _sync(event)
    number = node.number
    named = "a buffer" if number is None else f"buffer {number}"
    return Finding(
        node.op.span,
        f"{node.op.name}: {node.pipe} acquires {named} and does not release it",
        found=f"no {RELEASE.instruction} of it by this pipe afterwards",
        expected=f"one {RELEASE.instruction} for every {GET.instruction}, on every path",
        hint=f"put {RELEASE.written(node.pipe, '', '%id' if number is None else number, 0)} after "
        "the last use of the buffer by this pipe",
    )


def _free_event(run: UnrolledRun, src: str, dst: str) -> int | None:
    """An event that this pair of pipes surely does not use yet."""
    used = run.numbers_between.get((src, dst), set())
    if None in used:
        return None
    return next((event for event in range(len(EVENTS)) if event not in used), None)


def bytes_of(context: Context, item: StaticRace) -> str:
    """The bytes that two accesses share, in words."""
    early, late = touch_of(item.early), touch_of(item.late)
    if isinstance(early, RegisterTouch) or isinstance(late, RegisterTouch):
        return f"the special register {early.name if isinstance(early, RegisterTouch) else ''}"
    exact = all(touch.may.length.number is not None for touch in (early, late))
    span = f"bytes {item.first} to {item.last}" if exact else f"bytes from {item.first} on"
    memory = MEMORIES[early.space]
    if memory.on_core:
        return f"{memory.title} {span}" if not item.base.terms else f"{memory.title} bytes"
    pointer = single(item.base)
    if pointer is not None and isinstance(pointer.ident, int):
        return f"{span} of {context.name(pointer.ident)}"
    return f"{memory.title} bytes"


def _again(item: StaticRace) -> bool:
    """Whether the later access is that of a later iteration."""
    return item.early.iterations != item.late.iterations and (
        anchor(item.late).span <= anchor(item.early).span
    )


def _race(context: Context, run: UnrolledRun, code: str, item: StaticRace) -> Finding:
    """Two pipes at the same bytes."""
    early, late = touch_of(item.early), touch_of(item.late)
    src, dst = early.pipe, late.pipe
    event = _free_event(run, src, dst)
    signal, wait = (rule.written(src, dst, event or 0) for rule in (SET, WAIT))
    iteration = " in the iteration before" if _again(item) else ""
    first, then = (place_name(anchor(event)) for event in (item.early, item.late))
    hint = f"put {signal} after {first} and {wait} before {then}"
    if _again(item):
        hint += "; set it once before the loop and wait for it once after the loop"
    line, verb = early.op.span.line, "write" if early.writes else "read"
    touches = f"{late.op.name}: {dst} {late.verb} {bytes_of(context, item)}, which"
    told = f"{touches} {src} may still {verb} (line {line}{iteration})"
    expected = f"{dst} waits for {src}"
    if code == UNFLAGGED:
        told = f"{touches} the scalar unit stored in line {line}{iteration}"
        expected += ", as no document says that the store is complete before"
    return Finding(
        late.op.span,
        told,
        found=f"no chain of flags, buffers or barriers from line {line} to line "
        f"{late.op.span.line}",
        expected=expected,
        hint=hint,
    )


def _copies(context: Context, item: StaticRace) -> Finding:
    """Two copies of one pipe at the same bytes."""
    early, late = touch_of(item.early), touch_of(item.late)
    barrier = BARRIER.written(late.pipe, "")
    iteration = " in the iteration before" if _again(item) else ""
    return Finding(
        late.op.span,
        f"{late.op.name}: {late.verb} {bytes_of(context, item)}, which the copy of line "
        f"{early.op.span.line}{iteration} {early.verb} too",
        found=f"two copies of {late.pipe}, which may run in any order",
        expected="a barrier between copies of one pipe that touch the same bytes",
        hint=f"put {barrier} before line {late.op.span.line}",
    )


def said(context: Context, problems: Problems, code: str, item: Execution | StaticRace) -> Finding:
    """What is said of a problem."""
    run = problems.run
    if isinstance(item, StaticRace):
        made = _copies(context, item) if code == COPIES else _race(context, run, code, item)
        shared = overlap_between(context, item.early, item.late)
        return made if shared is None else replace(made, found=shared.found, hint=shared.hint)
    match code:
        case problems_.SHORT:
            return _short(run, item)
        case problems_.STUCK:
            return _stuck(run, problems.order, item)
        case problems_.SURPLUS:
            return _left(item)
        case problems_.UNHELD:
            return _unheld(item)
        case _:
            return _kept(item)


def hazard(context: Context, item: ScopeHazard) -> Finding:
    """Two accesses of one vecscope at the same bytes."""
    early, late = item.early.node, item.late.node
    before, after = early.op.span.line, late.op.span.line
    pairs = zip(item.early.iterations, item.late.iterations, strict=False)
    apart = next((b - a for a, b in pairs if a != b), 0)
    iteration = {0: "", 1: " in the iteration before"}.get(apart, f" {apart} iterations before")
    shared = overlap_between(context, item.early, item.late, within_scope=True)
    verbs = {"LD": "load", "ST": "store"}
    first, then = (verbs[part.lstrip("V")] for part in item.barrier.split("_"))
    barrier = item.text
    return Finding(
        late.op.span,
        f"{late.op.name}: this {then} and the {first} of line {before}{iteration} touch the same "
        "UB bytes",
        found=f"bytes {item.first} to {item.last}, with no fitting pto.mem_bar between"
        if shared is None
        else shared.found,
        expected=f"{barrier} between them",
        hint=f"put {barrier} before line {after}; inside a vecscope of A5 the order of the text "
        "alone does not order loads and stores"
        if shared is None
        else shared.hint,
        fix=context.text.insert_before(late.op, barrier) if shared is None else (),
    )


_BY_A_RUN = "ptoscope run --races looks at what a run really does"


def not_followed(up: GivenUp) -> Finding:
    """Something that could not be followed."""
    what = "after it nothing" if up.ends else "nothing"
    return Finding(
        up.op.span,
        f"{up.op.name}: its synchronisation is not followed",
        found=up.why,
        hint=f"{what} is said about flags, buffers and accesses of two pipes; {_BY_A_RUN}",
    )


def too_many_ways(conditions: tuple[BranchNode, ...], followed: int) -> Finding:
    """Conditions of which not all combinations could be followed."""
    lines = sorted({node.op.span.line for node in conditions})
    first = min((node.op for node in conditions), key=lambda op: op.span)
    return Finding(
        first.span,
        f"{first.name}: not all ways through the function are followed",
        found=f"conditions that synchronisation depends on in lines {', '.join(map(str, lines))}, "
        f"{followed} combinations of which are followed",
        hint=f"a fault that needs another combination is not found; {_BY_A_RUN}",
    )
