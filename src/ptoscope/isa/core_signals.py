"""Synchronisation between the cores of a cluster."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I32, I64, INDEX
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.cores import SET_CLUSTER, SET_CORE, WAIT_CLUSTER, WAIT_CORE
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import PIPES, SCALAR_PIPE, SEMAPHORES, VECTOR_CORES
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import (
    ALWAYS,
    Attr,
    Constraint,
    Evidence,
    Form,
    Operand,
    Record,
    Run,
    Site,
    When,
)
from ptoscope.isa.sync import GROUP
from ptoscope.isa.targets import TargetName

_A2A3: tuple[TargetName, ...] = ("a2a3",)
_A5: tuple[TargetName, ...] = ("a5",)
_COUNTED = (
    Evidence(
        "who gets it",
        "suite",
        "A5: the matrix core reaches vector core s by number + 16 * s, also where it waits for "
        "it; the text says + 15.",
    ),
    Evidence("both at once", "micro", "A2/A3: the matrix core signals both, and waits for both."),
    Evidence("counter", "micro", "4 bits: at most 15 signals that nobody has waited for."),
    Evidence("which wait", "chosen", "The n-th wait of a core for the n-th signal to it."),
)
_CORE_ID = Evidence(
    "core_id",
    "manual",
    "In revision manual 0 or 1, other numbers are a fault (set-cross-core.md). It has no effect: "
    "a signal reaches both vector cores.",
)
_RAISES = "semaphore[receiver, number] += 1"
_TAKES = "wait until semaphore[this core, number] > 0; semaphore[this core, number] -= 1"


def signals_on(target: str) -> tuple[OrderRule, OrderRule]:
    """What signals between cores do on a target: what gives one, and what awaits it."""
    return (SET_CLUSTER, WAIT_CLUSTER) if target == "a2a3" else (SET_CORE, WAIT_CORE)


def _rule(site: Site, gives: bool) -> OrderRule:
    return signals_on(site.target.name)[0 if gives else 1]


_PIPE = Attr("pipe", PIPES, None, "the pipe that signals or is held", kind="pipe")
_EVENT_ID = Operand("event_id", ScalarIn((I64,)), "the number of the semaphore")
# The pages list a type for the pipe, too.
_WITH_PIPE = (
    Form((_EVENT_ID,), attrs=(_PIPE,), syntax='"pipe", event_id : event_id, event_id'),
    Evidence(
        "form with a pipe",
        "manual",
        "set-intra-block.md and wait-intra-core.md write it in every example: the pipe signals "
        "after what it did so far, or is held alone. Any pipe: the examples have PIPE_MTE2 and "
        "PIPE_V.",
        when=When(forms=(1,)),
    ),
)
_EVENT_ALONE = (
    Form((_EVENT_ID,)),
    Evidence(
        "form without core_id",
        "manual",
        "The only one of wait-flag-dev.md.",
        when=When(forms=(1,)),
    ),
)


def _numbered(
    name: str,
    gives: bool,
    targets: tuple[TargetName, ...],
    doc: str,
    first: str,
    short: tuple[Form, Evidence] | None = None,
) -> Record:
    """`short` is the form of the manual's pages without the operand that has no effect."""
    of_pipe = short is _WITH_PIPE

    def meaning(site: Site) -> Run:
        rule = _rule(site, gives)
        named = name == "set_cross_core" and not site.micro
        pipe = str(site.attrs.get("pipe", SCALAR_PIPE))

        def run(core: Core, *values: Lanes) -> None:
            *units, event = values
            for unit in units if named else ():
                outside = (unit < 0) | (unit >= VECTOR_CORES)
                core.refuse(site, outside, "PTO0910", f"{first} is neither 0 nor 1", unit, "0 or 1")
            core.synchronise(site, rule, pipe, "", (event,))

        return run

    unit = Operand(first, ScalarIn((I64,)), "without effect: no document says which is which")
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((unit, _EVENT_ID)), *(() if short is None else short[:1])),
        meaning,
        pipe="=pipe" if of_pipe else SCALAR_PIPE,
        order=SET_CORE if gives else WAIT_CORE,
        where="outside",
        targets=targets,
        evidence=(
            Evidence("targets", "micro", "One pair for A2/A3, one for A5."),
            *([_CORE_ID] if name == "set_cross_core" else []),
            Evidence(
                "which pipe",
                "chosen",
                "The scalar unit gives it when it comes there, or waits: this spelling names no "
                "pipe. Wait for the pipe before (pto.barrier), or use pto.sync.set.",
                when=ALWAYS if short is None else When(forms=(0,)),
            ),
            *(() if short is None else short[1:]),
            *_COUNTED,
        ),
        formula=_RAISES if gives else _TAKES,
        cpp=f"{name}(pipe, event)",
    )


