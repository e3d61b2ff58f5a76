"""The control register, and the instructions that set its fields for atomic stores."""

from __future__ import annotations

from ptoscope.isa import atomics, saturation
from ptoscope.isa.atomics import OPERATION, OPERATION_AT, OPERATIONS, TYPE, TYPE_AT, TYPES
from ptoscope.isa.core import Core
from ptoscope.isa.dma import mte_ub_gm
from ptoscope.isa.dtypes import I64
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import SCALAR_PIPE
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import Evidence, Form, Operand, Record, RegisterSetting, Run, Site
from ptoscope.isa.saturation import KEEP_NAN, KEEP_NAN_AT, NOSAT, NOSAT_AT

GROUP = "scalar"


def _get_ctrl(site: Site) -> Run:
    def run(core: Core) -> Lanes:
        kind, operation = (atomics.read_field(core, site, name) for name in (TYPE, OPERATION))
        nosat = saturation.without_saturation(core, site)
        keeps = saturation.with_nan(core, site)
        return _packed(kind, operation, nosat, keeps)

    return run


def _packed(kind: Lanes, operation: Lanes, nosat: Lanes, keeps: Lanes) -> Lanes:
    atomic = kind << TYPE_AT | operation << OPERATION_AT
    return atomic | nosat << NOSAT_AT | keeps << KEEP_NAN_AT


def _set_ctrl(site: Site) -> Run:
    def run(core: Core, value: Lanes) -> None:
        kind, operation = (value >> TYPE_AT) & 7, (value >> OPERATION_AT) & 3
        nosat, keeps = (value >> NOSAT_AT) & 1, (value >> KEEP_NAN_AT) & 1
        others = value.ne(_packed(kind, operation, nosat, keeps))
        unknown = (kind > max(TYPES)) | (operation >= len(OPERATIONS))
        core.refuse(site, others | unknown, "PTO0914", "bits of CTRL are not modelled")
        core.write_register(site, TYPE, kind)
        core.write_register(site, OPERATION, operation)
        core.write_register(site, NOSAT, nosat)
        core.write_register(site, KEEP_NAN, keeps)

    return run


_CTRL_EVIDENCE = Evidence(
    "bits",
    "chosen",
    "Bits 6 to 10 are those of atomic stores, 48 and 50 those of numbers beyond a format: 48 is "
    "1 at launch, the others are 0. None of the rest is modelled, and any other value is refused.",
)
get_ctrl = Record(
    "pto.get_ctrl",
    GROUP,
    "Reads the control register.",
    (Form(results=(Operand("result", ScalarIn((I64,))),), syntax=": result"),),
    _get_ctrl,
    pipe=SCALAR_PIPE,
    where="anywhere",
    pure=False,
    evidence=(_CTRL_EVIDENCE,),
    formula="result = CTRL",
    cpp="get_ctrl()",
)
set_ctrl = Record(
    "pto.set_ctrl",
    GROUP,
    "Writes the control register.",
    (Form((Operand("value", ScalarIn((I64,)), example=0),)),),
    _set_ctrl,
    pipe=SCALAR_PIPE,
    where="anywhere",
    pure=False,
    sets=RegisterSetting(TYPE),
    evidence=(_CTRL_EVIDENCE,),
    formula="CTRL = value",
    cpp="set_ctrl(value)",
)

_EVIDENCE = (
    Evidence(
        "fields",
        "micro",
        "Type and operation are two fields of CTRL, set in either order; without a type, as "
        "set_atomic_none leaves it, stores are plain.",
    ),
    Evidence(
        "stores", "micro", "Copies of UB to GM (PIPE_MTE3); scalar stores to GM have their own."
    ),
    Evidence(
        "begin and end",
        "chosen",
        "A copy takes along what is set when it is issued: the vendor's examples switch it off "
        "right after the copy. At launch nothing is set, and a block sets for itself alone.",
    ),
    Evidence(
        "values",
        "chosen",
        "Integers wrap. A sum of floats is rounded to nearest, ties to even. A maximum or minimum "
        "is NaN if either is; of equal ones what is there stays.",
    ),
    Evidence(
        "parts of an element",
        "chosen",
        "A row of whole elements, at addresses in GM that are multiples of one, or a fault.",
    ),
    Evidence("cycles", "chosen", "Those of a plain store: nobody has published others."),
)


def _setting(name: str, field: str, number: int, doc: str) -> Record:
    """An instruction that sets a field."""

    def meaning(site: Site) -> Run:
        def run(core: Core) -> None:
            core.write_register(site, field, core.constant(I64, 1, number))

        return run

    return Record(
        f"pto.set_atomic_{name}",
        GROUP,
        doc,
        (Form(syntax="none"),),
        meaning,
        pipe=SCALAR_PIPE,
        where="outside",
        pure=False,
        sets=RegisterSetting(field, number),
        evidence=_EVIDENCE,
        formula=f"{field} = {number}",
        cpp=f"set_atomic_{name}()",
        shown_by=mte_ub_gm,
    )


set_atomic_none = _setting("none", TYPE, 0, "Makes later stores to GM plain again.")
_LEFT = {"add": "the sum", "max": "the greater", "min": "the lesser"}

RECORDS = (
    get_ctrl,
    set_ctrl,
    *(
        _setting(
            name,
            OPERATION,
            number,
            f"Later atomic stores leave {_LEFT[name]} of what is in GM and what is stored.",
        )
        for number, name in enumerate(OPERATIONS)
    ),
    *(
        _setting(
            atomics.suffix(dtype),
            TYPE,
            number,
            f"Makes later stores to GM atomic, of {atomics.suffix(dtype)} elements.",
        )
        for number, dtype in TYPES.items()
    ),
    set_atomic_none,
)
