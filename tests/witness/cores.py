"""Witnesses of what several cores of a block do: who runs what, and who waits for whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from ptoscope.isa.record import Record
from tests.witness.programs import always, sometimes
from tests.witness.registry import Trial, program

NUMBERS = (0, 1, 2, 4, 5, 18, 20)
ORDERS = ("program", "lazy", "eager", "seed:1", "seed:2")
LONGER = (*ORDERS, *(f"seed:{n}" for n in range(3, 9)))


def _kernel(cube: str | None, vector: str) -> str:
    """A kernel in which each core that comes to its end writes a number: the vector cores from 1
    on, the matrix core from 4 on, by their own numbers."""
    constants = "\n".join(f"%l{n} = arith.constant {n} : i64" for n in NUMBERS)
    section = "" if cube is None else f"pto.section.cube {{\n{cube}\n{_done('%l_at', '%l5')}\n}}"
    return f"""
func.func @k(%out: !pto.ptr<i64, gm>) {{
{constants}
%s = pto.get_subblock_idx
%n = pto.get_subblock_num
%at = arith.addi %s, %l1 : i64
%l_at = arith.addi %s, %l4 : i64
{section}
pto.section.vector {{
{vector}
{_done("%at", "%n")}
}}
return
}}
"""


def _done(at: str, value: str) -> str:
    return (
        f"pto.barrier #pto.pipe<PIPE_ALL>\npto.store_scalar {value}, %out[{at}] "
        ": !pto.ptr<i64, gm>, i64"
    )


ARGUMENTS = (np.full(6, -7, np.int64),)
ALL_END = [np.array([-7, 2, 2, -7, 5, -7], np.int64).tobytes()]
ONE_ENDS = [np.array([-7, 1, -7, -7, -7, -7], np.int64).tobytes()]
STUCK, ALONE = "PTO0904", "PTO0913"

# The matrix core's steps, those of both vector cores, and what becomes of them: g and t give and
# take. A5 speaks to one vector core at a time; A2/A3 to both at once, and waits for both.
ON_A5 = (
    ("g2 g18", "t2", ALL_END),
    ("g2", "t2", STUCK),
    ("g18", "t2", STUCK),
    ("g2 g18", "t4", STUCK),
    ("g2 g2 g18 g18", "t2 t2", ALL_END),
    ("g2 g18", "t2 t2", STUCK),
    ("t2 t18", "g2", ALL_END),
    ("t2", "g2", ALL_END),
    ("t2 t2", "g2", STUCK),
    ("t18 t18", "g2 g2", ALL_END),
    ("g2 g18 t4 t20", "t2 g4", ALL_END),
)
ON_A2A3 = (
    ("g2", "t2", ALL_END),
    ("g4", "t2", STUCK),
    ("g2", "t2 t2", STUCK),
    ("t2", "g2", ALL_END),
    ("t2 t2", "g2", STUCK),
    ("g2 t4", "t2 g4", ALL_END),
)
ACROSS = ("t4 g2 g18", "t2 g4"), ("t4 g2", "t2 g4")
"""What only ends where a wait holds its pipe and not the core: on A5, on A2/A3."""


def _trials(
    cube: tuple[str, str], vector: tuple[str, str], targets: tuple[str, ...], holds_core: bool
) -> Iterator[Trial]:
    def lines(plan: str, forms: tuple[str, str]) -> str:
        return "\n".join(forms[step[0] == "t"].format(step[1:]) for step in plan.split())

    for target in targets:
        plans = ON_A5 if target == "a5" else ON_A2A3
        across = (*ACROSS[target == "a2a3"], STUCK if holds_core else ALL_END)
        for first, second, expected in (*plans, across):
            text = _kernel(lines(first, cube), lines(second, vector))
            label = f"{first} | {second} on {target}"
            yield always(label, text, ARGUMENTS, expected, ORDERS, target=target)
        alone = _kernel(None, lines("t2", vector))
        yield always(f"alone on {target}", alone, ARGUMENTS, ALONE, ("program",), target=target)


HANDED = np.array([3, 4, 5, 6], np.int64)
HANDED_ON = (HANDED, np.zeros(4, np.int64), np.zeros(4, np.int64))


def _handed_on(first: str, then: str) -> str:
    """A vector core copies %x to %y and signals; the matrix core then reads %y, writes what it
    read to %z, and signals; the vector core then copies that back to %x."""

    def copied(source: str, target: str) -> str:
        gm, ub, numbers = "!pto.ptr<i64, gm>", "!pto.ptr<i64, ub>", ", i64" * 4
        flag = '["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]'
        return (
            f"pto.mte_gm_ub {source}, %ub, %c0, %c32 nburst(%c1, %c32, %c32) "
            f": {gm}, {ub}, i64{numbers}\npto.set_flag{flag}\npto.wait_flag{flag}\n"
            f"pto.mte_ub_gm %ub, {target}, %c32 nburst(%c1, %c32, %c32) : {ub}, {gm}{numbers}"
        )

    through = "\n".join(
        f"%v{i} = pto.load_scalar %y[%i{i}] : !pto.ptr<i64, gm> -> i64\n"
        f"pto.store_scalar %v{i}, %z[%i{i}] : !pto.ptr<i64, gm>, i64"
        for i in range(4)
    )
    pointers = ", ".join(f"%{name}: !pto.ptr<i64, gm>" for name in "xyz")
    return f"""
