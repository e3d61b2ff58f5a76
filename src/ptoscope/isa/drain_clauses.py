"""The clauses of what drains L0C: how they are written, and what goes with what."""

from __future__ import annotations

from collections.abc import Mapping

from ptoscope.isa import atomics
from ptoscope.isa.bursts import element, number
from ptoscope.isa.drain_values import (
    CLIPPED,
    MODES,
    NONE,
    PLAIN,
    RELU_MODES,
    SAT_MODES,
    UNDEFINED,
    modes_of,
)
from ptoscope.isa.dtypes import F16, F32, FLOATS, I8, I16, SI8, SI16, UI8, UI16, DType
from ptoscope.isa.patterns import OneOf, PtrTo, ScalarIn
from ptoscope.isa.record import Attr, Constraint, Evidence, Form, Group, Operand, Pairs, Site
from ptoscope.isa.saturation import OUTSIDE
from ptoscope.isa.types import Ptr, Scalar

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


def _defined(site: Site) -> str:
    mode = str(site.attrs["pre_quant_mode"])
    return f"mode = {mode}: {UNDEFINED[mode]}" if mode in UNDEFINED else ""


def _with_payload(site: Site) -> str:
    """What is wrong with the payloads of the modes."""
    counts = dict(site.segments)
    for keyword, mode, vector, scalar in (
        ("pre_quant", str(site.attrs["pre_quant_mode"]), None, None),
        ("pre_relu", str(site.attrs["pre_relu_mode"]), "vector_relu", "scalar_relu"),
    ):
        given = _type_of(site, keyword) if keyword in counts else None
        if keyword == "pre_quant":
            wants = None if mode == NONE else Ptr if mode.endswith("_vec") else Scalar
        else:
            wants = {vector: Ptr, scalar: Scalar}.get(mode)
        if wants is None and given is not None:
            return f"{keyword} with a payload and mode = {mode}"
        if wants is not None and not isinstance(given, wants):
            kind = "pointer into FB" if wants is Ptr else "number"
            return f"{keyword}(mode = {mode}) without a {kind}"
    if "clip" in counts and site.attrs["pre_relu_mode"] == NONE:
        return "clip without a mode of pre_relu"
    return ""


def _type_of(site: Site, keyword: str) -> object:
    """The type of the first operand of a clause."""
    at = len(site.record.forms[site.form].operands)
    for name, count in site.segments:
        if name == keyword:
            return site.operands[at]
        at += count
    return None


def _clips(site: Site) -> str:
    clip = _type_of(site, "clip")
    target = element(site, 1)
    if not isinstance(clip, Scalar):
        return ""
    if target is F16:
        fits = clip.dtype is F16
    elif target is UI8:
        fits = clip.dtype in (UI16, I16)
    else:
        fits = clip.dtype in (I16, SI16, I8, SI8)
    return "" if fits and target in CLIPPED else f"a clip of {clip.dtype} for {target}"


def _layout(site: Site) -> str:
    layout, counts = site.attrs["layout"], dict(site.segments)
    if layout == "nz2dn" and "nz2dn" not in counts:
        return "nz2dn without loop0_src_stride"
    for keyword in ("nz2dn", "nz2nz"):
        if keyword in counts and layout != keyword:
            return f"an operand of {keyword} with layout = {layout}"
    if "loop3" in counts and layout not in ("nz2nd", "nz2dn"):
        return "loop3 without nz2nd or nz2dn"
    return ""


def _destination(site: Site) -> str:
    if "dst_split" not in site.attrs:
        return ""
    counts, split = dict(site.segments), site.attrs["dst_split"]
    if (split == NONE) != ("dst_mode" in counts):
        return "no dst_mode" if split == NONE else f"a vector core and {split}"
    plain = site.attrs["layout"] in (NONE, "nz2nd") and set(counts) <= {"dst_mode"}
    modes = (site.attrs["pre_quant_mode"], site.attrs["pre_relu_mode"])
    if split != NONE and not (plain and modes == (NONE, NONE)):
        return f"{split} with what changes or moves the result otherwise"
    return ""


