"""Synchronisation between pipes: flags, buffers, barriers."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import I32, I64, INDEX
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order import rules
from ptoscope.isa.order.memory import MEMORY_BARRIERS
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import BUFFERS, EVENTS, PIPE_ALL, PIPES
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import (
    Attr,
    Evidence,
    Form,
    Meaning,
    Operand,
    Record,
    Run,
    Site,
    When,
)

GROUP = "synchronisation"
_SRC = Attr("src", PIPES, None, "the pipe that signals", kind="pipe", alias="src_pipe")
_DST = Attr("dst", PIPES, None, "the pipe that waits", kind="pipe", alias="dst_pipe")
_EVENT = Attr(
    "event", EVENTS, None, "one of 8 events of this pair of pipes", kind="event", alias="event_id"
)
_TILE_OPERATIONS = {
    "TLOAD": "PIPE_MTE2",
    "TSTORE_VEC": "PIPE_MTE3",
    "TSTORE_ACC": "PIPE_FIX",
    "TMOV_M2L": "PIPE_MTE1",
    "TMOV_M2B": "PIPE_MTE1",
    "TMOV_M2S": "PIPE_FIX",
    "TMOV_M2V": "PIPE_V",
    "TMOV_V2M": "PIPE_FIX",
    "TMATMUL": "PIPE_M",
    "TVEC": "PIPE_V",
    "TVECWAIT_EVENT": "PIPE_V",
}
"""The pipes that execute operations on tiles."""
_PIPE = Attr(
    "pipe",
    PIPES,
    None,
    "the pipe that uses the buffer",
    kind="pipe",
    alias="op_type",
    other_tokens=_TILE_OPERATIONS,
    other_kinds=("pipe_event_type", "sync_op_type"),
)
_ID = Attr("id", doc="one of 32 buffer ids", high=BUFFERS - 1, alias="buf_id")
_MODE = Attr("mode", (), 0, "0: wait for earlier releases; 1: legacy, without waiting", high=1)
_NUMBER = ScalarIn((I64, I32, INDEX))


def _event(core: Core, site: Site, values: tuple[Lanes, ...]) -> Lanes:
    if values:
        return values[0]
    return core.constant(I64, 1, EVENTS.index(str(site.attrs["event"])))


def _flag(rule: OrderRule) -> Meaning:
    def meaning(site: Site) -> Run:
        src, dst = str(site.attrs["src"]), str(site.attrs["dst"])

        def run(core: Core, *values: Lanes) -> None:
            core.synchronise(site, rule, src, dst, (_event(core, site, values),))

        return run

    return meaning


_WRITTEN = Form(attrs=(_SRC, _DST, _EVENT), syntax='["src", "dst", "event"]')
_NUMBERED = Form(
    (Operand("event", _NUMBER, "the event's number, 0 to 7"),),
    attrs=(_SRC, _DST),
    syntax='["src", "dst", event]',
)
_DYNAMIC = replace(_NUMBERED, syntax="[#src, #dst, event]")


def _flags(name: str, rule: OrderRule, forms: tuple[Form, ...], doc: str, formula: str) -> Record:
    numbered = () if len(forms) == 1 else (1,)
    ids = Evidence(
        "event ids",
        "manual",
        "EVENT_ID0 to EVENT_ID7 on every target, as the pages of both revisions list them. Another "
        "page and newer compilers have 16 where a target has; EVENT_ID8 to EVENT_ID15 are refused, "
        "as nobody says which pairs of pipes have them.",
    )
    pending = Evidence("pending sets", "chosen", "At most 15: a 4-bit counter, as between cores.")
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        forms,
        _flag(rule),
        pipe="=dst" if rule.second else "=src",
        order=rule,
        where="outside",
        evidence=(
            Evidence(
                "an event number at run time",
                "chosen",
                "Legal, and checked: 0 to 7.",
                when=When(forms=numbered),
            ),
            ids,
            *(() if rule.second else (pending,)),
        ),
        formula=formula,
        cpp=f"{rule.instruction}(src, dst, event)",
    )


_SETS = "Signals an event from one pipe to another, after what the first pipe did so far."
_WAITS = "Holds the second pipe until the event is signalled, and consumes it."
_COUNTS = "flag[src, dst, event] += 1"
_CONSUMES = "wait until flag[src, dst, event] > 0; flag[src, dst, event] -= 1"
set_flag = _flags("set_flag", rules.SET, (_WRITTEN, _NUMBERED), _SETS, _COUNTS)
wait_flag = _flags("wait_flag", rules.WAIT, (_WRITTEN, _NUMBERED), _WAITS, _CONSUMES)
set_flag_dyn = _flags("set_flag_dyn", rules.SET, (_DYNAMIC,), _SETS, _COUNTS)
wait_flag_dyn = _flags("wait_flag_dyn", rules.WAIT, (_DYNAMIC,), _WAITS, _CONSUMES)


def _buffer(core: Core, site: Site, values: tuple[Lanes, ...]) -> tuple[Lanes, Lanes]:
    if values:
        return values[0], values[1]
    number, mode = site.attrs["id"], site.attrs["mode"]
    assert isinstance(number, int)
    assert isinstance(mode, int)
    return core.constant(I64, 1, number), core.constant(I64, 1, mode)


def _use(rule: OrderRule) -> Meaning:
    def meaning(site: Site) -> Run:
        pipe = str(site.attrs["pipe"])

        def run(core: Core, *values: Lanes) -> None:
            core.synchronise(site, rule, pipe, "", _buffer(core, site, values))

        return run

    return meaning


_PIPE_FIRST = (
    Form(attrs=(_PIPE, _ID, _MODE), syntax='"pipe", =id, =mode', bracketed=True),
    Form(
        (Operand("id", _NUMBER, "buffer id, 0 to 31"), Operand("mode", _NUMBER, "0 or 1")),
        attrs=(_PIPE,),
        syntax='"pipe", id, mode : id, mode',
    ),
)
_BUFFER_FORMS = (*_PIPE_FIRST, replace(_PIPE_FIRST[1], syntax='id, "pipe", mode : id, mode'))
_ID_FIRST = Evidence(
    "id before the pipe",
    "manual",
    "get-buf.md and rls-buf.md write it so, pipeline-sync.md and the micro specification behind "
    "the pipe.",
    when=When(forms=(2,)),
)
get_buf = Record(
    "pto.get_buf",
    GROUP,
    "Acquires a buffer id for a pipe; in mode 0 after all earlier releases of it.",
    _BUFFER_FORMS,
    _use(rules.GET),
    pipe="=pipe",
    order=rules.GET,
    where="outside",
    evidence=(
        Evidence("modes", "micro", "0 waits for earlier releases, 1 does not wait."),
        _ID_FIRST,
        Evidence(
            "acquired again",
            "manual",
            "Before the same pipe has released it that is illegal (get-buf.md). The micro "
            "specification says nothing of it: in that revision it is counted, and released as "
            "often.",
        ),
    ),
    formula="mode 0: wait until every earlier rls_buf of id has happened",
    cpp="get_buf(pipe, id, mode)",
)
rls_buf = Record(
    "pto.rls_buf",
    GROUP,
    "Releases a buffer id that the pipe has acquired; in mode 1 after all pipes that hold it.",
    _BUFFER_FORMS,
    _use(rules.RELEASE),
    pipe="=pipe",
    order=rules.RELEASE,
    where="outside",
    evidence=(
        Evidence("modes", "micro", "0 waits for the pipe's own work, 1 for that of all holders."),
        _ID_FIRST,
        Evidence(
            "what mode 1 waits for",
            "chosen",
            "All issued before to pipes that hold the id.",
            when=When(attrs={"mode": (1,)}),
        ),
        Evidence(
            "behind a release in mode 1",
            "chosen",
            "The pipe waits, but a copy of a DMA pipe does not count as ordered by it.",
            when=When(attrs={"mode": (1,)}),
        ),
        Evidence("release without acquire", "chosen", "A fault: the pipe holds nothing."),
    ),
    formula="mode 1: wait until every pipe that holds id has done what precedes; release id",
    cpp="rls_buf(pipe, id, mode)",
)


def _barrier(site: Site) -> Run:
    pipe = str(site.attrs["pipe"])

    def run(core: Core) -> None:
        core.synchronise(site, rules.BARRIER, pipe, "", ())

    return run


_ANY_PIPE = Attr("pipe", (*PIPES, PIPE_ALL), PIPE_ALL, "the pipe, or PIPE_ALL", kind="pipe")
barrier = Record(
    "pto.barrier",
    GROUP,
    "Waits until a pipe, or with PIPE_ALL every pipe, has finished.",
    (Form(attrs=(_ANY_PIPE,), syntax="#pipe"),),
    _barrier,
    pipe="=pipe",
    order=rules.BARRIER,
    where="outside",
    evidence=(Evidence("#pto.pipe without a name", "manual", "All pipes."),),
    formula="wait until the pipe is idle",
    cpp="pipe_barrier(pipe)",
)
pipe_barrier = Record(
    "pto.pipe_barrier",
    GROUP,
    "Waits until a pipe has finished what was issued to it.",
    (Form(attrs=(_ANY_PIPE,), syntax='"pipe"'),),
    _barrier,
    pipe="=pipe",
    order=rules.BARRIER,
    where="outside",
    evidence=(Evidence("order of copies", "micro", "Orders overlapping copies of one pipe."),),
    formula="wait until the pipe is idle",
    cpp="pipe_barrier(pipe)",
)


def _mem_bar(site: Site) -> Run:
    kinds = str(site.attrs["type"])

    def run(core: Core) -> None:
        core.memory_barrier(site, kinds)

    return run


mem_bar = Record(
    "pto.mem_bar",
    GROUP,
    "Orders accesses to UB inside a vecscope: those of a kind before it and those after it.",
    (
        Form(
            attrs=(
                Attr(
                    "type",
                    MEMORY_BARRIERS,
                    None,
                    "which accesses, before and after",
                    kind="membar",
                    alias="kind",
                ),
            ),
            syntax='"type"',
        ),
    ),
    _mem_bar,
    cost=Cost("barrier"),
    evidence=(Evidence("types", "micro", "Vector and scalar loads and stores, by family."),),
    formula="accesses before it complete before those after it",
    cpp="mem_bar(type)",
)

RECORDS = (
    set_flag,
    wait_flag,
    set_flag_dyn,
    wait_flag_dyn,
    get_buf,
    rls_buf,
    barrier,
    pipe_barrier,
    mem_bar,
)
