"""Witnesses of what drains L0C: the documents' loops over rows and columns, element by element.

Result (r, c) of L0C is at ((c div 16) * src_stride + r) * 64 + (c mod 16) * 4. It is scaled, cut by
relu, clipped and converted, and stands in the destination where the layout says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.dtypes import I64, dtype
from ptoscope.isa.record import Record, Site
from ptoscope.isa.targets import REVISIONS, TARGETS
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.isa.types import Type as AnyType
from tests.isa.elements import Element
from tests.witness.atomics import KEEP_NAN, NOSAT, OPERATIONS, element, updated
from tests.witness.conversion import values
from tests.witness.inputs import main, memory, rng
from tests.witness.machine import SECOND_UB, Case
from tests.witness.matrix_copies import content
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

L0C, L1, FB, GM = 16384, 8192, 4096, 8192
_INT8, _INT16, _INT32 = ("i8", "si8", "ui8"), ("i16", "si16"), ("i32", "si32")
_FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "qf322hif8_pre": (("f32",), ("hif8",)),
    "qf322fp8_pre": (("f32",), ("f8e4m3", "f8e5m2")),
    "qf322f32_pre": (("f32",), ("f32",)),
    "qf322f16_pre": (("f32",), ("f16",)),
    "qf322bf16_pre": (("f32",), ("bf16",)),
    "qf322b8_pre": (("f32",), _INT8),
    "qf162b8_pre": (("f32",), _INT8),
    "qf162s16_pre": (_INT32, _INT16),
    "deqs32_int": (_INT32, _INT32),
    "deqs16": (_INT32, _INT16),
    "req8": (_INT32, _INT8),
    "deqf16": (_INT32, ("f16",)),
    "qs322bf16_pre": (_INT32, ("bf16",)),
}
"""The documents' table: what each family makes of what."""
_SATS = ("none", "sat", "nosat", "sat_preserve_nan")
_ATOMIC = {"f32": "f32", "f16": "f16", "bf16": "bf16", "i32": "s32", "i16": "s16", "si8": "s8"}


class Plan(NamedTuple):
    """The words and clauses of a use."""

    source: str
    target: str
    quant: str = "none"
    relu: str = "none"
    clip: str = ""
    layout: str = "nz2nd"
    split: bool = False
    loop3: bool = False
    sat: str = "none"
    atomic: str = "none"
    halves: str = "none"


def _plans(space: str) -> Iterator[Plan]:
    """Every mode of pre_quant with every destination; the other clauses in turn."""
    relus = cycle(("none", "scalar_relu", "normal_relu", "vector_relu", "no_relu"))
    layouts = cycle(("nz2nd", "nz2dn", "none"))
    for source, target in [
        ("f32", "f32"), ("f32", "f16"), ("f32", "bf16"), ("i32", "i32"), ("si32", "i32"),
    ]:  # fmt: skip
        for sat in _SATS:
            relu = next(relus) if source == "f32" else "normal_relu"
            yield Plan(source, target, relu=relu, layout=next(layouts), sat=sat)
    for mode, (source, target) in {"f32_f16": ("f32", "f16"), "f32_bf16": ("f32", "bf16")}.items():
        for sat in _SATS:
            yield Plan(source, target, mode, next(relus), layout=next(layouts), sat=sat)
    for family, (sources, targets) in _FAMILIES.items():
        for kind in ("vec", "scalar"):
            for number, target in enumerate(targets):
                for sat in _SATS if target not in (*_INT8, *_INT16, *_INT32) else _SATS[:2]:
                    relu = next(relus) if target not in _INT32 else "normal_relu"
                    source = sources[number % len(sources)]
                    clip = ""
                    if relu not in ("none", "scalar_relu"):
                        clip = {"f16": "f16", "ui8": "ui16", "i8": "i8", "i16": "i16"}.get(
                            target, ""
                        )
                    loop3 = sat == "sat"
                    layout = next(layouts)
                    loop3 = loop3 and layout != "none"
                    yield Plan(
                        source, target, f"{family}_{kind}", relu, clip, layout, False, loop3, sat
                    )
    yield Plan("f32", "f32", layout="nz2nz")
    yield Plan("f32", "f32", layout="nz2nz", split=True)
    if space == "gm":
        for target, kind in _ATOMIC.items():
            source = "i32" if target[0] in "si" else "f32"
            quant = {"i16": "deqs16_scalar", "si8": "req8_scalar"}.get(target, "none")
            for operation in OPERATIONS:
                yield Plan(source, target, quant, atomic=f"{kind} {operation}")
    if space == "ub":
        for halves in ("split_m", "split_n"):
            yield Plan("f32", "f32", layout="none", halves=halves)
            yield Plan("i32", "i32", halves=halves, sat="sat")


