"""The witness of copies into fractals: the documents' loops, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ptoscope.isa.dtypes import I1, I64
from ptoscope.isa.types import Scalar
from tests.witness.inputs import main, random_bytes
from tests.witness.machine import GM_BYTES, Case
from tests.witness.matrix_copies import content
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

L1 = 8192
FIELDS = (16, 21, 40, 40, 16, 16, 16, 16)


def _clauses(use: Use) -> Iterator[Use]:
    for strides in (1, 2):
        counts = (("shape", 2), ("src_layout", strides), ("dst_group", 4), ("ctrl", 2))
        numbers = (Scalar(I64),) * (7 + strides)
        operands = (*use.site.operands, *numbers, Scalar(I1))
        yield Use(replace(use.site, operands=operands, segments=counts))


def _cases(use: Use) -> Iterator[Case]:
    """Ends, n and d, strides in GM, count and strides in L1, small C0."""
    plans: list[tuple[int, ...]] = [
        (13, 512, 3, 5, 96, 200, 2, 1, 16, 40, 0),
        (4, 64, 5, 19, 40, 0, 1, 3, 20, 0, 0),
        (0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0),
        (0, 0, 2, 40, 80, 400, 3, 1, 2, 60, 0),
        (0, 0, 0, 4, 8, 0, 1, 1, 1, 1, 0),
        (0, 0, 4, 0, 8, 0, 1, 1, 1, 1, 0),
        (0, 0, 2, 4, 8, 0, 0, 1, 1, 1, 0),
        (0, 0, 2, 4, 8, 0, 1, 1, 1, 1, 1),
        (0, 48, 2, 4, 8, 0, 1, 1, 1, 1, 0),
        (0, L1 - 32, 2, 4, 8, 0, 1, 1, 1, 1, 0),
        (0, L1 - 32, 1, 4, 8, 0, 1, 1, 1, 1, 0),
        (GM_BYTES - 8, 0, 1, 9, 8, 0, 1, 1, 1, 1, 0),
        (0, 0, 2, 2, 1 << 30, 0, 1, 1, 1, 1, 0),
    ]
    good, none = (2, 4, 8, 8, 1, 1, 1, 1), (0, 0, 8, 8, 1, 1, 1, 1)
    for field, bits in enumerate(FIELDS):
        for wrong in (1 << bits, -1):
            plans.append((0, 0, *good[:field], wrong, *good[field + 1 :], 0))
        plans.append((0, 0, *none[:field], (1 << bits) - 1, *none[field + 1 :], 0))
    gm = random_bytes(GM_BYTES, "gm", 0)
    outer = dict(use.site.segments)["src_layout"] == 2
    for number, plan in enumerate(plans if main(use) else plans[:2]):
        values = plan[:5] + (plan[5:6] if outer else ()) + plan[6:10] + (0, plan[10])
        values = tuple(n % (1 << 64) for n in values)
        yield Case(values, gm=gm, chip={"l1": content("l1", L1, number)})


@witness("pto.mte_gm_l1_frac", inputs=_cases, variants=_clauses)
def _into_fractals(state: State) -> None:
    """Element (n, d) of matrix g goes to block g * loop4 + n * loop2 + (d div C0) * loop3, and
    there to place d mod C0; the rest of the last block of a row is zero."""
    values = [state.number(i) for i in range(len(state.values))]
    if dict(state.use.site.segments)["src_layout"] == 1:
        values.insert(5, 0)
    src, dst, *fields, _, small = values
    rows, columns, inner, outer, groups, step2, step3, step4 = fields
    if small:
        raise Refused("PTO0914")
    if not groups:
        raise Refused("PTO0910")
    if any(n >= 1 << bits for n, bits in zip(fields, FIELDS, strict=True)):
        raise Refused("PTO0907")
    if not rows * columns:
        return
    if dst % 32:
        raise Refused("PTO0903")
    size = state.use.operands[0].bytes
    c0 = 32 // size
    by_columns = state.use.attr("mode") == "dn2nz"
    moved: list[tuple[int, int | None]] = []
    for g in range(groups):
        for n in range(rows):
            for d in range(-(-columns // c0) * c0):
                block = g * step4 + n * step2 + d // c0 * step3
                steps = d * inner + n * size if by_columns else n * inner + d * size
                source = src + g * outer + steps
                moved.append((dst + 32 * block + d % c0 * size, source if d < columns else None))
    if any(read is not None and read + size > GM_BYTES for _, read in moved):
        raise Refused("PTO0902")
    if any(write + size > L1 for write, _ in moved):
        raise Refused("PTO0901")
    l1 = state.chip["l1"]
    for write, read in moved:
        l1[write : write + size] = bytes(size) if read is None else state.gm[read : read + size]
