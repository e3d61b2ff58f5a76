"""Demanded lanes: what the documents' loops look at, and what a run shows of changed lanes."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.check.analysis.lane_flow import KnownMask, all_lanes, lane_flow
from ptoscope.check.demanded import demanded_lanes, mask_bits
from ptoscope.check.rule import Context
from ptoscope.docs.example import example
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.targets import TARGETS, Revision
from ptoscope.isa.types import Mask, VReg

from .pipes import M, V, copy_in, copy_out, kernel, load, program, scope
from .pipes import store as stored

BARRIER = "pto.barrier #pto.pipe"
H, W = "!pto.vreg<128xf16>", "!pto.mask<b16>"
N = 64


def context(*lines: str, revision: Revision = "manual") -> Context:
    read = program(kernel(copy_in("%a", "%l512"), BARRIER, scope(*lines)))
    return Context(read, read.functions[0], TARGETS["a5"], revision)


def demanded(*lines: str, name: str = "v") -> set[int]:
    """The demanded lanes of a value, %v."""
    found = context(*lines)
    slot = found.function.names.index(name)
    lanes = demanded_lanes(found, slot)
    return {lane for lane in range(256) if lanes >> lane & 1}


def plt(count: int | str, name: str = "%few", bits: int = 32) -> str:
    """A mask of the first `count` lanes, or of as many as a value says."""
    if isinstance(count, str):
        given, before = count, ""
    else:
        given, before = f"{name}_count", f"{name}_count = arith.constant {count} : i32\n"
    mask = f"!pto.mask<b{bits}>"
    return f"{before}{name}, {name}_rest = pto.plt_b{bits} {given} : i32 -> {mask}, i32"


def pset(pattern: str, name: str) -> str:
    return f'{name} = pto.pset_b32 "{pattern}" : {M}'


def binary(result: str, op: str, a: str, b: str, mask: str) -> str:
    return f"{result} = pto.{op} {a}, {b}, {mask} : {V}, {V}, {M} -> {V}"


def unary(result: str, op: str, a: str, mask: str) -> str:
    return f"{result} = pto.{op} {a}, {mask} : {V}, {M} -> {V}"


EVERY, FEW = set(range(N)), set(range(20))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([load(), stored()], EVERY, id="a store under a full mask"),
        pytest.param([plt(20), load(), stored(mask="%few")], FEW, id="a masked store"),
        pytest.param([plt(0), load(), stored(mask="%few")], set[int](), id="an empty mask"),
        pytest.param([plt(-3), load(), stored(mask="%few")], set[int](), id="a negative count"),
        pytest.param(
            [plt(20), load(), unary("%w", "vabs", "%v", "%few"), stored("%w")],
            FEW,
            id="a masked computation",
        ),
        pytest.param(
            [
                plt(20),
                load(),
                unary("%w", "vabs", "%v", "%m"),
                binary("%u", "vadd", "%w", "%w", "%m"),
                stored("%u", mask="%few"),
            ],
            FEW,
            id="a chain whose last store is masked",
        ),
        pytest.param(
            [
                plt(20),
                pset("PAT_M4", "%fourth"),
                f"%both = pto.pand %few, %fourth, %m : {M}, {M}, {M} -> {M}",
                load(),
                stored(mask="%both"),
            ],
            {0, 4, 8, 12, 16},
            id="pand",
        ),
        pytest.param(
            [
                plt(20),
                f"%others = pto.pnot %few, %m : {M}, {M} -> {M}",
                load(),
                stored(mask="%others"),
            ],
            EVERY - FEW,
            id="pnot",
        ),
        pytest.param(
            [
                plt(20),
                load(),
                load("%o", offset="%i64"),
                binary("%w", "vsel", "%v", "%o", "%few"),
                stored("%w"),
            ],
            FEW,
            id="vsel takes the first where the mask is set",
        ),
        pytest.param(
            [
                plt(20),
                load(),
                load("%o", offset="%i64"),
                binary("%w", "vsel", "%o", "%v", "%few"),
                stored("%w"),
            ],
            EVERY - FEW,
            id="vsel takes the second elsewhere",
        ),
        pytest.param(
            [plt(20), load(), unary("%w", "vcadd", "%v", "%few"), stored("%w")], FEW, id="a sum"
        ),
        pytest.param(
            [plt(20), load(), unary("%w", "vcmax", "%v", "%few"), stored("%w")], FEW, id="a maximum"
        ),
        pytest.param(
            [
                load(),
                plt(1, "%one"),
                unary("%w", "vcadd", "%v", "%m"),
                stored("%w", mask="%one"),
            ],
            EVERY,
            id="lane 0 of a sum",
        ),
        pytest.param(
            [
                plt(20),
                load(),
                load("%o", offset="%i64"),
                f"%w, %u = pto.vintlv %v, %o : {V}, {V} -> {V}, {V}",
                stored("%w", mask="%few"),
            ],
            set(range(10)),
            id="vintlv: lanes 2i of the low result",
        ),
        pytest.param(
            [plt(20), load(), stored(mask="%few").replace(" :", ' {dist = "1PT_B32"} :', 1)],
            {0},
            id="a store of one point",
        ),
        pytest.param([load()], EVERY, id="a value that nothing takes"),
        pytest.param([load(), unary("%w", "vabs", "%v", "%m")], EVERY, id="nor what is made of it"),
        pytest.param(
            ["%k = arith.index_cast %n : index to i32", plt("%k"), load(), stored(mask="%few")],
            EVERY,
            id="a count of the launch",
        ),
    ],
)
def test_lanes_that_uses_see(lines: list[str], expected: set[int]) -> None:
    assert demanded(*lines) == expected


@pytest.mark.parametrize(("part", "first"), [("EVEN", 0), ("ODD", 1)])
def test_a_part_conversion(part: str, first: int) -> None:
    """Lane i of the f32 is lane 2i or 2i + 1 of the f16; 13 of those are stored."""
    convert = f'%h = pto.vcvt %v, %m {{rnd = "R", sat = "SAT", part = "{part}"}} : {V}, {M} -> {H}'
    pointer = "%p = pto.castptr %l4096 : i64 -> !pto.ptr<f16, ub>"
    store = f"pto.vsts %h, %p[%i0], %half : {H}, !pto.ptr<f16, ub>, {W}"
    found = demanded(plt(13, "%half", 16), load(), convert, pointer, store)
    assert found == {i for i in range(N) if 2 * i + first < 13}


def test_a_widening_conversion_and_the_mask_of_its_result() -> None:
    """Lane i of the f32 comes from lane 2i of the f16."""
    lines = [
        plt(5),
        "%p = pto.castptr %l0 : i64 -> !pto.ptr<f16, ub>",
        f'%all = pto.pset_b16 "PAT_ALL" : {W}',
        f"%h = pto.vlds %p[%i0] : !pto.ptr<f16, ub> -> {H}",
        f'%v = pto.vcvt %h, %all {{part = "EVEN"}} : {H}, {W} -> {V}',
        stored(mask="%few"),
    ]
    assert demanded(*lines, name="h") == {0, 2, 4, 6, 8}


def carried(*lines: str, count: int = 130) -> list[str]:
    """The overview's loop: a count that goes down, 64 in each of four iterations."""
    return [
        f"%count = arith.constant {count} : i32",
        "%left = scf.for %i = %i0 to %i256 step %i64 iter_args(%remaining = %count) -> (i32) {",
        f"%few, %next = pto.plt_b32 %remaining : i32 -> {M}, i32",
        *lines,
        "scf.yield %next : i32",
        "}",
    ]