def _uses(record: Record) -> Iterator[Use]:
    space = record.name.rpartition("_")[2]
    names = [name for name in ("a5", "a2a3", "cpu") if name in record.targets]
    for name in names:
        for revision in REVISIONS:
            all_of_them = name == "a5" and revision == "manual"
            plans = _plans(space)
            for plan in plans if all_of_them else islice(plans, 0, None, 17):
                if TARGETS[name].has(dtype(plan.target)):
                    yield _use(record, space, plan, name, revision)


def _use(record: Record, space: str, plan: Plan, name: str, revision: Any) -> Use:
    i64, fb = Scalar(I64), Ptr(dtype("f32"), "fb")
    types: list[AnyType] = [Ptr(dtype(plan.source), "l0c"), Ptr(dtype(plan.target), space)]
    types += [i64] * (6 if space == "gm" else 4)
    clauses: list[tuple[str, list[AnyType]]] = []
    if space == "ub" and plan.halves == "none":
        clauses.append(("dst_mode", [i64]))
    if plan.quant != "none":
        clauses.append(("pre_quant", [fb if plan.quant.endswith("_vec") else Scalar(dtype("f32"))]))
    if plan.relu in ("scalar_relu", "vector_relu"):
        kind = fb if plan.relu == "vector_relu" else Scalar(dtype("bf16"))
        clauses.append(("pre_relu", [kind]))
    if plan.clip:
        clauses.append(("clip", [Scalar(dtype(plan.clip))]))
    if plan.layout == "nz2dn":
        clauses.append(("nz2dn", [i64]))
    if plan.split:
        clauses.append(("nz2nz", [i64]))
    if plan.loop3:
        clauses.append(("loop3", [i64] * 3))
    attrs = {
        "unit_flag": "none",
        "pre_quant_mode": plan.quant,
        "pre_relu_mode": plan.relu,
        "layout": plan.layout,
        "sat": plan.sat,
    }
    if space == "ub":
        attrs["dst_split"] = plan.halves
    if space == "gm":
        kind, _, operation = plan.atomic.partition(" ")
        attrs |= {"atomic_type": kind, "atomic_op": operation or "none"}
    operands = (*types, *(t for _, kinds in clauses for t in kinds))
    segments = tuple((keyword, len(kinds)) for keyword, kinds in clauses)
    site = Site(record, operands, (), attrs, TARGETS[name], revision, segments=segments)
    broken = [said for c in record.constraints if (said := c.broken(site))]
    assert not broken, (plan, broken)
    return Use(site)


# Inputs.