func.func @k({pointers}) {{
{chr(10).join(f"%i{i} = arith.constant {i} : index" for i in range(4))}
{chr(10).join(f"%c{i} = arith.constant {i} : i64" for i in (0, 1, 32))}
%ub = pto.castptr %c0 : i64 -> !pto.ptr<i64, ub>
pto.section.cube {{
  pto.sync.wait <PIPE_MTE1>, 2
  pto.barrier #pto.pipe<PIPE_ALL>
  {through}
  pto.sync.set <PIPE_FIX>, 3
}}
pto.section.vector {{
  %s = pto.get_subblock_idx
  %first = arith.cmpi eq, %s, %c0 : i64
  scf.if %first {{
    {copied("%x", "%y")}
    pto.sync.set <{first}>, 2
    pto.sync.wait <{then}>, 3
    {copied("%z", "%x")}
  }}
}}
return
}}
"""


_I32S = np.arange(3, 67, dtype=np.int32)
_GIVEN_ON = (_I32S, 1000 + _I32S, np.zeros(64, np.int32))


def _given_on(signals: str, held: str) -> str:
    """MTE2 of a vector core loads %y and signals, or the vector pipe does after a copy inside UB;
    MTE1 of the matrix core then puts %x over %y, and signals; the vector core then stores %x,
    perhaps after one more copy: the pipe that is held begins with that. It stores its copy of
    %y, too."""
    gm, l1, ub = (f"!pto.ptr<i32, {space}>" for space in ("gm", "l1", "ub"))
    numbers, burst = ", i64" * 4, "%c256 nburst(%c1, %c256, %c256)"
    pointers = ", ".join(f"%{name}: {gm}" for name in "xyz")

    def flag(source: str, target: str) -> str:
        pipes = f'["{source}", "{target}", "EVENT_ID0"]'
        return f"pto.set_flag{pipes}\n    pto.wait_flag{pipes}"

    def copied(target: str) -> str:
        return f"""pto.vecscope {{
      %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      %v = pto.vlds %a[%zero] : {ub} -> !pto.vreg<64xi32>
      pto.vsts %v, {target}[%zero], %m : !pto.vreg<64xi32>, {ub}, !pto.mask<b32>
    }}"""

    first = f"{flag('PIPE_MTE2', 'PIPE_V')}\n    {copied('%b')}" if signals == "PIPE_V" else ""
    # Loads that keep MTE2 busy, so that a signal that does not wait for it comes too early.
    load = f"pto.mte_gm_ub %y, %{{}}, %c0, {burst} : {gm}, {ub}, i64{numbers}"
    loads = "\n    ".join(load.format(to) for to in ("a" if first else 30 * "b" + "a"))
    at, again = ("%a", "") if held == "PIPE_MTE3" else ("%c", copied("%c"))
    return f"""
