"""Witnesses of products: each element of the result by itself, from exact numbers.

L0A has rows of m and L0B rows of n, both columns of k: element (r, c) of R rows at
((c div C0) * R + r) * C0 + c mod C0, C0 = 32 bytes of elements. L0C has C0 = 16 whatever the type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from math import floor, frexp, isinf, isnan

import numpy as np

from ptoscope.isa.record import Record
from tests.isa.elements import INTS, Element
from tests.isa.exact import numbers
from tests.isa.precise import fma
from tests.isa.values import edges
from tests.witness.inputs import main, rng
from tests.witness.machine import Case
from tests.witness.programs import always
from tests.witness.registry import Refused, State, Trial, witness
from tests.witness.use import Use

L0, BT, SCALES = 8192, 1024, 1024
EDGES = 128
"""Rows of results that L0C has room for."""
F32 = Element("f32")
LARGEST = {
    "f16": 65504.0,
    "bf16": (2 - 2.0**-7) * 2.0**127,
    "f32": (2 - 2.0**-23) * 2.0**127,
    "f8e4m3": 448.0,
    "f8e5m2": 57344.0,
    "hif8": 32768.0,
}
LARGEST_TF32 = (2 - 2.0**-10) * 2.0**127
NAMES = ("pto.mad", "pto.mad_acc", "pto.mad_bias")
DRAIN = "pto.mte_l0c_gm"
SCALED_NAMES = ("pto.mad_mx", "pto.mad_mx_acc", "pto.mad_mx_bias")


# What is there.


def _elements(e: Element, count: int, wild: bool, *seed: object) -> bytes:
    """Numbers of which a sum tells something; wild ones have any bits."""
    r = rng(e.name, wild, *seed)
    made: list[int] = []
    while len(made) < 512:
        raw = r.getrandbits(e.bits)
        if e.name == "f32" and len(made) % 2:
            # In the middle between two numbers of TF32.
            raw = raw >> 13 << 13 | 1 << 12
        size = abs(_value(e, raw))
        calm = e.name in INTS or 2.0**-12 < size < 2.0**12
        if calm or wild:
            made.append(raw)
    return b"".join(raw.to_bytes(e.bytes, "little") for raw in r.choices(made, k=count))


@cache
def _edges(e: Element) -> tuple[int, ...]:
    """Each number of a byte; else edges, of f32 also around the middle of two of TF32."""
    if e.bits == 8:
        return tuple(range(256))
    if e.name != "f32":
        return edges(e)
    # 1, the next of TF32, its largest, the smallest normal, one below that; the last NaN.
    starts = (0x3F800000, 0x3F802000, 0x7F7FE000, 0x00800000, 0x00006000)
    near = [at + n for at in starts for n in (0xFFF, 0x1000, 0x1001, 0x1FFF)] + [0x7FFFFFFF]
    return (*edges(e), *near, *(raw | e.sign for raw in near))


def _coded(e: Element, value: float) -> int:
    """The bits of a number."""
    if e.name == "f32":
        return e.round(Fraction(value))
    return next(raw for raw in range(e.sign) if _value(e, raw) == value)


@cache
def _chip(left: Element, result: Element, wild: bool) -> dict[str, bytes]:
    r = rng("scales", wild)
    scales = [r.choice((0, 1, 2, 3)) if wild else r.randint(120, 134) for _ in range(SCALES)]
    others = [240 - n for n in scales]
    if wild:
        # Few are NaN, or so large that factors become infinite: most sums tell of the others.
        others = [r.choice((254, 255, 0, 1)) if r.random() < 0.1 else n for n in others]
        scales = [255 if r.random() < 0.05 else n for n in scales]
    return {
        "l0a": _elements(left, L0 // left.bytes, wild, "l0a"),
        "l0b": _elements(left, L0 // left.bytes, wild, "l0b"),
        "l0c": _elements(result, L0 // 4, wild, "l0c"),
        "bt": _elements(result, BT // 4, wild, "bt"),
        "l0a_scale": bytes(scales),
        "l0b_scale": bytes(others),
    }


@cache
def _edge_chip(left: Element, result: Element, part: int, first: bool) -> dict[str, bytes]:
    """Rows of one element: on one side edges, on the other 1, the largest and the smallest."""
    integer = left.name in INTS
    few = [_coded(left, n) for n in (1.0, left.sign - 1 if integer else LARGEST[left.name])]
    few.append(left.sign | (0 if integer else few[1]))
    many = _edges(left)[part * EDGES :][:EDGES]
    rows = [
        b"".join(raw.to_bytes(left.bytes, "little").ljust(32, b"\x5a") for raw in side)
        for side in ((many, few) if first else (few, many))
    ]
    return {
        "l0a": rows[0].ljust(L0, b"\x5a"),
        "l0b": rows[1].ljust(L0, b"\x5a"),
        "l0c": bytes(L0),
        "bt": bytes(BT),
    }


@cache
def _scaled_edge_chip(e: Element, negative: bool) -> dict[str, bytes]:
    """Rows of one number each, with both scales the same. Where it is not negative, none of
    those that a scale makes infinite become NaN in a sum."""
    sign = e.sign if negative else 0
    largest = _coded(e, LARGEST[e.name])
    some = [*(_coded(e, n) for n in (1.0, 1.75, 1.0, 1.0, 1.0, 1.0, 2.0)), largest]
    some += [largest | e.sign, largest + 1]  # the last one is NaN
    scales = (0, 1, 127, 254, 255, 126, 254, 127, 127, 127)
    tile = b"".join(bytes([raw | sign] * 32) for raw in some).ljust(512, b"\x5a") * 2
    other = b"".join(bytes([raw]) * 32 for raw in some).ljust(512, b"\x5a") * 2
    both = bytes(n for scale in scales for n in (scale, scale))
    return {
        "l0a": other.ljust(L0, b"\x5a"),
        "l0b": tile.ljust(L0, b"\x5a"),
        "l0c": bytes(L0),
        "bt": bytes(BT),
        "l0a_scale": both.ljust(SCALES, b"\x7f"),
        "l0b_scale": both.ljust(SCALES, b"\x7f"),
    }


SHAPES = [(3, 5, 18), (1, 3, 40), (17, 2, 9), (1, 1, 1), (2, 18, 5), (33, 1, 3)]
SHAPES += [(16, 17, 18), (5, 16, 2), (2, 16, 34), (17, 17, 1)]
SCALED_SHAPES = [(2, 3, 64), (5, 6, 64), (17, 1, 64), (1, 2, 128), (16, 17, 64), (3, 16, 64)]
SCALED_SHAPES += [(17, 17, 64)]
# Tiles, and one row of more than a block; of wild numbers few are added, or all sums are NaN.
FEW = [(2, 3, 18), (3, 4, 2), (1, 2, 34), (1, 5, 1)]
SCALED_FEW = [(2, 3, 64), (5, 6, 64), (1, 2, 64), (1, 9, 64)]
SCALED_EDGES = (10, 10)
PLACES: tuple[int, int, int, int] = (512, 1024, 2048, 64)
WRONG_SHAPES = [
    (0, 4, 64), (4, 0, 64), (4, 4, 0), (-1, 4, 64), (4, -1, 64), (4, 4, -64), (1 << 12, 1, 64),
    (1, 1 << 12, 64), (1, 1, 1 << 12), (0xFFF, 1, 64), (1, 0xFFF, 64), (2, 2, 32), (2, 2, 65),
    (1, 1, 0xFFF),
]  # fmt: skip


def _cases(use: Use) -> Iterator[Case]:
    scaled = "mx" in use.site.record.name
    shapes = SCALED_SHAPES if scaled else SHAPES
    plain = not any(v for v in use.site.attrs.values() if v not in ("off", "unset"))
    plans = [(PLACES, shape) for shape in shapes]
    if not plain or not main(use):
        shapes = SCALED_FEW if scaled else FEW
        plans = [(PLACES, shape) for shape in shapes]
    else:
        plans += [(PLACES, shape) for shape in WRONG_SHAPES]
        for place in range(4):
            for at in (16, 32, L0 - 32):
                a, b, c, d = (at if i == place else PLACES[i] for i in range(4))
                plans.append(((a, b, c, min(d, BT - 32)), shapes[0]))
    if use.target == "a2a3":
        c0 = 32 // use.operands[0].bytes
        plans += [(PLACES, shape) for shape in ((17, 1, c0 + 1), (1, 1, 1), (17, 2, c0))]
    biased = use.site.record.name.endswith("bias")
    first = Case(
        (512, 1024, 2048, *([64] if biased else []), *shapes[0]),
        registers={"CTRL[48]": 0},
        chip=_chip(use.operands[0], use.operands[2], wild=False),
    )
    yield first
    for number, (ends, shape) in enumerate(plans):
        sizes = tuple(n % (1 << 64) for n in shape)
        yield Case(
            (*(ends if biased else ends[:3]), *sizes),
            chip=_chip(use.operands[0], use.operands[2], number % 2 == 1),
        )
    if use.target == "a5" and not use.micro:
        yield from _edge_cases(use, biased, scaled)


def _edge_cases(use: Use, biased: bool, scaled: bool) -> Iterator[Case]:
    """Each edge as a factor by itself, on either side; with scales, 64 of it are added."""
    attrs = use.site.attrs
    if attrs["unit_flag"] != "off" or attrs["n_dir"] or attrs["disable_gemv"]:
        return
    ends = (0, 0, 0, *([0] if biased else []))
    left, result = use.operands[0], use.operands[2]
    if scaled:
        for negative in (False, True):
            yield Case((*ends, *SCALED_EDGES, 64), chip=_scaled_edge_chip(left, negative))
        return
    for part in range(-(-len(_edges(left)) // EDGES)):
        many = len(_edges(left)[part * EDGES :][:EDGES])
        for first in (False, True):
            shape = (many, 3, 1) if first else (3, many, 1)
            yield Case((*ends, *shape), chip=_edge_chip(left, result, part, first))


# What it is multiplied as.


def _value(e: Element, raw: int) -> float:
    if e.name == "f32":
        return F32.value(raw)
    return float(e.number(raw)) if e.name in INTS else numbers(e.name)[raw]


def _tf32(value: float, mode: str) -> float:
    """The nearest number with 10 bits behind the point, those of f32's smallest below that."""
    if isnan(value) or isinf(value) or value == 0:
        return value
    unit = Fraction(2) ** (max(frexp(value)[1] - 1, -126) - 10)
    count = abs(Fraction(value)) / unit
    whole = round(count) if mode == "round_even" else floor(count + Fraction(1, 2))
    size = float(whole * unit)
    size = float("inf") if size >= 2.0**128 else size
    return -size if value < 0 else size


