"""Demands of the document of loads and stores."""

from __future__ import annotations

from tests.docs.musts import (
    AGAIN,
    ARRIVED,
    BEGIN,
    INPUT,
    LOAD,
    LOWERING,
    MISPLACED,
    NOT_A_RULE,
    OUTPUT,
    STORE,
    STREAM,
    UNPRIMED,
    VSTU_A,
    VSTU_B,
    VSTUR_B,
    VSTUS_A,
    VSTUS_B,
    A,
    F,
    L,
    M,
    Must,
    P,
    S,
    U,
    W,
)
from tests.documents.harness import LOAD_STORE

MUSTS = (
    Must(
        LOAD_STORE,
        "vadd",
        "All vector compute operates only on vreg.",
        "PTO0101",
        f"%r = pto.vadd %ub, %w, %m : {P}, {F}, {M} -> {F}",
    ),
    Must(
        LOAD_STORE,
        "wait_flag",
        "Wait: V must wait for MTE2 signal",
        "PTO0607",
        before=INPUT,
    ),
    Must(
        LOAD_STORE,
        "wait_flag",
        "Wait: MTE3 must wait for V signal",
        "PTO0607",
        STORE,
        before=ARRIVED,
        after=OUTPUT,
    ),
    Must(
        LOAD_STORE,
        "get_buf",
        "no explicit event IDs or loop peeling required.",
        reason=NOT_A_RULE,
    ),
    Must(
        LOAD_STORE,
        "vlds",
        "The base pointer MUST address the vector tile buffer (implemented on current hardware "
        "by the Unified Buffer / UB).",
        "PTO0101",
        f"%r = pto.vlds %gm[%c0] : !pto.ptr<f32, gm> -> {F}",
    ),
    Must(
        LOAD_STORE,
        "vstu",
        "the effective address and any post-update behavior MUST match the selected instruction "
        "form.",
        "PTO0103",
        VSTU_B.replace("POST_UPDATE", "PRE_UPDATE") + f"\npto.vstar %b, %odd : {A}, {P}",
    ),
    Must(
        LOAD_STORE,
        "vsts",
        "inactive lanes or inactive blocks MUST NOT issue memory requests unless the instruction "
        "explicitly documents a different behavior.",
        reason=LOWERING,
    ),
    Must(
        LOAD_STORE,
        "vlds",
        "The effective address MUST satisfy the alignment rule of the selected distribution mode.",
        "PTO0502",
        MISPLACED,
    ),
    Must(
        LOAD_STORE,
        "vlds",
        "DINTLV_B32 Deinterleave 32-bit Even elements only",
        reason=NOT_A_RULE,
    ),
    Must(
        LOAD_STORE,
        "vldas",
        "This op is the required leading operation for a pto.vldus stream using the same "
        "alignment state.",
        "PTO0401",
        UNPRIMED,
    ),
    Must(
        LOAD_STORE,
        "vldus",
        "A matching pto.vldas MUST appear before the first dependent pto.vldus stream in the same "
        "vector loop.",
        "PTO0401",
        UNPRIMED,
    ),
    Must(
        LOAD_STORE,
        "vldsx2",
        "This instruction set is only legal for interleave/deinterleave style distributions.",
        "PTO0103",
        f'%r, %s = pto.vldsx2 %ub[%c0], "NORM" : {P}, index -> {F}, {F}',
    ),
    Must(
        LOAD_STORE,
        "vldsx2",
        "The two outputs form an ordered pair, and that pairing MUST be preserved.",
        reason=LOWERING,
    ),
    Must(
        LOAD_STORE,
        "vsldb",
        "If a block is masked off, the corresponding destination block is zeroed and MUST NOT "
        "raise an address overflow exception for that block.",
        reason=LOWERING,
    ),
    Must(
        LOAD_STORE,
        "vgather2",
        "Only the first %active_lanes indices participate.",
        reason=NOT_A_RULE,
    ),
    Must(
        LOAD_STORE,
        "vgather2",
        "The index element width and interpretation MUST match the selected gather form",
        "PTO0101",
        "%s = pto.vbr %k : i16 -> !pto.vreg<128xi16>\n"
        f"%r = pto.vgather2 %ub, %s, %m : {P}, !pto.vreg<128xi16>, {M} -> {F}",
    ),
    Must(
        LOAD_STORE,
        "vgather2",
        "each effective address must satisfy that form's alignment rules.",
        "PTO0903",
        f"%r = pto.vgather2 %skew, %u, %m : {P}, {U}, {M} -> {F}",
    ),
    Must(
        LOAD_STORE,
        "vgatherb",
        "%source MUST be 32-byte aligned",
        "PTO0903",
        f"%r = pto.vgatherb %odd, %u, %m : {P}, {U}, {M} -> {F}",
    ),
    Must(
        LOAD_STORE,
        "vgatherb",
        "each participating offset MUST describe a 32-byte-aligned block",
        "PTO0903",
        f"%s = pto.vci %z : i32 -> {S}\n%r = pto.vgatherb %ub, %s, %m : {P}, {S}, {M} -> {F}",
    ),
    Must(
        LOAD_STORE,
        "vsts",
        "The effective destination address MUST satisfy the alignment rule of the selected store "
        "mode.",
        "PTO0502",
        f"pto.vsts %v, %odd[%c0], %m : {F}, {P}, {M}",
    ),
    Must(
        LOAD_STORE,
        "vsts",
        "Narrowing/packing modes may only preserve a subset of the source bits.",
        reason=NOT_A_RULE,
    ),
    Must(
        LOAD_STORE,
        "vstsx2",
        "This instruction set is only legal for interleave distributions.",
        "PTO0103",
        f'pto.vstsx2 %v, %w, %ub[%c0], "NORM", %m : {F}, {F}, {P}, index, {M}',
    ),
    Must(
        LOAD_STORE,
        "vstsx2",
        "The two source vectors form an ordered pair, and the interleave semantics of that pair "
        "MUST be preserved.",
        reason=LOWERING,
    ),
    Must(
        LOAD_STORE,
        "vscatter",
        "Only b8, b16, and b32 element sizes are supported.",
        "PTO0102",
        f"{LOAD}\npto.vscatter %r, %words, %r, %m : {L}, {W}, {L}, {M}",
    ),
    Must(
        LOAD_STORE,
        "vscatter",
        "The index vector must use a supported integer element type and layout for this "
        "instruction set.",
        "PTO0101",
        f"pto.vscatter %v, %ub, %w, %m : {F}, {P}, {F}, {M}",
    ),
    Must(
        LOAD_STORE,
        "vscatter",
        "Each computed address MUST be element-aligned.",
        "PTO0903",
        f"pto.vscatter %v, %skew, %u, %m : {F}, {P}, {U}, {M}",
    ),
    Must(
        LOAD_STORE,
        "vscatter",
        "If two or more indices alias, only one write is guaranteed and the winning lane is "
        "undefined behavior on A2/A3 (scatter aliases are illegal and must not occur)",
        "PTO0205",
        f"pto.vscatter %v, %ub, %u, %m : {F}, {P}, {U}, {M}",
        target="a2a3",
    ),
    Must(
        LOAD_STORE,
        "vsta",
        "The flush address MUST match the post-updated address expected by the preceding "
        "unaligned-store stream.",
        "PTO0405",
        f"{STREAM}\npto.vsta %b, %odd[%c0] : {A}, {P}, index",
    ),
    Must(
        LOAD_STORE,
        "vstu",
        "A final pto.vsta / pto.vstas / pto.vstar is still required to flush the trailing "
        "buffered bytes.",
        "PTO0402",
        VSTU_A,
    ),
    Must(
        LOAD_STORE,
        "vstu",
        "The alignment state MUST be threaded in program order.",
        "PTO0403",
        AGAIN,
    ),
    Must(
        LOAD_STORE,
        "vstu",
        "A terminating flush form such as pto.vstar/pto.vstas is still required to commit the "
        "buffered tail bytes.",
        "PTO0402",
        VSTU_B,
    ),
    Must(
        LOAD_STORE,
        "vstus",
        "The same final flush requirement and state-threading constraints as pto.vstu apply.",
        "PTO0402",
        VSTUS_A,
    ),
    Must(
        LOAD_STORE,
        "vstus",
        "The scalar offset width",
        "PTO0101",
        VSTUS_B.replace("%z,", "%zero,").replace("i32", "i64") + f"\npto.vstar %b, %odd : {A}, {P}",
    ),
    Must(
        LOAD_STORE,
        "vstus",
        "update mode MUST match the selected form",
        "PTO0103",
        VSTUS_B.replace("POST_UPDATE", "PRE_UPDATE") + f"\npto.vstar %b, %odd : {A}, {P}",
    ),
    Must(LOAD_STORE, "vstus", "and a later flush op is still required.", "PTO0402", VSTUS_B),
    Must(
        LOAD_STORE,
        "vstur",
        "This op updates only the residual alignment state.",
        reason=NOT_A_RULE,
    ),
    Must(
        LOAD_STORE,
        "vstur",
        "A matching flush op is still required to emit the trailing bytes.",
        "PTO0402",
        STREAM,
    ),
    Must(LOAD_STORE, "vstur", "This form exposes only the evolving state", reason=NOT_A_RULE),
    Must(
        LOAD_STORE,
        "vstur",
        "A compatible final flush is still required unless the surrounding sequence is known to "
        "be complete.",
        "PTO0402",
        VSTUR_B,
    ),
    Must(
        LOAD_STORE,
        "vstas",
        "MUST be paired with a compatible prior state-producing store sequence. The %offset",
        "PTO0404",
        f"{BEGIN}\npto.vstas %a, %ub, %z : {A}, {P}, i32",
    ),
    Must(
        LOAD_STORE,
        "vstar",
        "It MUST be paired with a compatible prior state-producing store sequence so that the "
        "pending tail state is well-defined.",
        "PTO0404",
        f"{BEGIN}\npto.vstar %a, %ub : {A}, {P}",
    ),
)
