"""What the documents demand: each rule in our words, and a kernel that breaks it.

A kernel is the body of a function in which these values exist: `%ub` (f32, at address 0),
`%out` (f32, behind what is loaded from `%ub`), `%odd` (4 bytes behind `%out`), `%skew` (2 bytes
behind it), `%words` and `%skew_words` (i64, at `%ub` and `%odd`), `%gm` and `%gm_out` (f32 in GM),
`%gm_words` (i64 in GM), and inside the vector scope `%m` (b32), `%h` (b16), `%v`, `%w` (f32,
loaded from `%ub`), `%i` (i32 vector, all 0), `%u` (ui32 vector, all 0).
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
    """A rule, and the code that a kernel breaking it gets: of a check, or of a fault.

    `body` stands in the kernel's vector scope, `before` and `after` around the scope. Without
    a code, `reason` says why no kernel can break it, or that it is not enforced yet.
    """

    document: str
    instruction: str
    rule: str
    code: str = ""
    body: str = ""
    target: str = "a5"
    reason: str = ""
    before: str = ""
    after: str = ""
    also: tuple[str, ...] = ()
    """Codes of what follows from it."""

    @property
    def runs(self) -> bool:
        """Whether it is the run that finds it."""
        return self.code.startswith("PTO09")


NOT_A_RULE = "says what happens; there is nothing to break"
LOWERING = "binds the machine and its compilers; the engines keep it"
DEPENDENCE = "not yet enforced: needs to follow inactive lanes to what is stored"


def kernel(must: Must) -> str:
    """The kernel that breaks a rule."""
    body = _indented(must.body, 4)
    return f"""\
func.func @broken(
    %gm: !pto.ptr<f32, gm>, %gm_words: !pto.ptr<i64, gm>, %gm_out: !pto.ptr<f32, gm>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %k = arith.constant 0 : i16
  %half = arith.constant 0.5 : f32
  %bf = arith.constant 0.5 : bf16
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %behind = arith.constant 1024 : i64
  %by_four = arith.constant 1028 : i64
  %by_two = arith.constant 1026 : i64
  %ub = pto.castptr %zero : i64 -> {P}
  %out = pto.castptr %behind : i64 -> {P}
  %odd = pto.castptr %by_four : i64 -> {P}
  %skew = pto.castptr %by_two : i64 -> {P}
  %words = pto.castptr %zero : i64 -> {W}
  %skew_words = pto.castptr %by_four : i64 -> {W}
{_indented(must.before, 2)}
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {M}
    %h = pto.pset_b16 "PAT_ALL" : {M16}
    %v = pto.vlds %ub[%c0] : {P} -> {F}
    %w = pto.vlds %ub[%c0] : {P} -> {F}
    %i = pto.vbr %z : i32 -> {S}
    %u = pto.vbr %z : i32 -> {U}
{body}
  }}
{_indented(must.after, 2)}
  return
}}
"""


def _indented(lines: str, by: int) -> str:
    return "\n".join(" " * by + row for row in lines.splitlines())


# Snippets that several rules share.
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


def _fill(dest: str) -> str:
    types = f"!pto.ptr<f32, gm>, {P}, i64, i64, i64, i64, i64"
    return f"pto.mte_gm_ub %gm, {dest}, %zero, %row nburst(%one, %row, %row) : {types}"


# Copies: the input alone, and with the flag that lets the vector pipe read it.
INPUT = _fill("%ub")
ARRIVED = (
    f'{INPUT}\npto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]\n'
    'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
)
REFILL = _fill("%out")
STORE = f"pto.vsts %v, %out[%c0], %m : {F}, {P}, {M}"
OUTPUT = (
    "pto.mte_ub_gm %out, %gm_out, %row nburst(%one, %row, %row)"
    f" : {P}, !pto.ptr<f32, gm>, i64, i64, i64, i64"
)
