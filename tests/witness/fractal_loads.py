"""Witnesses of loads from L1 into the memories of the matrix unit, element by element.

A fractal is 16 rows of 32 bytes, C0 elements each. NZ of R rows: element (r, c) at
((c div C0) * R + r) * C0 + c mod C0; ZZ has fractals one after the other along 16 rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from ptoscope.isa.dtypes import I64
from ptoscope.isa.types import Scalar
from tests.isa.elements import NARROW, Element
from tests.witness.inputs import main
from tests.witness.machine import Case
from tests.witness.matrix_copies import content
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

L1, L0, SCALES, BT = 32768, 20480, 1024, 4096
FRACTAL = 512
_I64 = Scalar(I64)
Place = Callable[[int, int], int]


def _up(count: int, unit: int) -> int:
    return -(-count // unit) * unit


def _nz(size: int, height: int) -> Place:
    """Byte of element (r, c) of a tile of so many rows."""
    c0 = 32 // size
    return lambda r, c: ((c // c0 * height + r) * c0 + c % c0) * size


def _zz(size: int, width: int) -> Place:
    """The same where a band of 16 rows is so many columns of fractals after the one before."""
    c0 = 32 // size
    return lambda r, c: (r // 16 * width + c // c0) * FRACTAL + (r % 16 * c0 + c % c0) * size


def _chip(use: Use, number: int) -> dict[str, bytes]:
    sizes = {"l1": L1, "l0a": L0, "l0b": L0, "l0a_scale": SCALES, "l0b_scale": SCALES, "bt": BT}
    return {name: content(name, size, number) for name, size in sizes.items()}


def _cases(use: Use, plans: list[tuple[int, ...]]) -> Iterator[Case]:
    for number, plan in enumerate(plans if main(use) else plans[:2]):
        yield Case(tuple(n % (1 << 64) for n in plan), chip=_chip(use, number))


def _swaps(use: Use) -> bool:
    """Whether rows and columns are swapped: never of narrow floats."""
    return bool(use.site.attrs["transpose"]) and use.operands[0].name not in NARROW


def _copied(
    state: State, space: str, size: int, shape: tuple[int, int], read: Place, write: Place
) -> None:
    """Moves elements one by one; where a byte is outside of its memory, none."""
    source, target = state.chip["l1"], state.chip[space]
    last = shape[0] - 1, shape[1] - 1
    if read(*last) > L1 - size or write(*last) > len(target) - size:
        raise Refused("PTO0901")
    pairs = [(read(r, c), write(r, c)) for r in range(shape[0]) for c in range(shape[1])]
    if any(not 0 <= a <= L1 - size or not 0 <= b <= len(target) - size for a, b in pairs):
        raise Refused("PTO0901")
    for a, b in pairs:
        target[b : b + size] = source[a : a + size]


def _space(use: Use) -> str:
    return "l0a" if use.site.record.name.endswith("a") else "l0b"


def _fields(numbers: list[int], widths: tuple[int, ...]) -> None:
    for number, bits in zip(numbers, widths, strict=True):
        if number >= 1 << bits:
            raise Refused("PTO0907", number)


def _aligned(state: State, dst: int = FRACTAL) -> None:
    if state.number(0) % 32 or state.number(1) % dst:
        raise Refused("PTO0903")


# By the sizes of the product.


def _shapes(use: Use) -> Iterator[Case]:
    c0 = 32 // use.operands[0].bytes
    shapes = [(32, 64), (32, 128), (48, 17), (1, 1), (17, 40), (16, 8), (64, 32)]
    shapes += [(33, 32), (32, 33), (0, 16), (16, 0), (-1, 16), (16, -1), (1 << 16, 1), (1, 1 << 16)]
    # As many fractals one way as their field can say, and one more.
    shapes += [(n, 32) for n in (255 * 16, 256 * 16, 255 * c0, 256 * c0)]
    shapes += [(32, n) for n in (255 * 16, 256 * 16, 255 * c0, 256 * c0)]
    plans = [(1024, 512, *shape) for shape in shapes]
    plans += [(1056, 0, 32, 32), (1040, 0, 32, 32), (0, 256, 32, 32), (L1 - 32, 0, 32, 32)]
    if len(use.site.operands) > 4:
        starts = [(0, 0), (1, 2), (3, 0), (0xFFFF, 0), (0, 0xFFFF)]
        starts += [(1 << 16, 0), (0, 1 << 16), (-1, 0), (0, -1)]
        plans = [(*plan, *starts[i % 3]) for i, plan in enumerate(plans)]
        plans += [(1024, 512, 32, 32, *start) for start in starts]
    yield from _cases(use, plans)


@witness("pto.mte_l1_l0a", "pto.mte_l1_l0b", inputs=_shapes)
def _by_shape(state: State) -> None:
    """L0A has rows of m and L0B rows of n, both columns of k. L1 has the same, or, transposed,
    rows and columns swapped. Where both become columns, both are whole fractals both ways."""
    use, space = state.use, _space(state.use)
    size = use.operands[0].bytes
    src, dst, first, second, *at = (state.number(k) for k in range(len(state.values)))
    rows, k = (first, second) if space == "l0a" else (second, first)
    _fields([rows, k], (16, 16))
    c0, swaps = 32 // size, _swaps(use)
    unit = max(16, c0) if swaps else 1
    if swaps and size == 1 and (rows % 32 or k % 32):
        raise Refused("PTO0910")
    _fields(at, (16,) * len(at))
    tall, wide = _up(rows, max(unit, 16)), _up(k, max(unit, c0))
    lying = (wide, tall) if swaps else (tall, wide)
    # How many fractals of L1 there are each way has a field of 8 bits.
    _fields([lying[0] // 16, lying[1] // c0], (8, 8))
    if not rows * k:
        return
    _aligned(state)
    row, column = at or (0, 0)
    begin = src + (column * (lying[0] // 16) + row) * FRACTAL
    read = _nz(size, lying[0])
    write = _zz(size, wide // c0) if (space, use.target) == ("l0a", "a2a3") else _nz(size, tall)
    _copied(
        state,
        space,
        size,
        (tall, wide),
        lambda r, c: begin + (read(c, r) if swaps else read(r, c)),
        lambda r, c: dst + write(r, c),
    )


# By fractals.


def _fractals(use: Use) -> Iterator[Case]:
    plans: list[tuple[int, ...]] = [
        (1024, 512, 0, 0, 2, 3, 2, 2),
        (1024, 512, 1, 2, 2, 2, 4, 5),
        (0, 0, 2, 1, 4, 1, 8, 4),
        (0, 0, 0, 0, 1, 3, 2, 2),
        (0, 0, 0, 0, 0, 3, 2, 2),
        (0, 0, 0, 0, 2, 0, 2, 2),
        (0, 0, 0, 0, 2, 3, 2, 300),
        (0, 0, 0, 0, 2, 3, 300, 2),
        (16, 0, 0, 0, 2, 3, 2, 2),
        (32, 0, 0, 0, 2, 3, 2, 2),
        (0, 256, 0, 0, 2, 3, 2, 2),
        (L1 - 512, 0, 0, 0, 2, 1, 1, 2),
    ]
    good, none = (0, 0, 2, 2, 2, 2), (0, 0, 0, 2, 2, 2)
    for field, bits in enumerate((16, 16, 8, 8, 16, 16)):
        wrong = (1 << bits, -1)
        plans += [(0, 0, *good[:field], n, *good[field + 1 :]) for n in wrong]
        plans.append((0, 0, *none[:field], (1 << bits) - 1, *none[field + 1 :]))
    plans += [(0, 0, 0, 0, 255, 0, 2, 2), (0, 0, 0, 0, 2, 1, 0, 0)]
    yield from _cases(use, plans)


@witness("pto.load_cbuf_to_ca", "pto.load_cbuf_to_cb", inputs=_fractals)
def _by_fractals(state: State) -> None:
    """Fractals column by column, so many from a column to the next on each side. Transposed,
    what is a row of elements in L1 is a column in the destination."""
    size, swaps = state.use.operands[0].bytes, _swaps(state.use)
    src, dst, *control = (state.number(k) for k in range(8))
    row, column, rows, columns, src_step, dst_step = control
    if swaps and size == 1 and rows % 2:
        # Rows of elements are counted, not those of fractals.
        raise Refused("PTO0910", 16 * rows % (1 << 64))
    _fields(control, (16, 16, 8, 8, 16, 16))
    if not rows * columns:
        return
    _aligned(state)
    c0, at = 32 // size, src + (column * src_step + row) * FRACTAL
    read, write = _nz(size, 16 * src_step), _nz(size, 16 * dst_step)
    _copied(
        state,
        _space(state.use),
        size,
        (16 * rows, c0 * columns),
        lambda r, c: at + read(r, c),
        lambda r, c: dst + (write(c, r) if swaps else write(r, c)),
    )


# Scales.


def _scale_shapes(use: Use) -> Iterator[Case]:
    shapes = [(16, 64), (40, 128), (33, 96), (16, 65), (1, 1), (0, 64), (0, 0xFFFF), (-1, 64)]
    shapes += [(1 << 16, 64), (400, 512)]
    plans = [(1024, 512, *shape) for m, k in shapes for shape in ((m, k), (k, m))]
    plans += [(1040, 512, 16, 64), (1056, 16, 16, 64)]
    plans += [(1024, dst, 16, 64) for dst in (8, 24, 513)]
    if len(use.site.operands) > 4:
        plans = [(*plan, i % 3, (i + 1) % 2) for i, plan in enumerate(plans)]
    yield from _cases(use, plans)


@witness("pto.mte_l1_l0a_mx", "pto.mte_l1_l0b_mx", inputs=_scale_shapes)
def _scales(state: State) -> None:
    """Fragments of 16 rows by 2 groups of 32 along k, row of them after row; row after row of
    scales at the address in L0A or L0B divided by 16."""
    left = "l0a" in state.use.site.record.name
    src, dst, first, second, *at = (state.number(k) for k in range(len(state.values)))
    rows, k = (first, second) if left else (second, first)
    _fields([rows, k], (16, 16))
    if dst % 16:
        raise Refused("PTO0903")
    groups, across = -(-k // 32), -(-k // 64)
    if not rows * k:
        return
    _aligned(state, 16)
    row, column = at or (0, 0)
    begin = src + (row * across + column) * 32
    _copied(
        state,
        "l0a_scale" if left else "l0b_scale",
        1,
        (_up(rows, 16), groups),
        lambda r, g: begin + (r // 16 * across + g // 2) * 32 + r % 16 * 2 + g % 2,
        lambda r, g: dst // 16 + r * groups + g,
    )


# Biases.


def _bias_clause(use: Use) -> tuple[Use, ...]:
    site = replace(use.site, operands=(*use.site.operands, *[_I64] * 3), segments=(("nburst", 3),))
    return (Use(site),)


def _biases(use: Use) -> Iterator[Case]:
    plans: list[tuple[int, ...]] = [
        (1, 4, 0, 0),
        (2, 3, 1, 2),
        (5, 1, 3, 3),
        (0, 2, 1, 1),
        (1, 0, 1, 1),
        (60, 3, 0, 0),
    ]
    good = (1, 1, 0, 0)
    for field in range(4):
        plans += [(*good[:field], wrong, *good[field + 1 :]) for wrong in (1 << 16, -1)]
    plans += [(0, 0xFFFF, 0, 0)]
    cases = [(1024, 128, *plan) for plan in plans]
    cases += [(1040, 128, *good), (1056, 96, *good), (1024, 112, *good), (L1, 0, *good)]
    cases += [(1024, 128, *(1, 1, 0xFFFF, 0xFFFF)), (1024, 128, 0xFFFF, 1, 0, 0)]
    yield from _cases(use, cases)


@witness("pto.mte_l1_bt", inputs=_biases, variants=_bias_clause)
def _bias(state: State) -> None:
    """Units of 32 bytes of L1; f16 and bf16 become f32, and so do the gaps in BT."""
    source, target = state.use.operands[:2]
    src, dst, length, rows, src_gap, dst_gap = (state.number(k) for k in range(6))
    _fields([length, rows, src_gap, dst_gap], (16,) * 4)
    if not length * rows:
        return
    _aligned(state, 32)
    l1, bt = state.chip["l1"], state.chip["bt"]
    count = 32 // source.bytes
    wide = count * target.bytes
    if src + 32 * (rows * length + (rows - 1) * src_gap) > L1:
        raise Refused("PTO0901")
    if dst + wide * (rows * length + (rows - 1) * dst_gap) > BT:
        raise Refused("PTO0901")
    for row in range(rows):
        for i in range(length * count):
            a = src + 32 * row * (length + src_gap) + i * source.bytes
            b = dst + wide * row * (length + dst_gap) + i * target.bytes
            raw = int.from_bytes(l1[a : a + source.bytes], "little")
            bt[b : b + target.bytes] = _widened(source, target, raw).to_bytes(4, "little")


def _widened(source: Element, target: Element, raw: int) -> int:
    """Every value of a narrower float is one of f32; a NaN is the canonical one."""
    if source.name == target.name:
        return raw
    if source.is_nan(raw):
        return target.nan
    sign = target.sign if raw & source.sign else 0
    if source.is_inf(raw):
        return target.infinity | sign
    return target.round(Fraction(abs(source.value(raw)))) | sign