set_intra_block = _numbered(
    "set_intra_block", True, _A5, "Signals another core of the cluster.", "block_id", _WITH_PIPE
)
wait_intra_core = _numbered(
    "wait_intra_core", False, _A5, "Waits for another core of the cluster.", "block_id", _WITH_PIPE
)
_NUMBERED = (
    _numbered("set_cross_core", True, _A2A3, "Signals the other cores of the cluster.", "core_id"),
    _numbered(
        "wait_flag_dev",
        False,
        _A2A3,
        "Waits for the others of the cluster.",
        "core_id",
        _EVENT_ALONE,
    ),
    set_intra_block,
    wait_intra_core,
)

_FFTS_MODE = Attr("ffts_mode", (), 2, "which cores of A2/A3 get the signal", high=2)
_WHICH_CORES = Evidence(
    "ffts_mode", "micro", "2: the other cores of the cluster. No document defines 0 and 1."
)


def _undefined_mode(site: Site) -> str:
    mode = site.attrs.get("ffts_mode", 2)
    return "" if mode == 2 or site.target.name != "a2a3" else f"ffts_mode {mode}"


_MODE_DEFINED = Constraint(
    "signals reach the cores of the cluster: ffts_mode 2",
    _undefined_mode,
    "no document defines what other modes do",
)


def _of_a_pipe(
    name: str,
    gives: bool,
    on_a5: tuple[str, ...],
    doc: str,
    more: tuple[Attr, ...] = (),
) -> Record:
    entries = f" {{{', '.join(a.name for a in more)}}}" if more else ""

    def meaning(site: Site) -> Run:
        rule = _rule(site, gives)
        pipe = str(site.attrs["pipe"])

        def run(core: Core, *values: Lanes) -> None:
            written = site.attrs.get("event", 0)
            assert isinstance(written, int)
            event = values[0] if values else core.constant(I64, 1, written)
            core.synchronise(site, rule, pipe, "", (event,))

        return run

    event = Attr("event", doc="the number of the semaphore", high=SEMAPHORES - 1, alias="event_id")
    number = Operand("event", ScalarIn((INDEX, I64, I32)), "the number of the semaphore")
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(attrs=(_PIPE, event, *more), syntax=f"#pipe, =event{entries}"),
            Form((number,), attrs=(_PIPE, *more), syntax=f"#pipe, event{entries}"),
        ),
        meaning,
        pipe="=pipe",
        order=SET_CORE if gives else WAIT_CORE,
        where="outside",
        targets=(*_A2A3, *_A5),
        constraints=(_MODE_DEFINED,) if more else (),
        absent={"a5": {"pipe": tuple(pipe for pipe in PIPES if pipe not in on_a5)}},
        evidence=(
            Evidence(
                "pipes",
                "micro",
                "A5 has them on some pipes only. Compilers once took signals of PIPE_FIX and "
                "PIPE_MTE3 alone; newer ones have those of PIPE_MTE1 and PIPE_V, which the page of "
                "set_intra_block shows, too.",
            ),
            *_COUNTED,
            *((_WHICH_CORES,) if more else ()),
        ),
        formula=_RAISES if gives else _TAKES,
        cpp=f"{name.replace('.', '_')}(pipe, event)",
    )


sync_set = _of_a_pipe(
    "sync.set",
    True,
    ("PIPE_FIX", "PIPE_MTE1", "PIPE_MTE3", "PIPE_V"),
    "Signals another core of the cluster, after what the pipe did so far.",
    (_FFTS_MODE,),
)
sync_wait = _of_a_pipe(
    "sync.wait",
    False,
    ("PIPE_FIX", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_V"),
    "Holds a pipe until another core of the cluster signals.",
)


def has_pipe(record: Record, target: str, pipe: str) -> bool:
    """Whether a signal or wait of a pipe exists on a target."""
    return all(name != target or pipe not in of["pipe"] for name, of in record.absent.items())


RECORDS = (*_NUMBERED, sync_set, sync_wait)
