"""Synchronisation between cores, of which one is modelled."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I32, I64, INDEX
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order import rules
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import PIPES, SCALAR_PIPE
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site
from ptoscope.isa.sync import GROUP
from ptoscope.isa.targets import TargetName

_ONE_CORE = Evidence(
    "one core", "chosen", "Signals this core sent itself can be waited for; others are a fault."
)


def _between(
    rule: OrderRule, waits: bool, targets: tuple[TargetName, ...], doc: str, first: str
) -> Record:
    name = rule.instruction

    def meaning(site: Site) -> Run:
        def run(core: Core, unit: Lanes, event: Lanes) -> None:
            core.synchronise(site, rule, SCALAR_PIPE, SCALAR_PIPE, (unit, event))

        return run

    number = ScalarIn((I64,))
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((Operand(first, number), Operand("event_id", number))),),
        meaning,
        pipe=SCALAR_PIPE,
        order=rule,
        where="outside",
        targets=targets,
        evidence=(
            _ONE_CORE,
            Evidence("targets", "micro", "One pair for A2/A3, one for A5."),
        ),
        formula="semaphore[unit, event] " + ("-= 1, or wait" if waits else "+= 1"),
        cpp=f"{name}(unit, event)",
    )


_A2A3: tuple[TargetName, ...] = ("a2a3",)
_A5: tuple[TargetName, ...] = ("a5",)
_BETWEEN = (
    _between(rules.SET_CROSS, False, _A2A3, "Signals another core.", "core_id"),
    _between(rules.WAIT_CROSS, True, _A2A3, "Waits for another core.", "core_id"),
    _between(rules.SET_INTRA, False, _A5, "Signals inside a block.", "block_id"),
    _between(rules.WAIT_INTRA, True, _A5, "Waits inside a block.", "block_id"),
)


_FFTS_MODE = Attr("ffts_mode", (), 2, "which cores of A2/A3 get the signal", high=2)
_WHICH_CORES = (
    Evidence("ffts_mode", "chosen", "Read and kept; the core that signals sees it in every mode."),
)


def _between_units(
    rule: OrderRule,
    on_a5: tuple[str, ...],
    doc: str,
    formula: str,
    more: tuple[Attr, ...] = (),
) -> Record:
    entries = f" {{{', '.join(a.name for a in more)}}}" if more else ""

    def meaning(site: Site) -> Run:
        def run(core: Core, *values: Lanes) -> None:
            written = site.attrs.get("event", 0)
            assert isinstance(written, int)
            event = values[0] if values else core.constant(I64, 1, written)
            core.synchronise(site, rule, SCALAR_PIPE, SCALAR_PIPE, (event,))

        return run

    pipe = Attr("pipe", PIPES, None, "the pipe that signals or is held", kind="pipe")
    event = Attr("event", doc="the number of the signal", high=_UNIT_EVENTS - 1, alias="event_id")
    number = Operand("event", ScalarIn((INDEX, I64, I32)), "the number of the signal")
    return Record(
        f"pto.{rule.instruction}",
        GROUP,
        doc,
        (
            Form(attrs=(pipe, event, *more), syntax=f"#pipe, =event{entries}"),
            Form((number,), attrs=(pipe, *more), syntax=f"#pipe, event{entries}"),
        ),
        meaning,
        pipe=SCALAR_PIPE,
        order=rule,
        where="outside",
        targets=(*_A2A3, *_A5),
        absent={"a5": {"pipe": tuple(pipe for pipe in PIPES if pipe not in on_a5)}},
        evidence=(
            _ONE_CORE,
            Evidence("pipes", "micro", "A5 has them on some pipes only."),
            Evidence(
                "which pipe waits",
                "chosen",
                "The scalar unit, and with it all: the pipe decides only when others see it.",
            ),
            *(_WHICH_CORES if more else ()),
        ),
        formula=formula,
        cpp=f"{rule.instruction.replace('.', '_')}(pipe, event)",
    )


_UNIT_EVENTS = 32
_UNITS = (
    _between_units(
        rules.SET_UNIT,
        ("PIPE_FIX", "PIPE_MTE3"),
        "Signals between the vector and the matrix unit, after what the pipe did so far.",
        "semaphore[event] += 1",
        (_FFTS_MODE,),
    ),
    _between_units(
        rules.WAIT_UNIT,
        ("PIPE_FIX", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_V"),
        "Holds a pipe until the other unit, vector or matrix, signals.",
        "semaphore[event] -= 1, or wait",
    ),
)

RECORDS = (*_BETWEEN, *_UNITS)
