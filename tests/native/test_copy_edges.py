"""Copies at the edges of what is an address, on both engines."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel

from ..check.pipes import G, P, kernel, program

COPY = f"{G}, {P}, i64, i64, i64, i64, i64"
TYPES = f"{G}, {P}, i64, i64, i64, i64, i64, f32, i64, i64"


def fault(*lines: str) -> str:
    loaded = Kernel(program(kernel(*lines)), TARGETS["a5"], "manual")
    x = np.zeros(64, np.float32)
    with pytest.raises(PtoError) as caught:
        loaded(x, x.copy(), 3, True, False)
    return caught.value.diagnostics[0].code


def test_a_padded_row_without_data_from_where_no_array_is() -> None:
    """Two arguments further on is %n, a number."""
    assert (
        fault(
            "%f = arith.constant 0.0 : f32",
            f"%far = arith.constant {(2 << 44) // 4} : index",
            f"%z = pto.addptr %x, %far : {G} -> {G}",
            f"pto.mte_gm_ub %z, %a, %l0, %l0 nburst(%l1, %l0, %l32) pad(%f, %l0, %l0) : {TYPES}",
        )
        == "PTO0902"
    )


def test_a_padded_row_longer_than_all_memory() -> None:
    """Its stride does not fit; one that does is still longer than UB."""
    assert (
        fault(
            "%f = arith.constant 0.0 : f32",
            "%most = arith.constant 9223372036854775807 : i64",
            f"pto.mte_gm_ub %x, %a, %l0, %l32 nburst(%l1, %l32, %most) pad(%f, %l0, %l0) : {TYPES}",
        )
        == "PTO0907"
    )
    assert (
        fault(
            "%f = arith.constant 0.0 : f32",
            f"%most = arith.constant {(1 << 21) - 32} : i64",
            f"pto.mte_gm_ub %x, %a, %l0, %l32 nburst(%l1, %l32, %most) pad(%f, %l0, %l0) : {TYPES}",
        )
        == "PTO0901"
    )


def test_a_copy_to_the_last_bytes_of_all_addresses() -> None:
    assert (
        fault(
            f"%last = arith.constant {(1 << 63) - 32} : i64",
            f"%z = pto.castptr %last : i64 -> {P}",
            f"pto.mte_gm_ub %x, %z, %l0, %l32 nburst(%l1, %l32, %l32) : {COPY}",
        )
        == "PTO0901"
    )


def test_more_loops_than_a_copy_may_have() -> None:
    """33 spans could add up to 2**64."""
    loops = " loop(%l1, %l32, %l32)"
    kinds = ", loop i64, i64, i64"
    copy = "pto.mte_gm_ub %x, %a, %l0, %l32 nburst(%l1, %l32, %l32)"
    program(kernel(f"{copy}{loops * 8} : {COPY}{kinds * 8}"))
    with pytest.raises(PtoError, match="mte_gm_ub takes at most 8 clauses 'loop', found 33"):
        program(kernel(f"{copy}{loops * 33} : {COPY}{kinds * 33}"))
