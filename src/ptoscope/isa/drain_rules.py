"""What goes together in an instruction that drains L0C, and what does not."""

from __future__ import annotations

from ptoscope.isa.bursts import element
from ptoscope.isa.drain_values import CLIPPED, NONE, UNDEFINED
from ptoscope.isa.dtypes import F16, I8, I16, SI8, SI16, UI8, UI16
from ptoscope.isa.record import Constraint, Site
from ptoscope.isa.types import Ptr, Scalar


def _defined(site: Site) -> str:
    mode = str(site.attrs["pre_quant_mode"])
    return f"mode = {mode}: {UNDEFINED[mode]}" if mode in UNDEFINED else ""


_PAYLOADS = {"vector_relu": Ptr, "scalar_relu": Scalar}


def _with_payload(site: Site) -> str:
    """What is wrong with the payloads of the modes."""
    quant, relu = (str(site.attrs[f"{keyword}_mode"]) for keyword in ("pre_quant", "pre_relu"))
    of_quant = None if quant == NONE else Ptr if quant.endswith("_vec") else Scalar
    wanted = {"pre_quant": (quant, of_quant), "pre_relu": (relu, _PAYLOADS.get(relu))}
    for keyword, (mode, kind) in wanted.items():
        given = _type_of(site, keyword)
        if kind is None and given is not None:
            return f"{keyword} with a payload and mode = {mode}"
        if kind is not None and not isinstance(given, kind):
            what = "pointer into FB" if kind is Ptr else "number"
            return f"{keyword}(mode = {mode}) without a {what}"
    if _type_of(site, "clip") is not None and relu == NONE:
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
        "modes of vectors have a pointer into FB, other modes of pre_quant and scalar_relu a "
        "number, and clip a mode of pre_relu",
        _with_payload,
    ),
    Constraint(
        "clip is an f16 for f16, a 16-bit number for ui8, a signed one for signed integers", _clips
    ),
    Constraint("operands of a layout stand with it, and loop3 with nz2nd or nz2dn", _layout),
    Constraint("dst_mode names a vector core, or how a plain result is split", _destination),
    Constraint("atomic has a type and an operation", _updates),
)