@cache
def _factor(e: Element, tf32: str, finite: bool, raw: int, scale: int | None) -> int:
    """The raw bits of an f32."""
    value = _value(e, raw)
    negative = bool(raw & e.sign) and not (e.name == "hif8" and raw == e.sign)
    largest = LARGEST[e.name]
    if tf32 != "off":
        value, largest = _tf32(value, tf32), LARGEST_TF32
    if finite:
        value = 0.0 if isnan(value) else max(-largest, min(largest, value))
        negative = negative and not isnan(_value(e, raw))
    if isnan(value) or scale == 255:
        return F32.nan
    sign = F32.sign if negative else 0
    if isinf(value):
        return F32.infinity | sign
    power = Fraction(1) if scale is None else Fraction(2) ** (scale - 127)
    return F32.round(abs(Fraction(value)) * power) | sign


def _result(use: Use, raw: int) -> int:
    if use.attr("sat_mode") != "sat":
        return raw
    if F32.is_nan(raw):
        return 0
    return raw - 1 if F32.is_inf(raw) else raw


# Where it is.


def _left(use: Use, m: int, k: int, r: int, c: int) -> int:
    """The byte of a left element. One row is plain, if it is not said otherwise; on A2/A3
    fractals lie one after the other along 16 rows."""
    size = use.operands[0].bytes
    c0 = 32 // size
    if m == 1 and not use.site.attrs["disable_gemv"]:
        return c * size
    if use.target == "a2a3":
        return (r // 16 * -(-k // c0) + c // c0) * 512 + (r % 16 * c0 + c % c0) * size
    return ((c // c0 * (-(-m // 16) * 16) + r) * c0 + c % c0) * size


def _in_blocks(size: int, c0: int, rows: int, r: int, c: int) -> int:
    return ((c // c0 * (-(-rows // 16) * 16) + r) * c0 + c % c0) * size


def _raw(memory: bytearray, at: int, size: int) -> int:
    return int.from_bytes(memory[at : at + size], "little")


def _unit_flags(record: Record) -> Iterator[Trial]:
    """A tile is free until it is published, and again when it is drained. Tiles are 1024
    bytes."""
    spaces = {"lhs": "l0a", "rhs": "l0b", "dst": "l0c", "bias": "bt"}
    element = "f8e4m3" if "mx" in record.name else "f16"
    kinds = {
        n: f"!pto.ptr<{element if n in ('lhs', 'rhs') else 'f32'}, {s}>" for n, s in spaces.items()
    }

    own = record.name
    base = "pto.mad_mx" if "mx" in own else "pto.mad"
    other = base if own != base else f"{base}_acc"
    """Another one, where uses of one kernel differ."""

    def kernel(*uses: tuple[int, str] | tuple[int, str, str]) -> str:
        lines: list[str] = []
        for number, (at, words, *by) in enumerate(uses):
            name = by[0] if by else own
            if name == DRAIN:
                lines.append(f"{DRAIN} %dst, %out, %m, %m, %m, %m, %zero, %zero, {words}")
                continue
            ends = [n for n in spaces if n != "bias" or name.endswith("bias")]
            lines.append(f"%a{number} = arith.constant {at} : i64")
            lines.append(f"%d{number} = pto.castptr %a{number} : i64 -> {kinds['dst']}")
            values = ", ".join(f"%d{number}" if n == "dst" else f"%{n}" for n in ends)
            types = ", ".join(kinds[n] for n in ends)
            lines.append(f"{name} {values}, %m, %m, %k {words} : {types}, i64, i64, i64")
        made = "\n".join(f"%{n} = pto.castptr %zero : i64 -> {kinds[n]}" for n in spaces)
        return f"""
module attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
func.func @k(%out: !pto.ptr<f32, gm>) {{
%zero = arith.constant 0 : i64
%m = arith.constant 16 : i64
%k = arith.constant 64 : i64
{made}
{chr(10).join(lines)}
pto.barrier #pto.pipe<PIPE_ALL>
return
}}
}}
"""

    check, publish = "unit_flag(check_only)", "unit_flag(check_and_set)"
    types = f"{kinds['dst']}, !pto.ptr<f32, gm>, i64, i64, i64, i64, i64, i64"
    drained = (0, f"unit_flag(check_and_clear), nz2nd : {types}", DRAIN)
    stuck = "PTO0904"
    for label, uses, expected in (
        ("checked twice", [(0, check), (0, check)], []),
        ("published, and checked", [(0, publish), (0, check)], stuck),
        ("published twice", [(0, publish), (0, publish)], stuck),
        ("checked, and published", [(0, check), (0, publish)], []),
        ("published, and not asked", [(0, publish, other), (0, "")], []),
        ("not said", [(0, ""), (0, check, other)], []),
        ("another tile", [(1024, publish), (0, check), (2048, check)], []),
        ("the same tile", [(2048, publish), (2048 + 512, check)], stuck),
        ("published, drained and checked", [(0, publish, other), drained, (0, check)], []),
    ):
        out = np.zeros(256, np.float32)
        found = expected or [out.tobytes()]
        yield always(f"unit flags: {label}", kernel(*uses), (out,), found, ("program",))


def _few(use: Use) -> tuple[Use, ...]:
    """What does not change a value is tried by itself."""
    attrs = use.site.attrs
    silent = attrs["unit_flag"] != "off" or attrs["n_dir"]
    others = (
        attrs["disable_gemv"]
        or attrs["sat_mode"] != "unset"
        or attrs.get("tf32_mode", "off") != "off"
    )
    return () if silent and others else (use,)


# Of the same numbers in uses that differ in what does not change a value.
@lru_cache(1 << 15)
def _summed(left: tuple[int, ...], right: tuple[int, ...], total: int) -> int:
    for a, b in zip(left, right, strict=True):
        total = fma(F32, a, b, total)
    return total


@witness(*NAMES, *SCALED_NAMES, inputs=_cases, variants=_few, also=_unit_flags)
def _product(state: State) -> None:
    """The sum begins with zero, with what is there or with the bias of its column, and goes on in
    the order of k, rounded once at each step; integers wrap."""
    use = state.use
    name = use.site.record.name
    left_at, right_at, dst, *rest = (state.number(i) for i in range(len(state.values)))
    *bias, m, n, k = rest
    asked = use.operands[0].name not in INTS and state.registers.get("CTRL[48]") == 0
    if asked and use.attr("sat_mode") == "unset":
        raise Refused("PTO0914")
    if max(m, n, k) >= 1 << 12:
        raise Refused("PTO0907")
    if ("mx" in name and k % 64) or not m * n * k:
        raise Refused("PTO0910")
    if left_at % 32 or right_at % 32 or dst % 32:
        raise Refused("PTO0903")
    e = use.operands[0]
    size = e.bytes
    tf32, finite = str(use.site.attrs.get("tf32_mode", "off")), use.attr("sat_mode") == "sat"

    def left_place(r: int, c: int) -> int:
        return left_at + _left(use, m, k, r, c)

    def right_place(r: int, c: int) -> int:
        return right_at + _in_blocks(size, 32 // size, n, r, c)

    def place(r: int, c: int) -> int:
        return dst + _in_blocks(4, 16, m, r, c)

    groups = k // 32
    # The last element of a tile is the farthest.
    beyond = [left_place(m - 1, k - 1) + size > L0, right_place(n - 1, k - 1) + size > L0]
    beyond += [place(m - 1, n - 1) + 4 > L0, bool(bias) and bias[0] + 4 * n > BT]
    if "mx" in name:
        beyond += [at // 16 + rows * groups > SCALES for at, rows in ((left_at, m), (right_at, n))]
    if any(beyond):
        raise Refused("PTO0901")
    chip = state.chip

    def factors(
        space: str, base: int, rows: int, places: Callable[[int, int], int]
    ) -> list[list[int]]:
        found: list[list[int]] = []
        for row in range(rows):
            made: list[int] = []
            for column in range(k):
                raw = _raw(chip[space], places(row, column), size)
                scale = None
                if "mx" in name:
                    scale = chip[f"{space}_scale"][base // 16 + row * groups + column // 32]
                integer = e.name in INTS
                made.append(e.number(raw) if integer else _factor(e, tf32, finite, raw, scale))
            found.append(made)
        return found

    left = factors("l0a", left_at, m, left_place)
    right = factors("l0b", right_at, n, right_place)
    for r in range(m):
        for c in range(n):
            start, at = 0, place(r, c)
            if name.endswith("acc"):
                start = _raw(chip["l0c"], at, 4)
            elif bias:
                start = _raw(chip["bt"], bias[0] + 4 * c, 4)
            if e.name in INTS:
                total = start + sum(a * b for a, b in zip(left[r], right[c], strict=True))
                total %= 1 << 32
            else:
                total = _result(use, _summed(tuple(left[r]), tuple(right[c]), start))
            chip["l0c"][at : at + 4] = total.to_bytes(4, "little")