@cache
def _results(is_float: bool, number: int) -> bytes:
    """Edges of the type, other bits, and numbers that fit the destination."""
    r = rng("l0c", is_float, number)
    if is_float:
        edges = [0.0, -0.0, 0.5, 1.5, 2.5, 127.5, 128.5, 255.5, 65504.0, 65519.9, 65520.0, 1e30]
        edges += [float("inf"), float("nan"), 240.0, 448.0, 464.0, 57344.0, 61440.0, 32768.0, 3e38]
        fine = [r.uniform(-300, 300) for _ in range(L0C // 8)]
        wild = [r.choice(edges) * r.choice((1, -1)) for _ in range(L0C // 4 - len(fine))]
        every = [*fine, *wild]
        r.shuffle(every)
        return np.array(every, np.float32).tobytes()
    fine = [r.randint(-3000, 3000) for _ in range(L0C // 8)]
    wild = [r.choice((0, 1, -1, 2**31 - 1, -(2**31), 2**24 + 1)) for _ in fine]
    every = np.array([n for pair in zip(fine, wild, strict=True) for n in pair], np.int32)
    return every.tobytes()


@cache
def _parameters(number: int) -> bytes:
    """Words of scales with offsets and signs, then words of factors from the middle on."""
    r = rng("fb", number)
    words = [
        int(np.float32(r.choice((0.5, 1.0, 0.013, -2.0, 1.7))).view(np.uint32))
        | r.choice((0, 3, 0x1FF, 0x100, 0xFF)) << 37
        | r.getrandbits(1) << 46
        | r.getrandbits(5) << 32
        for _ in range(FB // 16)
    ]
    factors = [int(np.float32(r.uniform(-1, 1)).view(np.uint32)) for _ in range(FB // 8)]
    return np.array(words, np.uint64).tobytes() + np.array(factors, np.uint32).tobytes()


def _inputs(use: Use) -> Iterator[Case]:
    space = _space(use)
    plans: list[dict[str, int]] = [{}]
    if main(use):
        plans += [{"m": 5, "n": 33, "src_stride": 20}, {"m": 1, "n": 1}, {"m": 0}, {"n": 0}]
    if main(use) and use.attr("pre_quant_mode") == "none" and use.attr("sat") == "none":
        plans += [{"m": 1 << 16}, {"n": 1 << 12}, {"src_stride": 1 << 16}, {"dst_stride": 1 << 32}]
        plans += [{"m": -1}, {"src": 32}, {"dst": 16}, {"src": L0C - 64}, {"dst": 8192 - 64}]
        plans += [{"sid": 4}, {"l2_cache_ctrl": 16}, {"sid": 3, "l2_cache_ctrl": 15}]
        plans += [{"m": 7}, {"n": 48}, {"dst_mode": 2}, {"dst_mode": 0}, {"dst_mode": -1}]
        plans += [{"nz2nz": 0}, {"nz2nz": 2}, {"nz2dn": 2}, {"nz2dn": 1 << 16}]
    if main(use) and ("loop3" in dict(use.site.segments) or use.attr("pre_relu_mode")[0] == "v"):
        plans += [{"loop3": 0}, {"loop3": 1 << 16}, {"pre_quant": 64}, {"pre_relu": 32}]
    for number, changed in enumerate(plans):
        registers = {NOSAT: number & 1, KEEP_NAN: number >> 1 & 1} if number else {}
        chip = {
            "l0c": _results(use.operands[0].is_float, 2 * number + len(str(use)) % 2),
            "l1": content("l1", L1, number),
            "fb": _parameters(number),
            SECOND_UB: content(SECOND_UB, 8192, number),
        }
        given = _numbers(use, space, changed)
        gm = content("gm", GM, number)
        yield Case(tuple(given), memory(number), gm, registers, chip=chip)


def _numbers(use: Use, space: str, changed: dict[str, int]) -> list[int]:
    pitch = {"nz2dn": 12, "nz2nz": 16 * 12}.get(use.attr("layout"), 40)
    known = {"src": 64, "dst": 32, "m": 10, "n": 32, "src_stride": 16, "dst_stride": pitch}
    known |= {"sid": 1, "l2_cache_ctrl": 9} if space == "gm" else {}
    if use.attr("dst_split") == "split_n":
        known["n"] = 32
    known |= {k: v for k, v in changed.items() if k in known}
    given = [v % (1 << 64) for v in known.values()]
    at = len(given)
    for keyword, _ in use.site.segments:
        kind = use.operands[at]
        match keyword:
            case "dst_mode" | "nz2dn" | "nz2nz":
                given.append(changed.get(keyword, 1) % (1 << 64))
            case "loop3":
                given += [changed.get(keyword, 2), 40, 700]
            case "pre_quant" | "pre_relu" if isinstance(use.site.operands[at], Ptr):
                base = 128 if keyword == "pre_quant" else 0x10000 + 128
                given.append(changed.get(keyword, base))
            case "clip":
                given.append(0x4900 if kind.is_float else 100)
            case _:
                number = np.array(0.37, np.float32).view(np.uint32)
                given.append(int(number) >> (16 if kind.bits == 16 else 0))
        at += 3 if keyword == "loop3" else 1
    return given


# The formula.


def _space(use: Use) -> str:
    return use.site.record.name.rpartition("_")[2]


def _named(state: State) -> dict[str, list[int]]:
    """The numbers of a use by the names of operands and clauses."""
    names = ["src", "dst", "m", "n", "src_stride", "dst_stride"]
    names += ["sid", "l2_cache_ctrl"] if _space(state.use) == "gm" else []
    found = {name: [state.number(i)] for i, name in enumerate(names)}
    at = len(names)
    for keyword, count in state.use.site.segments:
        found[keyword] = [state.number(at + i) for i in range(count)]
        at += count
    return found


_BITS = {"m": (16,), "n": (12,), "src_stride": (16,), "dst_stride": (32,), "sid": (2,)}
_BITS |= {"l2_cache_ctrl": (4,), "nz2dn": (16,), "loop3": (16, 16, 32)}


@witness("pto.mte_l0c_l1", "pto.mte_l0c_gm", "pto.mte_l0c_ub", inputs=_inputs, of=_uses)
def _drain(state: State) -> None:
    given, use = _named(state), state.use
    for name, widths in _BITS.items():
        if any(n >> bits for n, bits in zip(given.get(name, ()), widths, strict=False)):
            raise Refused("PTO0907")
    (src,), (dst,), (m,), (n,) = (given[k] for k in ("src", "dst", "m", "n"))
    for name in ("dst_mode", "nz2nz"):
        if given.get(name, [0])[0] > 1:
            raise Refused("PTO0910")
    halves = use.attr("dst_split")
    if (halves == "split_m" and m % 2) or (halves == "split_n" and n % 32):
        raise Refused("PTO0910")
    quant, relu = _words(state, given)
    count, src3, dst3 = given.get("loop3", [1, 0, 0])
    if not m * n * count:
        return
    space, size = _space(use), use.operands[1].bytes
    if src % 64 or (space != "gm" and dst % 32):
        raise Refused("PTO0903")
    for words, each in ((quant, 8), (relu, 4)):
        if words is not None and words + each * n > FB:
            raise Refused("PTO0901")
    written: list[tuple[bytearray, int]] = []
    rows = np.zeros((count, m, n), np.uint32)
    for t in range(count):
        for r in range(m):
            for c in range(n):
                stride, step = given["src_stride"][0], given.get("nz2dn", [1])[0]
                at = src + 64 * (t * src3 + c // 16 * stride + r * step) + c % 16 * 4
                if at + 4 > L0C:
                    raise Refused("PTO0901")
                rows[t, r, c] = int.from_bytes(state.chip["l0c"][at : at + 4], "little")
                written.append(_place(state, given, (r, c), dst + t * dst3 * size))
    made = _converted(state, given, rows, quant, relu)
    if any(at + size > len(target) for target, at in written):
        raise Refused("PTO0902" if space == "gm" else "PTO0901")
    for (target, at), value in zip(written, made, strict=True):
        kind = use.attr("atomic_type")
        if kind not in ("", "none"):
            old = int.from_bytes(target[at : at + size], "little")
            value = updated(element(kind), use.attr("atomic_op"), old, value)
        target[at : at + size] = value.to_bytes(size, "little")


def _words(state: State, given: dict[str, list[int]]) -> tuple[int | None, int | None]:
    """Where the words of scales and factors begin in FB, whose second half is at 0x10000."""
    found: list[int | None] = []
    for keyword, attr, suffix, row in (
        ("pre_quant", "pre_quant_mode", "_vec", 128),
        ("pre_relu", "pre_relu_mode", "vector_relu", 64),
    ):
        if not state.use.attr(attr).endswith(suffix):
            found.append(None)
            continue
        at = given[keyword][0]
        half = {"a2a3": 1024}.get(state.use.target, 2048)
        at = at - 0x10000 + half if at >= 0x10000 else at
        if at % row:
            raise Refused("PTO0903")
        found.append(at)
    return found[0], found[1]


def _place(
    state: State, given: dict[str, list[int]], index: tuple[int, int], dst: int
) -> tuple[bytearray, int]:
    """The memory and byte of an element."""
    (r, c), use, size = index, state.use, state.use.operands[1].bytes
    (m,), (n,), (pitch,) = given["m"], given["n"], given["dst_stride"]
    core = given.get("dst_mode", [0])[0]
    match use.attr("dst_split"):
        case "split_m":
            core, r = divmod(r, m // 2)
        case "split_n":
            core, c = divmod(c, n // 2)
    match use.attr("layout"):
        case "nz2dn":
            at = c * pitch + r
        case "nz2nz":
            wide = 8 if given.get("nz2nz", [0])[0] else 16
            at = c // wide * pitch + r * wide + c % wide
        case _:
            at = r * pitch + c
    space = _space(use)
    ub = state.chip[SECOND_UB] if core else state.ub
    target = {"l1": state.chip["l1"], "gm": state.gm, "ub": ub}[space]
    return target, dst + at * size


def _converted(
    state: State, given: dict[str, list[int]], rows: Any, quant: int | None, relu: int | None
) -> list[int]:
    use, mode = state.use, state.use.attr("pre_quant_mode")
    source, target = use.operands[0], use.operands[1]
    n = rows.shape[2]
    if mode == "none" and not source.is_float:
        x = rows.view(np.int32)
        return (np.maximum(x, 0) if use.attr("pre_relu_mode") == "normal_relu" else x).view(
            np.uint32
        ).ravel().tolist()  # fmt: skip
    exact = rows.view(np.float32) if source.is_float else rows.view(np.int32).astype(np.float64)
    with np.errstate(all="ignore"):
        y = (exact.astype(np.float16) if mode.startswith("qf162") else exact).astype(np.float32)
        signs: Any = None
        if quant is not None:
            words = np.frombuffer(state.chip["fb"], np.uint64, n, quant)
            y = y * (words.astype(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
            signs = words >> np.uint64(46) & np.uint64(1)
            if not target.is_float and target.name not in ("hif8", "f8e4m3", "f8e5m2"):
                field = (words >> np.uint64(37) & np.uint64(0x1FF)).astype(np.int32)
                y = y + np.where(field >= 256, field - 512, field).astype(np.float32)
        elif mode.endswith("_scalar"):
            y = y * np.uint32(given["pre_quant"][0]).view(np.float32)
        y = _cut(state, given, y, relu)
        if "clip" in given:
            clip = np.float32(10.0 if target.is_float else 100)
            y = np.where(y > clip, clip, y)
    raw = y.view(np.uint32).ravel().tolist()
    return _bits(state, raw, None if signs is None else np.tile(signs, y.size // n).tolist())


def _cut(state: State, given: dict[str, list[int]], y: Any, relu: int | None) -> Any:
    match state.use.attr("pre_relu_mode"):
        case "normal_relu":
            return np.where(y > 0, y, np.float32(0))
        case "scalar_relu":
            alpha = np.uint32(given["pre_relu"][0] << 16).view(np.float32)
        case "vector_relu":
            assert relu is not None
            words = np.frombuffer(state.chip["fb"], np.uint32, y.shape[2], relu)
            alpha = (words & np.uint32(0xFFFFE000)).view(np.float32)
        case _:
            return y
    return np.where(y >= 0, y, y * alpha)


def _bits(state: State, raw: list[int], signs: list[int] | None) -> list[int]:
    """The conversion to the destination's type."""
    use, target = state.use, state.use.operands[1]
    if target.name == "f32":
        computed = use.attr("pre_quant_mode") != "none"
        nan = [Element("f32").is_nan(v) for v in raw]
        cut = use.attr("pre_relu_mode") in ("scalar_relu", "vector_relu")
        return [0x7FC00000 if (computed or cut) and is_nan else v
                for v, is_nan in zip(raw, nan, strict=True)]  # fmt: skip
    if not target.is_float and target.name not in ("hif8", "f8e4m3", "f8e5m2"):
        if signs is None or target.bits != 8:
            return values("f32", target.name, raw, "R", True)
        both = [values("f32", name, raw, "R", True) for name in ("ui8", "si8")]
        return [both[sign][i] for i, sign in enumerate(signs)]
    rounding = "A" if target.name == "hif8" else "R"
    kept, limited = (values("f32", target.name, raw, rounding, sat) for sat in (False, True))
    how = use.attr("sat")
    if how == "none":
        nosat, keeps = state.registers.get(NOSAT, 1), state.registers.get(KEEP_NAN, 0)
        how = "nosat" if nosat else "sat_preserve_nan" if keeps else "sat"
    if how == "nosat":
        return kept
    nan = [Element("f32").is_nan(v) and how == "sat_preserve_nan" for v in raw]
    return [kept[i] if stays else limited[i] for i, stays in enumerate(nan)]
