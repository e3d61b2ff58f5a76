"""The clauses of what drains L0C: how they are written, and the words of each pair of types."""

from __future__ import annotations

from collections.abc import Mapping

from ptoscope.isa import atomics
from ptoscope.isa.bursts import number
from ptoscope.isa.drain_values import (
    MODES,
    NONE,
    PLAIN,
    RELU_MODES,
    SAT_MODES,
    UNDEFINED,
    modes_of,
)
from ptoscope.isa.dtypes import F16, F32, FLOATS, I8, I16, SI8, SI16, UI16, DType
from ptoscope.isa.patterns import OneOf, PtrTo, ScalarIn
from ptoscope.isa.record import Attr, Form, Group, Operand, Pairs

_LAYOUTS = ("nz2nd", "nz2dn", "nz2nz")
_SPLITS = ("split_m", "split_n")
_FLAGS = ("check_only", "check_and_clear")
_TYPES = tuple(atomics.suffix(dtype) for dtype in atomics.TYPES.values())
_COMMON = ("unit_flag", "pre_quant", "pre_relu", *_LAYOUTS, "loop3", "sat", "nosat")
_PAYLOAD = OneOf((ScalarIn(FLOATS), PtrTo("P", "fb")))


def _words(
    name: str,
    values: tuple[str, ...],
    doc: str,
    clause: str,
    kind: str,
    off: str = "",
    alias: str = "",
) -> Attr:
    """An attribute that is written as a clause; `off` is what compilers call its default."""
    return Attr(
        name,
        (NONE, *values),
        NONE,
        doc,
        kind=kind,
        alias=alias,
        other_tokens={off: NONE} if off else {},
        clause=clause,
    )


def _attributes(target: str) -> tuple[Attr, ...]:
    modes = tuple(MODES) + tuple(UNDEFINED)
    common = (
        _words(
            "unit_flag",
            _FLAGS,
            "whether it waits until the tile is published, and frees it",
            "unit_flag(*)",
            "unit_flag_ctrl",
            "off",
        ),
        _words(
            "pre_quant_mode",
            modes,
            "what is made of what, and how it is scaled",
            "pre_quant(mode = *)",
            "quant_pre_mode",
            "no_convert",
        ),
        _words(
            "pre_relu_mode",
            RELU_MODES,
            "what becomes of negative numbers",
            "pre_relu(mode = *)",
            "relu_pre_mode",
        ),
        _words(
            "layout",
            _LAYOUTS,
            "how the result lies in the destination",
            "*",
            "acc_store_mode",
            alias="mode",
        ),
        Attr(
            "sat",
            (NONE, *SAT_MODES),
            NONE,
            "what becomes of numbers beyond the format",
            kind="acc_store_sat_mode",
            alias="sat_mode",
            clause="*",
            written={"sat_preserve_nan": "sat(preserve_nan)"},
        ),
    )
    if target == "ub":
        split = _words(
            "dst_split",
            _SPLITS,
            "which half of the result each vector core has",
            "dst_mode(*)",
            "acc_store_ub_dst_mode",
            "single",
            "dst_mode",
        )
        return (split, *common)
    if target == "gm":
        return (
            *common,
            _words(
                "atomic_type",
                _TYPES,
                "the type of what is updated",
                "atomic(type = *)",
                "acc_store_atomic_type",
            ),
            _words(
                "atomic_op",
                atomics.OPERATIONS,
                "how it is updated",
                "atomic(op = *)",
                "acc_store_atomic_op",
            ),
        )
    return common


def _optional(keyword: str, *operands: Operand, inside: str = "") -> Group:
    return Group(keyword, operands, "optional", unnamed=True, inside=inside)


def _groups(target: str) -> tuple[Group, ...]:
    clip = ScalarIn((F16, I16, SI16, UI16, I8, SI8))
    common = (
        _optional("pre_quant", Operand("scale", _PAYLOAD, "the scale, or scales in FB")),
        _optional("pre_relu", Operand("alpha", _PAYLOAD, "the factor, or factors in FB")),
        _optional("clip", Operand("clip", clip, "the largest number"), inside="pre_relu"),
        _optional("nz2dn", number("loop0_src_stride", "units of 64 bytes from row to row in L0C")),
        _optional("nz2nz", number("split", "1 for blocks of 8 columns, 0 for 16")),
        _optional(
            "loop3",
            number("count", "how many tiles"),
            number("src_stride3", "units of 64 bytes from tile to tile in L0C"),
            number("dst_stride3", "elements from tile to tile in the destination"),
        ),
    )
    if target != "ub":
        return common
    return (_optional("dst_mode", number("sub_blockid", "the vector core, 0 or 1")), *common)


def form_of(target: str, operands: tuple[Operand, ...]) -> Form:
    """The one form of a drain to a memory."""
    attrs, groups = _attributes(target), _groups(target)
    first = ["dst_mode"] if target == "ub" else []
    last = ["atomic"] if target == "gm" else []
    entries = ", ".join(attr.name for attr in attrs)
    return Form(
        operands,
        attrs=attrs,
        groups=groups,
        syntax=f"{', '.join(o.name for o in operands)}, groups {{{entries}}} : all",
        clauses=(*first, *_COMMON, *last),
        compiled=_compiled(operands),
    )


def _compiled(operands: tuple[Operand, ...]) -> tuple[str, ...]:
    """The order of compilers: what is a hint or a core stands behind the payloads."""
    names = [operand.name for operand in operands]
    of_loop = ("count", "src_stride3", "dst_stride3")
    core = () if len(names) > 6 else ("sub_blockid",)
    payloads = ("scale", "alpha", "clip")
    return (*names[:6], *payloads, *names[6:], *core, "split", "loop0_src_stride", *of_loop)


def pairs(target: str) -> Pairs:
    """What a result may become, and the words of each."""
    made: dict[tuple[DType, DType], Mapping[str, tuple[str, ...]]] = {}
    targets = dict.fromkeys((*(t for m in MODES.values() for t in m.targets), F32, *FLOATS))
    for source in PLAIN:
        for dtype in (*targets, *(t for t in PLAIN[source] if t not in targets)):
            modes = modes_of(source, dtype)
            if modes:
                made[source, dtype] = _legal(target, source, dtype, modes)
    return made


def _legal(
    target: str, source: DType, dtype: DType, modes: tuple[str, ...]
) -> Mapping[str, tuple[str, ...]]:
    layouts = _LAYOUTS if dtype is F32 else _LAYOUTS[:2]
    relus = RELU_MODES if source.is_float or modes[0] != NONE else RELU_MODES[:2]
    words: dict[str, tuple[str, ...]] = {
        "unit_flag": (NONE, *_FLAGS),
        "pre_quant_mode": (*modes, *UNDEFINED),
        "pre_relu_mode": (NONE, *relus),
        "layout": (NONE, *layouts),
        "sat": (NONE, *SAT_MODES),
    }
    if target == "ub":
        words["dst_split"] = (NONE, *_SPLITS)
    if target == "gm":
        updated = [
            atomics.suffix(d)
            for d in atomics.TYPES.values()
            if d is dtype or (d.is_int and dtype.is_int and dtype.signed and d.bits == dtype.bits)
        ]
        words["atomic_type"] = (NONE, *updated)
        words["atomic_op"] = (NONE, *atomics.OPERATIONS)
    return words