def _updates(site: Site) -> str:
    if "atomic_type" not in site.attrs:
        return ""
    kind, operation = site.attrs["atomic_type"], site.attrs["atomic_op"]
    return "one of them alone" if (kind == NONE) != (operation == NONE) else ""


CONSTRAINTS = (
    Constraint("a mode of pre_quant is one that can be executed", _defined),
    Constraint(
        "modes of vectors have a pointer into FB, those of a scalar a number, others nothing",
        _with_payload,
    ),
    Constraint(
        "clip is an f16 for f16, a 16-bit number for ui8, a signed one for signed integers", _clips
    ),
    Constraint("operands of a layout stand with it, and loop3 with nz2nd or nz2dn", _layout),
    Constraint("dst_mode names a vector core, or how a plain result is split", _destination),
    Constraint("atomic has a type and an operation", _updates),
)

EVIDENCE = (
    Evidence("order", "micro", "Scale, relu, clip, conversion, all but the last in f32."),
    Evidence(
        "src_stride",
        "suite",
        "Units of 64 bytes, which are 16 results; with the 32 of the text most public kernels "
        "would read other results.",
    ),
    Evidence("dst_stride", "micro", "Elements of the destination."),
    Evidence(
        "fields",
        "chosen",
        "As wide as compilers pack them: 12 bits for n, 32 for strides of the destination, 16 for "
        "the others.",
    ),
    Evidence("no layout written", "chosen", "nz2nd, which compilers make of it."),
    Evidence(
        "nz2dn",
        "suite",
        "Columns one after the other. That loop0_src_stride is the step from row to row in L0C is "
        "chosen: public kernels have 1.",
    ),
    Evidence(
        "nz2nz",
        "chosen",
        "Blocks of 16 columns, dst_stride from one to the next; with split 1 each is two blocks "
        "of 8, so that a row is 32 bytes: compilers call it a split of channels of f32.",
    ),
    Evidence(
        "scales of columns",
        "suite",
        "A word of 64 bits for each: the f32 of its upper 19 bits of the lower 32.",
    ),
    Evidence(
        "offset and sign of columns",
        "chosen",
        "Bits 37 to 45, two's complement, are added to what is scaled; bit 46 says that 8-bit "
        "results are signed. The public library has the fields, but reads the offset unsigned, "
        "which leaves no place for that of most signed results.",
    ),
    Evidence(
        "sign with a scalar",
        "chosen",
        "That of the destination's type: a floating scale has no room for one.",
    ),
    Evidence(
        "factors of columns",
        "suite",
        "A word of 32 bits for each. That it has the 19 bits of scales is chosen.",
    ),
    Evidence(
        "integers",
        "chosen",
        "Scaled as f32, then the offset is added, rounded to nearest even and limited to the type, "
        "as the public library does for 8 bits; NaN is 0.",
    ),
    Evidence(
        "through f16",
        "chosen",
        "qf162 modes: the result as f16, then scaled as f32; no document says where it is rounded.",
    ),
    Evidence("rounding", "micro", "To nearest even; that of fp8 is chosen."),
    Evidence("rounding to hif8", "chosen", "Ties away from zero, as public kernels convert."),
    Evidence(
        "NaN in pre_relu and clip",
        "chosen",
        "normal_relu makes 0 of it, as vrelu does; otherwise it stays.",
    ),
    Evidence("sat", "micro", "Infinities become the largest number, NaN 0, but not of f32."),
    OUTSIDE,
    Evidence(
        "unit flags",
        "chosen",
        "That of the tile where the source begins. See the matrix unit's instructions.",
    ),
    Evidence("alignment", "chosen", "64 bytes in L0C, in FB a row of parameters: 128 and 64."),
)
