"""Products of the matrix unit: tiles of L0A and L0B multiplied into L0C."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from ptoscope.isa.bursts import element
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import (
    BF16,
    F8E4M3,
    F8E5M2,
    F16,
    F32,
    HIF8,
    I8,
    I32,
    I64,
    SI8,
    SI32,
    DType,
)
from ptoscope.isa.factors import factor, finite_result, scaled
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.unit_flags import FREE, PUBLISH, TILE_BYTES
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.record import Attr, Constraint, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.saturation import without_saturation
from ptoscope.isa.targets import TargetName
from ptoscope.isa.tiles import (
    BLOCK_BYTES,
    FRACTAL_BYTES,
    FRACTAL_ROWS,
    RESULT_COLUMNS,
    SCALED,
    Axis,
    TileLayout,
    TileProduct,
    block_columns,
    blocks_of,
    nz,
    zz,
)

GROUP = "matrix products"
Start = Literal["zero", "result", "bias"]
_SIZE_BITS = 12
_SCALE_ADDRESS = 4
"""Scales lie at the address of their tile without so many of its bits."""
_FLOATS = (F16, BF16, F32, F8E4M3, F8E5M2, HIF8)
_PIPE, _DRAIN = "PIPE_M", "PIPE_FIX"


class _Sizes(NamedTuple):
    """How many rows and columns a product has, and how many elements are added."""

    m: Lanes
    n: Lanes
    k: Lanes


def _left_layout(site: Site, dtype: DType, sizes: _Sizes) -> TileLayout[Lanes]:
    """Rows of m by k. The only row of a product with a vector lies as it is, element by element:
    its blocks are not apart."""
    row, size = sizes.m.const(BLOCK_BYTES), sizes.m.const(dtype.bytes)
    if site.target.name == "a2a3":
        across = blocks_of(sizes.k, block_columns(dtype))
        fractal = sizes.m.const(FRACTAL_BYTES)
        layout = zz(dtype, across * FRACTAL_BYTES, fractal, row, size)
    else:
        layout = nz(dtype, blocks_of(sizes.m, FRACTAL_ROWS) * FRACTAL_BYTES, row, size)
    if site.attrs["disable_gemv"]:
        return layout
    block = sizes.m.eq(1).select(row, layout.columns.block)
    return TileLayout(layout.rows, Axis(layout.columns.width, block, size))


def _result_layout(dtype: DType, sizes: _Sizes) -> TileLayout[Lanes]:
    row = RESULT_COLUMNS * dtype.bytes
    block = blocks_of(sizes.m, FRACTAL_ROWS) * (FRACTAL_ROWS * row)
    size = sizes.m.const(dtype.bytes)
    return nz(dtype, block, sizes.m.const(row), size, RESULT_COLUMNS)


def _product(start: Start, mx: bool) -> Callable[[Site], Run]:
    """The meaning of `left, right, dst, m, n, k`, with the bias before the sizes if it starts
    with one."""

    def meaning(site: Site) -> Run:
        dtype, result_type = element(site), element(site, 2)
        value = factor(dtype, str(site.attrs.get("tf32_mode", "off")), _saturates(site))
        if mx:
            value = scaled(value)

        def run(core: Core, left: Lanes, right: Lanes, dst: Lanes, *values: Lanes) -> None:
            *bias, m, n, k = values
            if dtype.is_float and site.attrs["sat_mode"] == "unset":
                said = "where CTRL asks for finite numbers, a product says sat or nosat itself"
                core.refuse(site, without_saturation(core, site).eq(0), "PTO0914", said)
            sizes = _Sizes(m, n, k)
            for name, size in zip(sizes._fields, sizes, strict=True):
                core.fits_field(site, name, size, _SIZE_BITS)
                said = f"a product needs at least one element along {name}"
                core.refuse(site, size.eq(0), "PTO0910", said, size, "1 or more")
            if mx:
                crooked = (k & (2 * SCALED - 1)).ne(0)
                said = f"k is a multiple of {2 * SCALED} where blocks have scales"
                core.refuse(site, crooked, "PTO0910", said, k, f"a multiple of {2 * SCALED}")
            row, size = m.const(BLOCK_BYTES), m.const(dtype.bytes)
            product = TileProduct(
                m,
                n,
                k,
                dtype,
                dtype,
                result_type,
                _left_layout(site, dtype, sizes),
                nz(dtype, blocks_of(n, FRACTAL_ROWS) * FRACTAL_BYTES, row, size),
                _result_layout(result_type, sizes),
                start,
                value,
                value,
                finite_result if _saturates(site) else None,
                bias[0] if bias else None,
                left >> _SCALE_ADDRESS if mx else None,
                right >> _SCALE_ADDRESS if mx else None,
            )
            _multiply(core, site, left, right, dst, product)

        return run

    return meaning


def _saturates(site: Site) -> bool:
    return site.attrs["sat_mode"] == "sat"


def _multiply(
    core: Core, site: Site, left: Lanes, right: Lanes, dst: Lanes, product: TileProduct[Lanes]
) -> None:
    """Multiplies when the tile is free, and hands it on, as its unit flag says."""
    flag = site.attrs["unit_flag"]
    tile = (dst >> (TILE_BYTES.bit_length() - 1)).bits(I64)
    if flag != "off":
        core.synchronise(site, FREE, _PIPE, _DRAIN, (tile,))
    core.multiply(site, left, right, dst, product)
    if flag == "check_and_set":
        core.synchronise(site, PUBLISH, _PIPE, "", (tile,))


_UNIT_FLAG = Attr(
    "unit_flag",
    ("check_only", "check_and_set", "off"),
    "off",
    "whether it waits until the tile is drained, and whether it hands it on then",
    kind="mad_unit_flag_mode",
    alias="unit_flag_mode",
    clause="unit_flag(*)",
)
_GEMV = Attr(
    "disable_gemv",
    (),
    0,
    "whether one row lies in L0A as a tile does, in fractals",
    high=1,
    is_flag=True,
    clause="disable_gemv",
)
_SAT = Attr(
    "sat_mode",
    ("sat", "nosat", "unset"),
    "unset",
    "whether what is not finite becomes finite",
    kind="mad_sat_mode",
    clause="*",
)
_TF32 = Attr(
    "tf32_mode",
    ("round_even", "round_away", "off"),
    "off",
    "how f32 is rounded to 10 bits of mantissa before it is multiplied",
    kind="tf32_mode",
    clause="tf32_mode(*)",
)
_N_DIR = Attr(
    "n_dir",
    (),
    0,
    "whether columns are finished first, without effect on values",
    high=1,
    is_flag=True,
    clause="n_dir",
)
_ATTRS = (_UNIT_FLAG, _GEMV, _SAT, _TF32, _N_DIR)


def _not_float(site: Site) -> str:
    mode = site.attrs["sat_mode"]
    return "" if mode == "unset" or element(site).is_float else f"{mode} of {element(site)}"


def _not_f32(site: Site) -> str:
    mode = site.attrs.get("tf32_mode", "off")
    return "" if mode == "off" or element(site) is F32 else f"tf32_mode({mode}) of {element(site)}"


_CONSTRAINTS = (
    Constraint("sat and nosat are for products of floats", _not_float),
    Constraint("tf32_mode is for products of f32", _not_f32),
)

_EVIDENCE = (
    Evidence(
        "order of the sum",
        "chosen",
        "In the order of k, each step a fused multiply-add that is rounded once to f32, as the "
        "public CPU simulator does; the bias or what is there comes first. No document says, and "
        "public results allow any order. The option --accumulate exact rounds the whole sum once.",
    ),
    Evidence("integers", "chosen", "Sums wrap at 32 bits: no document says what overflow does."),
    Evidence(
        "layouts",
        "suite",
        "L0A holds rows of m, L0B rows of n, both in NZ; L0C blocks of 16 columns. L0A of A2/A3: "
        "ZZ, as the public library says.",
    ),
    Evidence("one row", "suite", "With m = 1 L0A holds a plain row, unless disable_gemv says no."),
    Evidence(
        "sat",
        "suite",
        "Of factors and of the sum infinities become the largest finite number, NaN becomes 0.",
    ),
    Evidence(
        "overflow inside a sum",
        "chosen",
        "With sat as without: only the whole sum is made finite.",
    ),
    Evidence(
        "neither sat nor nosat",
        "chosen",
        "As nosat, which is the mode at launch. Where bit 48 of CTRL is 0 it is an error: write "
        "one of them.",
    ),
    Evidence(
        "sizes", "chosen", "12 bits each, as compilers pass them on and the public library limits."
    ),
    Evidence(
        "unit flags",
        "chosen",
        "One for each 1024 bytes of L0C, clear at first: no document gives their state.",
    ),
)
_TF32_EVIDENCE = Evidence(
    "tf32",
    "suite",
    "Both factors are rounded to 10 bits of mantissa, ties to even or away from zero; with sat "
    "what becomes infinite by that is the largest number of those bits.",
)
_MX_EVIDENCE = (
    Evidence(
        "scales that nothing loads",
        "micro",
        "Illegal: the payloads of both sides must be loaded before. A check finds it.",
    ),
    Evidence("scales", "suite", "2 to the byte less 127, for 32 elements along k; 255 is NaN."),
    Evidence(
        "scaled factors",
        "chosen",
        "Each factor is an f32 with its scale: beyond the largest it is infinite.",
    ),
    Evidence(
        "which scales",
        "chosen",
        "Those at the address of the tile divided by 16, where pto.mte_l1_l0a_mx and "
        "pto.mte_l1_l0b_mx put them.",
    ),
    Evidence("types", "micro", "f8e4m3 on both sides; k is a multiple of 64."),
)
_TYPES_EVIDENCE = Evidence(
    "types",
    "chosen",
    "Those of the public library where both sides have the same one; f8e4m3 with f8e5m2, f16 with "
    "integers and results in f16 are not modelled.",
)


def _listed(named: Iterable[Operand | Attr]) -> str:
    return ", ".join(one.name for one in named)


def _size(name: str, doc: str) -> Operand:
    return Operand(name, ScalarIn((I64,)), doc, example=16)


def _record(name: str, start: Start, mx: bool, doc: str, formula: str) -> Record:
    bias = (Operand("bias", PtrTo("U", "bt"), "one for each column, in BT"),)
    operands = (
        Operand("lhs", PtrTo("T", "l0a"), "left tile in L0A, m by k"),
        Operand("rhs", PtrTo("T", "l0b"), "right tile in L0B, k by n"),
        Operand("dst", PtrTo("U", "l0c"), "result in L0C, m by n"),
        *(bias if start == "bias" else ()),
        _size("m", "rows"),
        _size("n", "columns"),
        _size("k", "elements that are added"),
    )
    attrs = tuple(a for a in _ATTRS if a is not _TF32) if mx else _ATTRS
    floats = (F8E4M3,) if mx else _FLOATS
    integers = () if mx else (I8, SI8)
    results = () if mx else (I32, SI32)
    free = {_UNIT_FLAG.name: _UNIT_FLAG.values}
    on_a5: tuple[TargetName, ...] = ("a5",)
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                operands,
                attrs=attrs,
                syntax=f"{_listed(operands)} groups {{{_listed(attrs)}}} : all",
            ),
        ),
        _product(start, mx),
        {"T": Types((*floats, *integers)), "U": Types((F32, *results))},
        {
            **{(t, F32): {**free, **_of_floats(t, mx)} for t in floats},
            **{(t, u): free for t in integers for u in results},
        },
        pipe=_PIPE,
        where="outside",
        targets=on_a5 if mx else ("cpu", "a2a3", "a5"),
        absent={} if mx else {"a2a3": {"tf32_mode": ("round_even", "round_away")}},
        constraints=() if mx else _CONSTRAINTS,
        evidence=(*_EVIDENCE, *(_MX_EVIDENCE if mx else (_TF32_EVIDENCE, _TYPES_EVIDENCE))),
        formula=formula,
        cpp=f"{name}(dst, lhs, rhs, ...)",
    )


def _of_floats(dtype: DType, mx: bool) -> dict[str, tuple[str, ...]]:
    """The values of attributes that not every type takes."""
    tf32 = {_TF32.name: _TF32.values} if dtype is F32 and not mx else {}
    return {_SAT.name: _SAT.values, **tf32}


_SUM = "sum over k of lhs[m, k] * rhs[k, n]"
_SCALED_SUM = "sum over k of lhs[m, k] * lhs_scale[m, k/32] * rhs[k, n] * rhs_scale[k/32, n]"
_STARTS: tuple[tuple[str, Start, str, str], ...] = (
    ("", "zero", "Multiplies two tiles", "dst[m, n] = {}"),
    ("_acc", "result", "Adds the product of two tiles to what is there", "dst[m, n] += {}"),
    ("_bias", "bias", "Multiplies two tiles and adds a bias", "dst[m, n] = bias[n] + {}"),
)
RECORDS = (
    *(
        _record(f"mad{suffix}", start, False, f"{doc}.", formula.format(_SUM))
        for suffix, start, doc, formula in _STARTS
    ),
    *(
        _record(
            f"mad_mx{suffix}",
            start,
            True,
            f"{doc}, whose blocks have scales.",
            formula.format(_SCALED_SUM),
        )
        for suffix, start, doc, formula in _STARTS
    ),
)
