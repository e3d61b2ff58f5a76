"""Where the behaviour of what drains L0C comes from."""

from __future__ import annotations

from ptoscope.isa.record import Evidence
from ptoscope.isa.saturation import OUTSIDE

EVIDENCE = (
    Evidence("order", "micro", "Scale, relu, clip, conversion, all but the last in f32."),
    Evidence(
        "src_stride",
        "suite",
        "Units of 64 bytes, which are 16 results; with the 32 of the text most public kernels "
        "would read other results.",
    ),
    Evidence("dst_stride", "micro", "Elements of the destination."),
    Evidence(
        "fields",
        "chosen",
        "As wide as compilers pack them: 12 bits for n, 32 for strides of the destination, 16 for "
        "the others.",
    ),
    Evidence("no layout written", "chosen", "nz2nd, which compilers make of it."),
    Evidence(
        "nz2dn",
        "suite",
        "Columns one after the other. That loop0_src_stride is the step from row to row in L0C is "
        "chosen: public kernels have 1.",
    ),
    Evidence(
        "nz2nz",
        "chosen",
        "Blocks of 16 columns, dst_stride from one to the next; with split 1 each is two blocks "
        "of 8, so that a row is 32 bytes: compilers call it a split of channels of f32.",
    ),
    Evidence(
        "scales of columns",
        "suite",
        "A word of 64 bits for each: the f32 of its upper 19 bits of the lower 32.",
    ),
    Evidence(
        "offset and sign of columns",
        "chosen",
        "Bits 37 to 45, two's complement, are added to what is scaled; bit 46 says that 8-bit "
        "results are signed. The public library has the fields, but reads the offset unsigned, "
        "which leaves no place for that of most signed results.",
    ),
    Evidence(
        "sign with a scalar",
        "chosen",
        "That of the destination's type: a floating scale has no room for one.",
    ),
    Evidence(
        "factors of columns",
        "suite",
        "A word of 32 bits for each. That it has the 19 bits of scales is chosen.",
    ),
    Evidence(
        "integers",
        "chosen",
        "Scaled as f32, then the offset is added, rounded to nearest even and limited to the type, "
        "as the public library does for 8 bits; NaN is 0.",
    ),
    Evidence(
        "through f16",
        "chosen",
        "qf162 modes: the result as f16, then scaled as f32; no document says where it is rounded.",
    ),
    Evidence("rounding", "micro", "To nearest even; that of fp8 is chosen."),
    Evidence("rounding to hif8", "chosen", "Ties away from zero, as public kernels convert."),
    Evidence(
        "NaN in pre_relu and clip",
        "chosen",
        "normal_relu makes 0 of it, as vrelu does; otherwise it stays.",
    ),
    Evidence("sat", "micro", "Infinities become the largest number, NaN 0, but not of f32."),
    OUTSIDE,
    Evidence(
        "unit flags",
        "chosen",
        "That of the tile where the source begins. See the matrix unit's instructions.",
    ),
    Evidence(
        "unit flags of nz2dn",
        "micro",
        "With a loop0_src_stride of 1 only. Compilers want a constant there; a number that a run "
        "computes is checked by the run.",
    ),
    Evidence(
        "unit flags of moves to L1 and UB",
        "micro",
        "As of moves to GM: the syntax of each page has the clause. Compilers may refuse it.",
    ),
    Evidence(
        "two destinations",
        "micro",
        "split_m of an even m, split_n of an n that is a multiple of 32, in normal layout or nz2nd "
        "and without pre_quant, pre_relu and loop3. Compilers check the same of constants; other "
        "numbers are checked by the run.",
    ),
    Evidence("alignment", "chosen", "64 bytes in L0C, in FB a row of parameters: 128 and 64."),
)