@pytest.mark.parametrize(("iteration", "lanes"), [(0, 64), (1, 64), (2, 2), (3, 0)])
def test_iterations_of_a_count_that_goes_down(iteration: int, lanes: int) -> None:
    found = context(*carried(load(offset="%i"), stored(offset="%i", mask="%few")))
    slot = found.function.names.index("v")
    walker = found.analysis.walker
    (symbol,) = walker.number(found.function.names.index("i")).symbols
    assert demanded_lanes(found, slot, {symbol: iteration}) == all_lanes(lanes)
    assert demanded_lanes(found, slot) == all_lanes(64)
    mask = mask_bits(found, found.function.names.index("few"), {symbol: iteration})
    assert mask.may == mask.sure == sum(1 << (4 * lane) for lane in range(lanes))


def test_carried_lanes_are_seen_in_other_iterations() -> None:
    """What iteration 3, whose mask is empty, loads is stored after the loop."""
    text = [
        "%z = arith.constant 0.0 : f32",
        f"%zero = pto.vbr %z : f32 -> {V}",
        "%count = arith.constant 130 : i32",
        "%l:2 = scf.for %i = %i0 to %i256 step %i64 "
        f"iter_args(%remaining = %count, %acc = %zero) -> (i32, {V}) {{",
        f"%few, %next = pto.plt_b32 %remaining : i32 -> {M}, i32",
        load(offset="%i"),
        stored("%acc", offset="%i", mask="%few"),
        f"scf.yield %next, %v : i32, {V}",
        "}",
        plt(7, "%seven"),
        stored("%l#1", mask="%seven"),
    ]
    found = context(*text)
    slot = found.function.names.index("v")
    (symbol,) = found.analysis.walker.number(found.function.names.index("i")).symbols
    assert demanded_lanes(found, slot, {symbol: 3}) == all_lanes(64)


