"""What the documents demand: each sentence, and a kernel that breaks it.

A kernel is the body of a function in which these values exist: `%ub` (f32, at address 0),
`%odd` (f32, at address 4), `%words` (i64), `%gm` (f32 in GM), and inside the vector scope `%m`
(b32), `%h` (b16), `%v`, `%w` (f32), `%i` (i32 vector, all 0), `%u` (ui32 vector, all 0).
"""

from __future__ import annotations

from dataclasses import dataclass

F, S, U = "!pto.vreg<64xf32>", "!pto.vreg<64xi32>", "!pto.vreg<64xui32>"
L, B = "!pto.vreg<32xi64>", "!pto.vreg<256xi8>"
M, M16 = "!pto.mask<b32>", "!pto.mask<b16>"
P, W = "!pto.ptr<f32, ub>", "!pto.ptr<i64, ub>"
A = "!pto.align"


@dataclass(frozen=True)
class Must:
    """A sentence, and the code that a kernel breaking it gets: of a check, or of a fault.

    Without a code, `reason` says why no kernel can break it, or that it is not enforced yet.
    """

    document: str
    instruction: str
    sentence: str
    code: str = ""
    body: str = ""
    target: str = "a5"
    reason: str = ""

    @property
    def runs(self) -> bool:
        """Whether it is the run that finds it."""
        return self.code.startswith("PTO09")


NOT_A_RULE = "says what happens; there is nothing to break"
LOWERING = "binds the machine and its compilers; the engines keep it"
RACE = "not yet enforced: needs race detection over the whole program"
DEPENDENCE = "not yet enforced: needs to follow inactive lanes to what is stored"


def kernel(must: Must) -> str:
    """The kernel that breaks a sentence."""
    body = "\n".join(f"    {row}" for row in must.body.splitlines())
    return f"""\
func.func @broken(%gm: !pto.ptr<f32, gm>, %gm_words: !pto.ptr<i64, gm>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %k = arith.constant 0 : i16
  %half = arith.constant 0.5 : f32
  %bf = arith.constant 0.5 : bf16
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %two = arith.constant 2 : i64
  %ub = pto.castptr %zero : i64 -> {P}
  %odd = pto.castptr %four : i64 -> {P}
  %skew = pto.castptr %two : i64 -> {P}
  %words = pto.castptr %zero : i64 -> {W}
  %skew_words = pto.castptr %four : i64 -> {W}
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {M}
    %h = pto.pset_b16 "PAT_ALL" : {M16}
    %v = pto.vlds %ub[%c0] : {P} -> {F}
    %w = pto.vlds %ub[%c0] : {P} -> {F}
    %i = pto.vbr %z : i32 -> {S}
    %u = pto.vbr %z : i32 -> {U}
{body}
  }}
  return
}}
"""


# Snippets that several sentences share.
MISPLACED = f"%r = pto.vlds %odd[%c0] : {P} -> {F}"
LOAD = f"%r = pto.vlds %words[%c0] : {W} -> {L}"
BYTES = "%p = pto.castptr %zero : i64 -> !pto.ptr<i8, ub>"
BEGIN = f"%a = pto.init_align : {A}"
APPEND = f"%b = pto.vstur %a, %v, %odd : {A}, {F}, {P} -> {A}"
STREAM = f"{BEGIN}\n{APPEND}"
VSTU_A = (
    f"{BEGIN}\n%b, %n = pto.vstu %a, %odd, %v, %odd, %c1 : {A}, {P}, {F}, {P}, index -> {A}, {P}"
)
VSTU_B = (
    f'{BEGIN}\n%b, %n = pto.vstu %a, %c0, %v, %odd, "POST_UPDATE"'
    f" : {A}, index, {F}, {P} -> {A}, index"
)
VSTUS_A = (
    f"{BEGIN}\n%b, %n = pto.vstus %a, %odd, %v, %odd, %z : {A}, {P}, {F}, {P}, i32 -> {A}, {P}"
)
VSTUS_B = (
    f'{BEGIN}\n%b, %n = pto.vstus %a, %z, %v, %odd, "POST_UPDATE" : {A}, i32, {F}, {P} -> {A}, {P}'
)
VSTUR_B = f'{BEGIN}\n%b = pto.vstur %a, %v, %odd, "POST_UPDATE" : {A}, {F}, {P} -> {A}'
UNPRIMED = f"{BEGIN}\n%r, %b, %n = pto.vldus %odd, %a : {P}, {A} -> {F}, {A}, {P}"
AGAIN = f"{STREAM}\n%d = pto.vstur %a, %w, %odd : {A}, {F}, {P} -> {A}\n"
AGAIN += f"pto.vstar %b, %odd : {A}, {P}\npto.vstar %d, %odd : {A}, {P}"
