"""Copies of results from L0C to L1, GM and UB, converted on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ptoscope.isa import atomics, saturation
from ptoscope.isa.bursts import clauses, element, number, path_of, pointers
from ptoscope.isa.copies import BurstLoop, CopyPath
from ptoscope.isa.core import Core
from ptoscope.isa.drain_clauses import form_of, pairs
from ptoscope.isa.drain_evidence import EVIDENCE
from ptoscope.isa.drain_rules import CONSTRAINTS
from ptoscope.isa.drain_values import NONE, DrainRecipe, clip_value, conversion, recipe
from ptoscope.isa.dtypes import F32, FLOATS, I64, UI32, UI64
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.matrix_copies import GROUP, parameter_address
from ptoscope.isa.order import unit_flags
from ptoscope.isa.parts import MEMORIES, VECTOR_CORES
from ptoscope.isa.record import Evidence, Operand, Record, Run, Site, Types
from ptoscope.isa.tiles import RESULT_COLUMNS, Axis, ColumnParameters, TileLayout, TileMove, plain

_UNIT = 64
"""The bytes that strides in L0C count: a row of a block of results."""
_SPLIT = 8
"""Columns of a block whose channels are split: 32 bytes of f32."""
_QUANT_ROW, _RELU_ROW = 128, 64
"""The bytes of a row of parameters, at which those of a use begin."""
_FIELDS = {"m": 16, "n": 12, "src_stride": 16, "dst_stride": 32, "sid": 2, "l2_cache_ctrl": 4}
"""How many bits each number has."""
_LOOP_FIELDS = {"loop3's count": 16, "loop3's src_stride3": 16, "loop3's dst_stride3": 32}
_TILE_AT = unit_flags.TILE_BYTES.bit_length() - 1

_Given = Mapping[str, tuple[Lanes, ...]]
"""The operands of the clauses that are there."""


class _Piece(NamedTuple):
    """A move, and where it begins in L0C and in the destination."""

    src: Lanes
    dst: Lanes
    move: TileMove[Lanes]


class _Drain(NamedTuple):
    """One use, and where in a run it begins."""

    core: Core
    site: Site
    how: DrainRecipe
    src: Lanes
    dst: Lanes
    given: _Given


def _meaning(site: Site) -> Run:
    how = recipe(site, element(site), element(site, 1))
    names = [operand.name for operand in site.record.forms[0].operands[2:]]

    def run(core: Core, src: Lanes, dst: Lanes, *values: Lanes) -> None:
        counts = dict(zip(names, values, strict=False))
        for name, value in counts.items():
            core.fits_field(site, name, value, _FIELDS[name])
        given = dict(clauses(site, values[len(names) :]))
        drain = _Drain(core, site, how, src, dst, given)
        moves = _moves(drain, _whole(drain, counts))
        flag = src >> _TILE_AT
        if site.attrs["unit_flag"] != NONE:
            core.synchronise(site, unit_flags.READY, "PIPE_FIX", "PIPE_M", (flag,))
        for piece in moves:
            core.move_tile(site, *piece)
        if site.attrs["unit_flag"] == "check_and_clear":
            core.synchronise(site, unit_flags.CLEAR, "PIPE_FIX", "PIPE_M", (flag,))

    return run


def _whole(drain: _Drain, counts: Mapping[str, Lanes]) -> TileMove[Lanes]:
    """The move of the whole tile. Without a layout rows lie one after the other, too."""
    core, site, how, given = drain.core, drain.site, drain.how, drain.given
    m, n = counts["m"], counts["n"]
    target = path_of(site).target
    row, size = m.const(_UNIT), m.const(how.target.bytes)
    step = counts["dst_stride"] * how.target.bytes
    layout = plain(step, size)
    if site.attrs["layout"] == "nz2dn":
        (loop0,) = given["nz2dn"]
        core.fits_field(site, "loop0_src_stride", loop0, 16)
        if site.attrs["unit_flag"] != NONE:
            said = "a unit flag is not for nz2dn with a loop0_src_stride other than 1"
            core.refuse(site, loop0.ne(1), "PTO0910", said, loop0, "1")
        row, layout = loop0 * _UNIT, layout.transposed
    elif site.attrs["layout"] == "nz2nz":
        wide = size * RESULT_COLUMNS
        layout = TileLayout(Axis(1, wide, wide), Axis(RESULT_COLUMNS, step, size))
    block = counts["src_stride"] * _UNIT
    return TileMove(
        "l0c",
        target,
        how.source,
        how.target,
        m,
        n,
        TileLayout(Axis(1, row, row), Axis(RESULT_COLUMNS, block, m.const(how.source.bytes))),
        layout,
        matrices=_loop3(drain),
        convert=None if how.moves_bits else conversion(how),
        parameters=_column_parameters(drain),
        scalars=_scalars(drain),
        atomic=_atomic(core, site),
        alignment=(_UNIT, MEMORIES[target].copy_alignment),
    )


def _loop3(drain: _Drain) -> BurstLoop[Lanes] | None:
    if "loop3" not in drain.given:
        return None
    loop = drain.given["loop3"]
    for (name, bits), value in zip(_LOOP_FIELDS.items(), loop, strict=True):
        drain.core.fits_field(drain.site, name, value, bits)
    count, src_stride, dst_stride = loop
    return BurstLoop(count, src_stride * _UNIT, dst_stride * drain.how.target.bytes)


def _atomic(core: Core, site: Site) -> Lanes | None:
    """The mode of an update of GM; None where the clause is missing."""
    kind, operation = (str(site.attrs.get(f"atomic_{part}", NONE)) for part in ("type", "op"))
    if kind == NONE:
        return None
    dtype = next(d for d in atomics.TYPES.values() if atomics.suffix(d) == kind)
    return core.constant(I64, 1, atomics.mode_of(dtype, operation))


def _column_parameters(drain: _Drain) -> tuple[ColumnParameters[Lanes], ...]:
    """The words of FB that go with the columns."""
    made: list[ColumnParameters[Lanes]] = []
    for used, keyword, dtype, row in (
        (drain.how.scaled_by_column, "pre_quant", UI64, _QUANT_ROW),
        (drain.how.relu == "vector_relu", "pre_relu", UI32, _RELU_ROW),
    ):
        if used:
            address = parameter_address(drain.core, drain.site, drain.given[keyword][0])
            said = f"the address of {keyword} in FB is not a multiple of {row}"
            crooked, expected = (address & (row - 1)).ne(0), f"a multiple of {row}"
            drain.core.refuse(drain.site, crooked, "PTO0903", said, address, expected)
            made.append(ColumnParameters("fb", address, dtype, dtype.bytes))
    return tuple(made)


def _scalars(drain: _Drain) -> tuple[Lanes, ...]:
    """The values of a run that a conversion needs, in its order."""
    how, given = drain.how, drain.given
    made: list[Lanes] = []
    if how.scaled:
        made.append(given["pre_quant"][0].cast(F32))
    if how.relu == "scalar_relu":
        made.append(given["pre_relu"][0].cast(F32))
    if how.clips:
        made.append(clip_value(given["clip"][0], how.target))
    if how.asks_outside:
        made.append(saturation.without_saturation(drain.core, drain.site))
        made.append(saturation.with_nan(drain.core, drain.site))
    return tuple(made)


def _moves(drain: _Drain, whole: TileMove[Lanes]) -> list[_Piece]:
    """The moves that a use consists of, each with where it begins in L0C."""
    core, site, src, given = drain.core, drain.site, drain.src, drain.given
    if site.attrs.get("dst_split", NONE) != NONE:
        return _halves(drain, whole)
    if "dst_mode" in given:
        (vector_core,) = given["dst_mode"]
        outside = (vector_core < 0) | (vector_core >= VECTOR_CORES)
        said = "the cluster has vector cores 0 and 1"
        core.refuse(site, outside, "PTO0910", said, vector_core, "0 or 1")
        whole = replace(whole, core=vector_core)
    if "nz2nz" in given:
        return _channels(drain, whole, given["nz2nz"][0])
    return [_Piece(src, drain.dst, whole)]


def _halves(drain: _Drain, whole: TileMove[Lanes]) -> list[_Piece]:
    """One half for each vector core, at the same address."""
    core, site, src = drain.core, drain.site, drain.src
    zero, one = (core.constant(I64, 1, number) for number in range(VECTOR_CORES))
    if site.attrs["dst_split"] == "split_m":
        odd, said = (whole.rows & 1).ne(0), "split_m takes an even m"
        core.refuse(site, odd, "PTO0910", said, whole.rows, "an even number")
        half = replace(whole, rows=whole.rows >> 1)
        further = half.rows * _UNIT
    else:
        crooked = (whole.columns & (2 * RESULT_COLUMNS - 1)).ne(0)
        said, expected = "split_n takes an n that is a multiple of 32", "a multiple of 32"
        core.refuse(site, crooked, "PTO0910", said, whole.columns, expected)
        half = replace(whole, columns=whole.columns >> 1)
        further = (half.columns >> _COLUMNS_AT) * whole.source_layout.columns.block
    second = core.address(src, further, 1)
    return [
        _Piece(src, drain.dst, replace(half, core=zero)),
        _Piece(second, drain.dst, replace(half, core=one)),
    ]


_COLUMNS_AT = RESULT_COLUMNS.bit_length() - 1


def _channels(drain: _Drain, whole: TileMove[Lanes], split: Lanes) -> list[_Piece]:
    """Blocks of 16 columns one by one, each as two of 8 where channels are split; then what is
    left of the last one. So a number of a run says which."""
    core, site, dst = drain.core, drain.site, drain.dst
    outside, said = (split < 0) | (split > 1), "split of nz2nz is 0 or 1"
    core.refuse(site, outside, "PTO0910", said, split, "0 or 1")
    is_split = split.ne(0)
    size = whole.target_type.bytes
    step, block = whole.target_layout.columns.block, whole.source_layout.columns.block
    half = split.const(_SPLIT * size)
    row = is_split.select(half, half + half)
    inner = Axis(_SPLIT, is_split.select(step, half), split.const(size))
    further = is_split.select(step + step, step)
    layout = TileLayout(Axis(1, row, row), inner)
    blocks = whole.columns >> _COLUMNS_AT
    rest = whole.columns & (RESULT_COLUMNS - 1)
    many = replace(
        whole,
        columns=split.const(RESULT_COLUMNS),
        target_layout=layout,
        matrices=BurstLoop(blocks, block, further),
    )
    last = replace(whole, columns=rest, target_layout=layout)
    return [
        _Piece(drain.src, dst, many),
        _Piece(
            core.address(drain.src, blocks * block, 1),
            core.address(dst, blocks * further, 1),
            last,
        ),
    ]


def _record(
    target: str, doc: str, more: tuple[Operand, ...], cells: tuple[Evidence, ...]
) -> Record:
    path = CopyPath("l0c", target)
    operands = (
        *pointers(path, "U"),
        number("m", "rows of the result"),
        number("n", "columns of the result"),
        number("src_stride", "units of 64 bytes from a block of 16 columns to the next in L0C"),
        number("dst_stride", "elements from row to row (nz2dn: column, nz2nz: block)"),
        *more,
    )
    legal = pairs(target)
    return Record(
        f"pto.mte_l0c_{target}",
        GROUP,
        doc,
        (form_of(target, operands),),
        _meaning,
        {
            "T": Types(tuple(dict.fromkeys(t for t, _ in legal))),
            "U": Types(tuple(dict.fromkeys(u for _, u in legal))),
            "P": Types(FLOATS),
        },
        legal,
        pipe="PIPE_FIX",
        path=path,
        where="outside",
        targets=("a5",) if target == "ub" else ("cpu", "a2a3", "a5"),
        constraints=CONSTRAINTS,
        evidence=(*cells, *EVIDENCE),
        formula=f"{MEMORIES[target].title}[layout(r, c)] = convert(clip(relu(scale * L0C[r, c])))",
        cpp={"l1": "copy_matrix_cc_to_cbuf", "gm": "copy_matrix_cc_to_gm"}.get(
            target, "copy_matrix_cc_to_ubuf"
        )
        + "(dst, src, ...)",
    )


mte_l0c_l1 = _record("l1", "Copies results from L0C to L1, converted on the way.", (), ())
mte_l0c_gm = _record(
    "gm",
    "Copies results from L0C to GM, converted on the way; may update what is there.",
    (
        number("sid", "stream, without effect on values"),
        number("l2_cache_ctrl", "L2 allocation hint, without effect on values"),
    ),
    (
        Evidence("sid and l2_cache_ctrl", "micro", "0 to 3 and 0 to 15, without effect on values."),
        Evidence(
            "no atomic written",
            "chosen",
            "A plain store: fields of the control register are those of copies from UB.",
        ),
    ),
)
mte_l0c_ub = _record(
    "ub",
    "Copies results from L0C to the UB of a vector core, or half of them to each.",
    (),
    (
        Evidence(
            "which UB",
            "suite",
            "That of the vector core that is named; with split_m and split_n each core has one "
            "half, at the same address.",
        ),
    ),
)

RECORDS = (mte_l0c_l1, mte_l0c_gm, mte_l0c_ub)
