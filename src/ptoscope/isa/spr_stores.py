"""Stores of a special register: where an unaligned stream stands, for the scalar side to read."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import store
from ptoscope.isa.distributions import STORE_MODES, access
from ptoscope.isa.dtypes import I32, I64, UI32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import GROUP
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.post_update import begins, evidence, post_update, with_base
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.roles import AR

_WORD = 4
_FAR = 1 << 7


def _stored(name: str, doc: str, unit: int, offset: str) -> Record:
    def meaning(site: Site) -> Run:
        one = access(STORE_MODES["1PT_B32"], UI32, 0)

        def run(core: Core, dest: Lanes, offset: Lanes) -> object:
            if unit == _WORD:
                outside = (offset < -_FAR) | (offset >= _FAR)
                said, range_ = "the offset does not fit 8 bits", f"{-_FAR} to {_FAR - 1}"
                core.refuse(site, outside, "PTO0910", said, offset, range_)
            moved = core.address(dest, offset, unit)
            value = core.read_register(site, str(site.attrs["register"]), I64, 0).cast(UI32)
            core.store(site, begins(site, dest, moved), one, value.splat(UI32.lanes), None)
            return with_base(site, moved)

        return run

    form = Form(
        (
            Operand("dest", PtrTo(), "UB base address"),
            Operand(
                "offset",
                ScalarIn((I32,)),
                offset,
                example=_WORD,
                immediate="pto.sprsts" if unit == _WORD else "",
            ),
        ),
        attrs=(Attr("register", (AR,), None, "which one"),),
        syntax='"register", dest[offset] : dest, offset',
    )
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (form, post_update(form)),
        meaning,
        {"T": Types((UI32, I32))},
        targets=("a5",),
        cost=store(),
        evidence=(
            Evidence("register", "micro", "AR alone."),
            *(
                [Evidence("offset", "micro", "A constant, with a sign and 8 bits.")]
                if unit == _WORD
                else []
            ),
            evidence(1, "micro", f"The base advances by the offset, in {offset.split(' ')[-1]}."),
            Evidence(
                "what is stored",
                "chosen",
                "The low 32 bits of AR, which counts bytes, as vstur does here.",
            ),
            Evidence("alignment", "chosen", "4 bytes: the word.", about="alignment"),
        ),
        formula=f"UB[dest + {'4 * ' if unit == _WORD else ''}offset] = AR, 4 bytes",
        cpp=f"{name}(SPR_AR, dest, offset)",
    )


RECORDS = (
    _stored(
        "sprsti",
        "Stores the position of a stream to UB, at an offset that the instruction holds.",
        _WORD,
        "-128 to 127 words",
    ),
    _stored("sprsts", "Stores the position of a stream to UB.", 1, "displacement in bytes"),
)
