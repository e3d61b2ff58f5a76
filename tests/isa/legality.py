"""Which element types each instruction takes, as the documents say.

`MANUAL` and `MICRO` list the types of each revision; a target removes some of them.
Neither document gives i64 a row of its own in the manual; the micro specification has it
for sums, bitwise operations and shifts, and the revisions do not differ there.
"""

from __future__ import annotations

from tests.isa.elements import FLOATS, INTS, INTS8, INTS16, INTS32, INTS64, NARROW

ALL_INTS = INTS + INTS64
EVERYTHING = FLOATS + ALL_INTS + NARROW
DIVIDED = ("i16", "si16", "i32", "si32")

MANUAL: dict[str, tuple[str, ...]] = {
    "vadd": FLOATS + ALL_INTS,
    "vsub": FLOATS + ALL_INTS,
    "vmul": FLOATS + INTS,
    "vdiv": ("f32", "f16"),
    "vmax": FLOATS + INTS,
    "vmin": FLOATS + INTS,
    "vand": ALL_INTS,
    "vor": ALL_INTS,
    "vxor": ALL_INTS,
    "vshl": ALL_INTS,
    "vshr": ALL_INTS,
    "vaddc": INTS32,
    "vsubc": INTS32,
    "vadds": FLOATS + INTS,
    "vsubs": FLOATS + INTS,
    "vmuls": FLOATS + INTS,
    "vmaxs": FLOATS + INTS,
    "vmins": FLOATS + INTS,
    "vands": INTS,
    "vors": INTS,
    "vxors": INTS,
    "vshls": INTS,
    "vshrs": INTS,
    "vlrelu": ("f32", "f16"),
    "vaddcs": INTS32,
    "vsubcs": INTS32,
    "vabs": ("f32", "f16", *INTS),
    "vneg": ("f32", "f16", *INTS),
    "vexp": ("f32", "f16"),
    "vrelu": ("f32", "f16"),
    "vbr": FLOATS + INTS,
    "vdup": FLOATS + INTS,
    "vcadd": ("f32", "f16", *ALL_INTS),
    "vcmax": ("f32", "f16", *INTS16, *INTS32),
    "vcmin": ("f32", "f16", *INTS16, *INTS32),
    "vci": ("i8", "si8", "i16", "si16", "i32", "si32", "f16", "f32"),
    "vcvt": FLOATS + INTS + ("i64", "si64") + NARROW,
    "vtrc": FLOATS,
    "vbitcast": EVERYTHING,
    "vlds": EVERYTHING,
    "vsts": EVERYTHING,
    "mte_gm_ub": EVERYTHING,
    "mte_ub_gm": EVERYTHING,
    "copy_gm_to_ubuf": EVERYTHING,
    "copy_ubuf_to_gm": EVERYTHING,
}
MICRO = MANUAL | {
    "vcadd": ("f32", "f16", *INTS),
    "vdiv": ("f32", "f16", *DIVIDED),
    "vrelu": ("f32", "f16", "i32", "si32"),
    "vand": ALL_INTS + FLOATS,
    "vor": ALL_INTS + FLOATS,
    "vxor": ALL_INTS + FLOATS,
}
MISSING = {
    "a5": {"vmul": INTS8, "vmuls": INTS8},
    "a2a3": {"vdiv": DIVIDED},
    "cpu": {},
}
"""What a target lacks, beside the narrow floats."""


def legal(name: str, target: str, revision: str) -> set[str]:
    """The element types of an instruction."""
    types = set((MICRO if revision == "micro" else MANUAL)[name])
    return types - set(MISSING[target].get(name, ())) - set(() if target == "a5" else NARROW)


def cases(names: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """Every (instruction, element type, target, revision), one target for each type: a5, or
    a2a3 for what a5 lacks."""
    out: list[tuple[str, str, str, str]] = []
    for name in names:
        for revision in ("manual", "micro"):
            for target in ("a5", "a2a3"):
                seen = legal(name, "a5", revision) if target == "a2a3" else set[str]()
                new = legal(name, target, revision) - seen
                out += [(name, dtype, target, revision) for dtype in sorted(new)]
    return out
