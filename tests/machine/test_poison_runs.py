"""A shadow run as a whole: iterations and counts, faults, arguments, limits."""

from __future__ import annotations

import pytest

from ptoscope import PtoError, UsageError
from ptoscope.machine.shadow import run_shadow
from tests.machine.harness import kernel
from tests.machine.poison import COPY_IN, COPY_OUT, HEAD, G, M, P, V, arguments, findings, loaded

ITERATIONS = f"""{HEAD}%two = arith.constant 2 : i64
scf.for %i = %c0 to %c3 step %c1 {{
scf.for %j = %c2 to %c3 step %c1 {{
pto.vecscope {{
%all = pto.pset_b32 "PAT_ALL" : {M}
%p = pto.vlds %later[%c0] : {P} -> {V}
pto.vsts %p, %out[%c0], %all : {V}, {P}, {M}
}}
{COPY_OUT}}}
}}"""


def test_many_are_one_finding_with_iterations_and_a_count() -> None:
    text = kernel(f"%x: {G}, %y: {G}", ITERATIONS)
    (found,) = findings(text)
    assert "768 bytes in 3 executions" in found.found
    assert "(at %i = 0, %j = 2)" in found.message
    assert "(at %i = 0, %j = 2)" in found.found
    (found,) = findings(text, grid=2)
    assert "1536 bytes in 6 executions" in found.found
    assert "(at block 0 of 2, %i = 0, %j = 2)" in found.message


def test_what_waits_keeps_its_turn() -> None:
    """The copy of iteration 1 runs after the loop: it is still that iteration's."""
    body = f"""{HEAD}{COPY_IN}scf.for %i = %c1 to %c2 step %c1 {{
pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
{COPY_OUT}}}
scf.for %k = %c0 to %c1 step %c1 {{
pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
}}"""
    (found,) = findings(kernel(f"%x: {G}, %y: {G}", body))
    assert found.message.endswith("(at %i = 1)")


def test_a_fault_comes_with_what_was_found() -> None:
    body = f"""{HEAD}%s = pto.load_scalar %later[%c0] : {P} -> i32
%r = arith.divui %seven, %s : i32"""
    with pytest.raises(PtoError) as error:
        findings(kernel(f"%x: {G}, %y: {G}", body))
    assert [d.code for d in error.value.diagnostics] == ["PTO0714", "PTO0906"]


def test_the_low_bit_makes_a_divisor_safe() -> None:
    body = f"""{HEAD}%s = pto.load_scalar %later[%c0] : {P} -> i32
%odd = arith.ori %s, %seven : i32
%r = arith.divui %seven, %odd : i32"""
    assert findings(kernel(f"%x: {G}, %y: {G}", body)) == []


def test_what_may_be_undefined() -> None:
    text = kernel(f"%x: {G}, %y: {G}, %n: i32", "")
    given = (*arguments(), 3)
    assert run_shadow(loaded(text), given, undefined=(0, 1)) == []
    for position in (2, 3, -1):
        with pytest.raises(UsageError):
            run_shadow(loaded(text), given, undefined=(position,))
    with pytest.raises(UsageError):
        run_shadow(loaded(text), given, grid=0)
    with pytest.raises(PtoError):
        run_shadow(loaded(text), given[:2])


def test_steps_are_limited() -> None:
    text = kernel(f"%x: {G}, %y: {G}", ITERATIONS)
    with pytest.raises(PtoError) as error:
        run_shadow(loaded(text), arguments(), max_steps=2)
    assert error.value.diagnostics[-1].code == "PTO0915"
