"""The scalar side: vector scopes, pointers, scalar memory access, launch queries."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import ELEMENTS, I1, I8, I16, I32, I64, INDEX, SCALARS
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import IN_SECTION, STRICT_VECSCOPE, VECSCOPE
from ptoscope.isa.patterns import AnyType, OneOf, PtrTo, ScalarFor, ScalarIn
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.types import Ptr, Scalar

GROUP = "scalar"
_ANYWHERE = Types(ELEMENTS)
_OFFSET = Operand("offset", ScalarIn((INDEX, I64, I32)), "displacement in elements")


def _scope(site: Site) -> Run:
    def run(core: Core) -> None:
        """The body is run by the engine."""

    return run


vecscope = Record(
    VECSCOPE,
    GROUP,
    "Launches its body on the vector core; vectors and masks live only in there.",
    (Form(syntax="region"),),
    _scope,
    where="outside",
    cost=Cost("scope"),
    evidence=(Evidence("nesting", "micro", "One scope may not contain another."),),
    formula="run the body",
    cpp="__VEC_SCOPE__ { ... }",
)
strict_vecscope = Record(
    STRICT_VECSCOPE,
    GROUP,
    "A vecscope whose body sees only what is passed to it.",
    (
        Form(
            (Operand("args", AnyType(), "become the arguments of the body"),), syntax="args region"
        ),
    ),
    _scope,
    where="outside",
    cost=Cost("scope"),
    evidence=(Evidence("capture", "micro", "The body may not use a value from around it."),),
    formula="run the body with its arguments",
    cpp="__VEC_SCOPE__ { ... }",
)


def _cast(site: Site) -> Run:
    result = site.results[0]
    dtype = result.dtype if isinstance(result, Scalar) else INDEX

    def run(core: Core, source: Lanes) -> Lanes:
        return source.cast(dtype)

    return run


castptr = Record(
    "pto.castptr",
    GROUP,
    "Reinterprets an address: an integer as a pointer, a pointer as another or as an integer.",
    (
        Form(
            (
                Operand(
                    "source",
                    OneOf((ScalarIn((I64, I32, INDEX)), PtrTo("U", "S"))),
                    "byte address or pointer",
                ),
            ),
            (Operand("result", OneOf((PtrTo("T", "S"), ScalarIn((I64,))))),),
        ),
    ),
    _cast,
    {"T": _ANYWHERE, "U": _ANYWHERE},
    gives="number",
    pipe="PIPE_S",
    where="anywhere",
    evidence=(
        Evidence("integers as GM addresses", "chosen", "No array is there: any access faults."),
    ),
    formula="result = (type)source",
    cpp="reinterpret_cast",
)


def _advance(site: Site) -> Run:
    pointer = site.operands[0]
    assert isinstance(pointer, Ptr)
    size = pointer.dtype.bytes

    def run(core: Core, ptr: Lanes, offset: Lanes) -> Lanes:
        return core.address(ptr, offset, size)

    return run


addptr = Record(
    "pto.addptr",
    GROUP,
    "Advances a pointer by a number of elements.",
    (
        Form(
            (Operand("ptr", PtrTo("T", "S"), "the base"), _OFFSET),
            (Operand("result", PtrTo("T", "S")),),
            syntax="ptr, offset : ptr -> result",
        ),
    ),
    _advance,
    {"T": _ANYWHERE},
    gives="address",
    pipe="PIPE_S",
    where="anywhere",
    evidence=(Evidence("offset", "micro", "Counts elements."),),
    formula="result = ptr + offset",
    cpp="ptr + offset",
)


def _load(site: Site) -> Run:
    pointer, result = site.operands[0], site.results[0]
    assert isinstance(pointer, Ptr)
    assert isinstance(result, Scalar)

    def run(core: Core, ptr: Lanes, offset: Lanes) -> Lanes:
        address = core.address(ptr, offset, pointer.dtype.bytes)
        return core.load_scalar(site, pointer.space, address, result.dtype)

    return run


_SCALAR_POINTER = PtrTo("T", "S", spaces=("gm", "ub"))
"""The scalar unit reaches no memory of the matrix unit."""
_SCALAR_MEMORY = {"T": Types(tuple(d for d in ELEMENTS if d in SCALARS))}
load_scalar = Record(
    "pto.load_scalar",
    GROUP,
    "Loads one element.",
    (
        Form(
            (Operand("ptr", _SCALAR_POINTER, "the base"), _OFFSET),
            (Operand("result", ScalarFor()),),
            syntax="ptr[offset] : ptr -> result",
        ),
    ),
    _load,
    _SCALAR_MEMORY,
    pipe="PIPE_S",
    where="anywhere",
    pure=False,
    evidence=(Evidence("alignment", "chosen", "The element size.", about="alignment"),),
    formula="result = ptr[offset]",
    cpp="*(ptr + offset)",
    aliases=("pto.load",),
)


_COMPLETE = Evidence(
    "order before other pipes",
    "chosen",
    "Complete when the next instruction is issued. No page says so: check warns where no flag or "
    "barrier orders what another pipe does to its bytes behind it.",
)


def _store(site: Site) -> Run:
    pointer = site.operands[1]
    assert isinstance(pointer, Ptr)

    def run(core: Core, value: Lanes, ptr: Lanes, offset: Lanes) -> None:
        address = core.address(ptr, offset, pointer.dtype.bytes)
        core.store_scalar(site, pointer.space, address, value.bits(pointer.dtype))

    return run


store_scalar = Record(
    "pto.store_scalar",
    GROUP,
    "Stores one element.",
    (
        Form(
            (
                Operand("value", ScalarFor(), "the element"),
                Operand("ptr", _SCALAR_POINTER, "the base"),
                _OFFSET,
            ),
            syntax="value, ptr[offset] : ptr, value",
        ),
    ),
    _store,
    _SCALAR_MEMORY,
    pipe="PIPE_S",
    where="anywhere",
    pure=False,
    evidence=(Evidence("alignment", "chosen", "The element size.", about="alignment"), _COMPLETE),
    formula="ptr[offset] = value",
    cpp="*(ptr + offset) = value",
    aliases=("pto.store",),
)


_DEVICE = {"T": Types((I8, I16, I32, I64))}
_PAST_CACHE = (
    Evidence("caches", "micro", "It bypasses the first cache, of which none is modelled here."),
    Evidence("alignment", "chosen", "The element size.", about="alignment"),
)
_GM = Operand("ptr", PtrTo("T", "gm"), "the base")
_INDEX = Operand("offset", ScalarIn((INDEX,)), "displacement in elements")
ld_dev = replace(
    load_scalar,
    name="pto.ld_dev",
    doc="Loads one integer from GM past the first cache.",
    forms=(replace(load_scalar.forms[0], operands=(_GM, _INDEX)),),
    types=_DEVICE,
    targets=("cpu", "a5"),
    evidence=_PAST_CACHE,
    aliases=(),
    cpp="ld_dev(ptr, offset)",
)
st_dev = replace(
    store_scalar,
    name="pto.st_dev",
    doc="Stores one integer to GM past the first cache.",
    forms=(
        replace(
            store_scalar.forms[0],
            operands=(store_scalar.forms[0].operands[0], _GM, _INDEX),
        ),
    ),
    types=_DEVICE,
    targets=("cpu", "a5"),
    evidence=(*_PAST_CACHE, _COMPLETE),
    aliases=(),
    cpp="st_dev(value, ptr, offset)",
)


_SUBBLOCKS = Evidence("subblocks", "suite", "A pure vector kernel sees one: index 0 of 1.")
_AS_LAUNCHED = Evidence("value", "micro", "As launched.")
_MOST_BLOCKS = Evidence(
    "most blocks of a launch",
    "chosen",
    "65,535 on A2/A3 and A5, the range of blockDim on the page of CANN's SetBlockDim. The CPU "
    "simulation has no bound. No document of PTO names one.",
)


def _query(which: str, doc: str, *evidence: Evidence) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core) -> Lanes:
            return core.block(which)

        return run

    return Record(
        f"pto.get_{which}",
        GROUP,
        doc,
        (Form(results=(Operand("result", ScalarIn((I64,))),), syntax="none"),),
        meaning,
        pipe="PIPE_S",
        where="anywhere",
        evidence=evidence,
        formula=f"result = {which}",
        cpp=f"get_{which}()",
    )


def _bit_set(name: str, to: int) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, value: Lanes, position: Lanes) -> Lanes:
            bit = value.const(1) << position
            return value | bit if to else value & ~bit

        return run

    number = ScalarIn((I64,))
    return Record(
        f"pto.{name}",
        GROUP,
        f"Sets one bit of a number to {to}.",
        (
            Form(
                (Operand("value", number), Operand("position", number, "0 to 63")),
                (Operand("result", number),),
            ),
        ),
        meaning,
        pipe="PIPE_S",
        where="anywhere",
        evidence=(Evidence("a position outside 0 to 63", "chosen", "Changes nothing."),),
        formula=f"result = value with bit position = {to}",
        cpp=f"{name}(value, position)",
    )


def _in_section(site: Site) -> Run:
    def run(core: Core) -> Lanes:
        return core.block("is_cube").compare(
            "eq", core.constant(I64, 1, int(site.attrs["core"] == "cube"))
        )

    return run


in_section = Record(
    IN_SECTION,
    GROUP,
    "Whether this core executes the sections of a kind. What a section holds is executed where "
    "it is: pto.section.cube and pto.section.vector are read as a branch on it.",
    (
        Form(
            results=(Operand("result", ScalarIn((I1,))),),
            attrs=(Attr("core", ("cube", "vector"), None, "the kind of core"),),
            syntax='"core"',
        ),
    ),
    _in_section,
    pipe="PIPE_S",
    where="anywhere",
    evidence=(Evidence("spelling", "chosen", "Compilers write sections; this is how they run."),),
    formula="result = this core is of that kind",
    cpp="ASCEND_IS_AIC, ASCEND_IS_AIV",
)

RECORDS = (
    vecscope,
    strict_vecscope,
    castptr,
    addptr,
    load_scalar,
    store_scalar,
    ld_dev,
    st_dev,
    _query("block_idx", "Which block of the launch this is, from 0.", _AS_LAUNCHED),
    _query("block_num", "How many blocks were launched.", _AS_LAUNCHED, _MOST_BLOCKS),
    _query("subblock_idx", "Which subblock of the block this is.", _SUBBLOCKS),
    _query("subblock_num", "How many subblocks a block has.", _SUBBLOCKS),
    in_section,
    _bit_set("sbitset0", 0),
    _bit_set("sbitset1", 1),
)