func.func @k({pointers}) {{
{chr(10).join(f"%c{i} = arith.constant {i} : i64" for i in (0, 1, 8, 256, 512))}
%zero = arith.constant 0 : index
%a = pto.castptr %c0 : i64 -> {ub}
%b = pto.castptr %c256 : i64 -> {ub}
%c = pto.castptr %c512 : i64 -> {ub}
pto.section.cube {{
  %l = pto.castptr %c0 : i64 -> {l1}
  pto.mte_gm_l1 %x, %l, {burst} : {gm}, {l1}{numbers}
  {flag("PIPE_MTE2", "PIPE_MTE1")}
  pto.sync.wait <PIPE_MTE1>, 2
  pto.mte_l1_ub %l, %a, %c8 nburst(%c1, %c0, %c0) : {l1}, {ub}{numbers}
  pto.sync.set <PIPE_MTE1>, 3
}}
pto.section.vector {{
  %s = pto.get_subblock_idx
  %first = arith.cmpi eq, %s, %c0 : i64
  scf.if %first {{
    {loads}
    {first}
    pto.sync.set <{signals}>, 2
    pto.sync.wait <{held}>, 3
    {again}
    {flag("PIPE_V", "PIPE_MTE3")}
    pto.mte_ub_gm {at}, %y, {burst} : {ub}, {gm}{numbers}
    pto.mte_ub_gm %b, %z, {burst} : {ub}, {gm}{numbers}
  }}
}}
return
}}
"""


def _given_trial(signals: str, held: str, spelled: Callable[[str], str]) -> Trial:
    x, y, _ = (a.tobytes() for a in _GIVEN_ON)
    text = spelled(_given_on(signals, held))
    label = f"given on by {signals} to {held}"
    orders = (*LONGER, *(f"seed:{n}" for n in range(9, 40)))
    return always(label, text, _GIVEN_ON, [x, x, y], orders, target="a5")


def _data(spelled: Callable[[str], str] = str) -> Iterator[Trial]:
    """Yields kernels whose pipes move data before a signal and behind a wait for it."""
    same = [HANDED.tobytes()] * 3
    right, wrong = (spelled(_handed_on("PIPE_MTE3", f"PIPE_MTE{n}")) for n in (2, 3))
    yield always("handed on", right, HANDED_ON, same, LONGER)
    yield sometimes("too early", wrong, HANDED_ON, same)
    for held in ("PIPE_MTE3", "PIPE_V"):
        yield _given_trial("PIPE_V", held, spelled)


def _in_block(text: str) -> str:
    """Spells the signals of a text as the manual's pages of A5 do."""
    for old, new in (("set", "set_intra_block"), ("wait", "wait_intra_core")):
        text = re.sub(rf"sync\.{old} <(\w+)>, (\S+)", rf'{new} "\1", \2 : i64, i64', text)
    return text


@program("pto.sync.set", "pto.sync.wait")
def _of_pipes(record: Record) -> Iterator[Trial]:
    """A semaphore counts what one core gives another; a vector core is 16 * its number away."""
    for number in ("{}", "%l{}"):
        cube = f"pto.sync.set <PIPE_FIX>, {number}", f"pto.sync.wait <PIPE_MTE1>, {number}"
        vector = f"pto.sync.set <PIPE_MTE3>, {number}", f"pto.sync.wait <PIPE_V>, {number}"
        yield from _trials(cube, vector, ("a2a3", "a5"), holds_core=False)
        cube = f"pto.sync.set <PIPE_MTE1>, {number}", f"pto.sync.wait <PIPE_FIX>, {number}"
        vector = f"pto.sync.set <PIPE_V>, {number}", f"pto.sync.wait <PIPE_MTE2>, {number}"
        yield from _trials(cube, vector, ("a5",), holds_core=False)
    yield from _data()


@program("pto.set_cross_core", "pto.wait_flag_dev")
def _of_a2a3(record: Record) -> Iterator[Trial]:
    for wait in ("pto.wait_flag_dev %l1, %l{} : i64, i64", "pto.wait_flag_dev %l{} : i64"):
        words = "pto.set_cross_core %l1, %l{} : i64, i64", wait
        yield from _trials(words, words, ("a2a3",), holds_core=True)
    # The number of a vector core: 0 or 1, although it says nothing.
    said = "PTO0910: {}, not 0 or 1"
    for core, expected in ((0, ALL_END), (1, ALL_END), (2, said.format(2)), (-1, said.format(-1))):
        signal = f"%core = arith.constant {core} : i64\npto.set_cross_core %core, %l2 : i64, i64"
        text = _kernel(signal, "pto.wait_flag_dev %l2 : i64")
        yield always(f"core {core}", text, ARGUMENTS, expected, ORDERS, target="a2a3")


@program("pto.set_intra_block", "pto.wait_intra_core")
def _of_a5(record: Record) -> Iterator[Trial]:
    words = "pto.set_intra_block %l2, %l{} : i64, i64", "pto.wait_intra_core %l2, %l{} : i64, i64"
    yield from _trials(words, words, ("a5",), holds_core=True)
    of_pipe = _in_block("pto.sync.set <PIPE_MTE2>, %l{}"), _in_block("pto.sync.wait <PIPE_V>, %l{}")
    yield from _trials((of_pipe[0], of_pipe[1].replace("_V", "_MTE1")), of_pipe, ("a5",), False)
    yield from _data(_in_block)
    yield _given_trial("PIPE_MTE2", "PIPE_MTE3", _in_block)


@program("pto.in_section")
def _sections(record: Record) -> Iterator[Trial]:
    """Each core runs the sections of its kind; a kernel without any for the matrix core is one
    vector core's."""
    yield always("both kinds", _kernel("", ""), ARGUMENTS, ALL_END, ORDERS)
    yield always("one kind", _kernel(None, ""), ARGUMENTS, ONE_ENDS, ORDERS)
