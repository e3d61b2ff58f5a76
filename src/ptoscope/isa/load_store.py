"""Vector loads and stores between UB and registers."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.distributions import (
    LOAD_MODES,
    STORE_MODES,
    load_access,
    store_access,
    suffix_bits,
)
from ptoscope.isa.dtypes import ELEMENTS, INDEX, unsigned
from ptoscope.isa.families import MASK, RESULT, gate
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import PtrTo, ScalarIn, Vec
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.types import VReg

GROUP = "load/store"
OFFSET = Operand("offset", ScalarIn((INDEX,)), "displacement in elements")
_TYPES = Types(ELEMENTS)
_ALIGNMENT = Evidence(
    "alignment",
    "manual",
    "32 bytes for NORM on A5; the same is chosen for A2/A3, the element size on CPU and for BRC.",
)
_SUFFIX = Evidence(
    "width suffix unlike the element (revision micro)",
    "suite",
    "The register is seen as elements of the suffix's width.",
)


def _load(site: Site) -> Run:
    result = site.results[0]
    assert isinstance(result, VReg)
    dtype = result.dtype
    mode = str(site.attrs["dist"])
    width = suffix_bits(mode)
    seen = unsigned(width) if width and width != dtype.bits else dtype
    access = load_access(mode, seen, site.target.norm_alignment)

    def run(core: Core, source: Lanes, offset: Lanes) -> Lanes:
        address = core.address(source, offset, dtype.bytes)
        loaded = core.load(site, address, access, seen)
        return loaded if seen is dtype else loaded.bits(dtype)

    return run


vlds = Record(
    "pto.vlds",
    GROUP,
    "Loads a vector from UB, distributed over the lanes by a mode.",
    (
        Form(
            (Operand("source", PtrTo(), "UB base address"), OFFSET),
            (RESULT,),
            (Attr("dist", LOAD_MODES, "NORM", "how memory maps to lanes"),),
            syntax="source[offset] {dist} : source -> result",
        ),
    ),
    _load,
    {"T": _TYPES},
    evidence=(_ALIGNMENT, _SUFFIX, Evidence("offset", "micro", "Counts elements.")),
    formula="result[i] = UB[source + offset*size + map(i)]; NORM: map(i) = i*size, BRC: 0",
    cpp="VLDS(dst, addr)",
)


def _store(site: Site) -> Run:
    value_type = site.operands[0]
    assert isinstance(value_type, VReg)
    dtype = value_type.dtype
    access = store_access(str(site.attrs["dist"]), dtype, site.target.norm_alignment)

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes, mask: Lanes) -> None:
        address = core.address(dest, offset, dtype.bytes)
        core.store(site, address, access, value, gate(mask, value.count))

    return run


vsts = Record(
    "pto.vsts",
    GROUP,
    "Stores the active lanes of a vector to UB.",
    (
        Form(
            (
                Operand("value", Vec(), "the source vector"),
                Operand("dest", PtrTo(), "UB base address"),
                OFFSET,
                MASK,
            ),
            (),
            (Attr("dist", ("NORM", *STORE_MODES), "NORM", "how lanes map to memory"),),
            syntax="value, dest[offset], mask {dist} : value, dest, mask",
        ),
    ),
    _store,
    {"T": _TYPES},
    evidence=(_ALIGNMENT, Evidence("inactive lanes", "manual", "Write nothing.")),
    formula="if mask[i]: UB[dest + offset*size + i*size] = value[i]",
    cpp="VSTS(addr, src, mask)",
)

RECORDS = (vlds, vsts)