LANEWISE = [r for r in TABLE.values() if r.lanewise]


@pytest.mark.parametrize("record", LANEWISE, ids=[r.name for r in LANEWISE])
def test_lanewise_records_look_at_active_lanes_alone(record: Record) -> None:
    """Lane i of the results comes from lane i of the operands, and only where the mask is set."""
    read = ptoscope.load(example(record).text).program
    found = Context(read, read.functions[0], TARGETS["a5"], "manual")
    op = next(op for op in found.function.ops() if op.name == record.name)
    site = found.site(op)
    active = sum(1 << byte for byte in range(0, 256, 8))
    masks = [KnownMask(active, active) if isinstance(k, Mask) else None for k in site.operands]
    results = tuple(
        all_lanes(k.lanes) if isinstance(k, VReg) else all_lanes(256) for k in site.results
    )
    pulled = lane_flow(site).pull(results, tuple(masks))
    for kind, lanes in zip(site.operands, pulled.operands, strict=True):
        if isinstance(kind, VReg):
            size = kind.dtype.bytes
            assert lanes == sum(1 << lane for lane in range(kind.lanes) if lane * size % 8 == 0)


CHANGED = {
    "a chain": [
        plt(20),
        load(),
        unary("%w", "vexp", "%v", "%m"),
        binary("%u", "vmax", "%w", "%v", "%m"),
        stored("%u", mask="%few"),
    ],
    "a sum of some": [plt(20), load(), unary("%w", "vcadd", "%v", "%few"), stored("%w")],
    "the greatest": [plt(20), load(), unary("%w", "vcmax", "%v", "%few"), stored("%w")],
    "groups": [plt(20), load(), unary("%w", "vcgadd", "%v", "%few"), stored("%w")],
    "packed": [
        pset("PAT_M3", "%third"),
        load(),
        unary("%w", "vsqz", "%v", "%third"),
        stored("%w"),
    ],
    "interleaved": [
        plt(20),
        load(),
        f"%w, %u = pto.vintlv %v, %v : {V}, {V} -> {V}, {V}",
        stored("%w", mask="%few"),
    ],
    "compared": [
        plt(20),
        load(),
        load("%o", offset="%i64"),
        f'%less = pto.vcmp %v, %o, %few, "lt" : {V}, {V}, {M} -> {M}',
        binary("%w", "vsel", "%o", "%o", "%less"),
        stored("%o", mask="%less"),
    ],
    "slid": [
        plt(20),
        load(),
        load("%o", offset="%i64"),
        "%by = arith.constant 3 : i16",
        f"%w = pto.vslide %v, %o, %by : {V}, {V}, i16 -> {V}",
        stored("%w", mask="%few"),
    ],
}


@pytest.mark.parametrize("lines", CHANGED.values(), ids=CHANGED)
def test_a_run_does_not_see_other_lanes(lines: list[str]) -> None:
    """Whatever stands in lanes of %v that are not demanded, the same is stored."""
    lanes = demanded(*lines)
    text = kernel(copy_in("%a", "%l512"), BARRIER, scope(*lines), BARRIER, copy_out())
    run = ptoscope.load(text, revision="micro")
    random = np.random.default_rng(1)
    x = random.standard_normal(128, dtype=np.float32)
    other = x.copy()
    other[[i for i in range(N) if i not in lanes]] = random.standard_normal(N - len(lanes)) * 1e6
    first, second = np.zeros((2, 64), np.float32)
    for values, y in ((x, first), (other, second)):
        run(values, y, 0, False, False, engine="reference")
    assert first.tobytes() == second.tobytes()
    assert first.any()
