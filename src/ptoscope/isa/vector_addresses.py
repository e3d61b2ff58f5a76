"""Vector addresses: offsets that the loops around them make, and accesses at them."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import MASK_LOAD, MASK_STORE, PREDICATE, Cost, load, store
from ptoscope.isa.dtypes import ELEMENTS, I32, UI32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import vlds, vldsx2, vsts, vstsx2
from ptoscope.isa.patterns import ScalarIn, VectorAddress
from ptoscope.isa.predicate_images import IMAGES
from ptoscope.isa.record import Evidence, Form, Operand, Record, Run, Site, Types

GROUP = "vector addresses"
A5 = ("a5",)
ADDRESS = Operand("addr", VectorAddress(), "bytes from the base")
ON_A5 = Evidence("targets", "chosen", "A5 only: the document is that of its instructions.")
OFFSET = Evidence("offset", "micro", "The base and the vector address, in bytes.")
_MOST = 4
_WHICH = ("the innermost loop", "the next one", "the third", "the fourth")


def _generate(site: Site) -> Run:
    def run(core: Core, *strides: Lanes) -> Lanes:
        address = core.constant(UI32, 1, 0)
        for level, stride in enumerate(strides):
            address = address + core.counter(level) * stride.bits(UI32)
        return address

    return run


def _strides(count: int) -> Form:
    return Form(
        tuple(
            Operand(f"s{i}", ScalarIn((I32,)), f"bytes an iteration of {_WHICH[i]}", 64)
            for i in range(count)
        ),
        (ADDRESS,),
    )


vag = Record(
    "pto.vag",
    GROUP,
    "Makes a vector address from the iterations of the loops around it.",
    tuple(_strides(count + 1) for count in range(_MOST)),
    _generate,
    targets=A5,
    loops=True,
    cost=PREDICATE,
    evidence=(
        ON_A5,
        Evidence("strides", "micro", "In bytes, from the innermost loop outward."),
        Evidence(
            "counters",
            "chosen",
            "Iterations from 0, whatever a loop's bounds and step are: the document names "
            "counters, and has loops from 0 by 1.",
        ),
        Evidence("width", "chosen", "32 bits, unsigned, as the compiler has it; sums wrap."),
        Evidence(
            "granularity", "micro", "Of the family that uses it; strides are in bytes all the same."
        ),
    ),
    formula="addr = s0*i0 + s1*i1 + s2*i2 + s3*i3, of the iterations i0 (innermost) to i3",
    cpp="vag_b32(s3, s2, s1, s0)",
)


def _at(twin: Record, name: str, doc: str, formula: str, cost: Cost) -> Record:
    """The record that does what another does, at a vector address for its offset."""
    (form, *_) = twin.forms
    operands = tuple(ADDRESS if o.name == "offset" else o for o in form.operands)
    listed = form.syntax.replace("offset", "addr")
    if "addr" not in listed.partition(":")[2]:
        # Its type is always written: it is no index.
        before, _, after = listed.partition(":")
        pointer = "source" if form.results else "dest"
        listed = f"{before}:{after.replace(pointer, f'{pointer}, addr', 1)}"
    kept = [e for e in twin.evidence if not e.when.forms and e.cell != "offset"]
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form(operands, form.results, form.attrs, syntax=listed),),
        twin.meaning,
        {"T": Types(ELEMENTS)},
        targets=A5,
        stores_lanes=twin.stores_lanes,
        cost=cost,
        constraints=twin.constraints,
        evidence=(ON_A5, OFFSET, *kept),
        formula=formula,
        micro_formula=twin.micro_formula and formula,
        cpp=f"{name}(...)",
    )


_PLDS, _, _PSTS, _ = IMAGES
RECORDS = (
    vag,
    _at(
        vlds,
        "vald",
        "Loads a vector at a vector address, distributed over the lanes by a mode.",
        "result[i] = UB[source + addr + map(i)], see the modes of vlds",
        load(),
    ),
    _at(
        vldsx2,
        "valdx2",
        "Loads two vectors at a vector address, taking interleaved elements or blocks apart.",
        "low[i], high[i] = UB[source + addr + 2i], UB[source + addr + 2i + 1]",
        load(),
    ),
    _at(
        vsts,
        "vast",
        "Stores the active lanes of a vector at a vector address, placed by a mode.",
        "if mask[i]: UB[dest + addr + map(i)] = value[i], see the modes of vsts",
        store(),
    ),
    _at(
        vstsx2,
        "vastx2",
        "Stores two vectors interleaved, at a vector address.",
        "UB[dest + addr + 2i], UB[dest + addr + 2i + 1] = low[i], high[i], as vstsx2",
        store(12),
    ),
    _at(
        _PLDS,
        "pald",
        "Loads the predicate register at a vector address.",
        "result bit i = UB bit i (NORM), i/2 (US), 2i (DS) at source + addr",
        MASK_LOAD,
    ),
    _at(
        _PSTS,
        "past",
        "Stores the predicate register at a vector address.",
        "UB bit i at dest + addr = value bit i (NORM), 2i (PK)",
        MASK_STORE,
    ),
)
