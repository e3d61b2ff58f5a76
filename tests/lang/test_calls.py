"""What arguments of an instruction mean: numbers, masks that are left out, forms, mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ptoscope import pto as language
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I16, I32, I64, INDEX, SI32, UI8, UI32
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg
from ptoscope.lang.compile.emitter import Emitter
from ptoscope.lang.maker import making
from ptoscope.lang.values import Misuse, wrapped
from ptoscope.program import Op


class Calls:
    """Calls instructions, and looks at what was written down."""

    def __init__(self) -> None:
        self.emitter = Emitter(TARGETS["a5"], "manual")

    def value(self, kind: Type) -> Any:
        return wrapped(kind, self.emitter.slot(kind))

    def vector(self, dtype: Any = F32) -> Any:
        return self.value(VReg(dtype))

    def scalar(self, dtype: Any) -> Any:
        return self.value(Scalar(dtype))

    def ub(self, dtype: Any = F32) -> Any:
        return self.value(Ptr(dtype, "ub"))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(language, name)

    @property
    def last(self) -> Op:
        return self.emitter.ops[-1]

    def taken(self) -> list[str]:
        """The types of the last operation's operands."""
        return [str(self.emitter.types[slot]) for slot in self.last.operands]

    def given(self) -> list[str]:
        """The types of its results."""
        return [str(self.emitter.types[slot]) for slot in self.last.results]

    def constants(self) -> list[tuple[str, Any]]:
        """The constants that were made, with their types."""
        return [
            (str(self.emitter.types[op.results[0]]), op.attrs["value"]) for op in self.emitter.head
        ]


@pytest.fixture
def pto() -> Iterator[Calls]:
    calls = Calls()
    with making(calls.emitter):
        yield calls


def test_numbers_take_the_type_of_the_vector(pto: Calls) -> None:
    for dtype, number in ((F32, 2), (F16, 0.5), (SI32, -7), (UI32, 2**32 - 1), (I8, 255)):
        pto.vadds(pto.vector(dtype), number)
    # Scalars around instructions carry no sign.
    assert pto.constants() == [
        ("f32", 2.0),
        ("f16", 0.5),
        ("i32", -7),
        ("i32", 2**32 - 1),
        ("i8", 255),
    ]


def test_numbers_are_what_the_operand_is(pto: Calls) -> None:
    pto.vslide(pto.vector(), pto.vector(), 3)
    pto.vlds(pto.ub(), 64)
    pto.set_mov_pad_val(5)
    pto.set_mov_pad_val(5.0)
    pto.vstus(pto.value(Align()), 8, pto.vector(), pto.ub())
    assert pto.constants() == [("i16", 3), ("index", 64), ("i32", 5), ("f32", 5.0), ("i32", 8)]


def test_an_index_becomes_what_is_wanted(pto: Calls) -> None:
    here = pto.scalar(INDEX)
    for name, wanted in (("plt_b32", "i32"), ("set_ctrl", "i64")):
        getattr(pto, name)(here)
        assert pto.taken() == [wanted]
    pto.vshift(pto.vector(), here)
    assert pto.taken()[1] == "i16"
    pto.vlds(pto.ub(), pto.scalar(I32))
    assert pto.taken()[1] == "index"
    pto.vadds(pto.vector(SI32), here)
    assert pto.taken()[1] == "i32"


def test_a_mask_that_is_left_out_is_as_fine_as_the_data(pto: Calls) -> None:
    for dtype, bits in ((F32, 32), (BF16, 16), (UI8, 8), (I64, 32)):
        pto.vsts(pto.vector(dtype), pto.ub(dtype), 0)
        assert pto.taken()[-1] == f"!pto.mask<b{bits}>"
    m = pto.value(Mask(16))
    pto.pand(m, m)
    assert pto.taken() == ["!pto.mask<b16>"] * 3
    # PK_B32 packs lanes of 32 bits, whatever the pointer's elements are.
    pto.vsts(pto.vector(I16), pto.ub(I16), 0, dist="PK_B32")
    assert pto.taken()[-1] == "!pto.mask<b32>"


def test_none_is_left_out(pto: Calls) -> None:
    pto.vadd(pto.vector(), pto.vector(), None)
    assert pto.taken()[-1] == "!pto.mask<b32>"


def test_which_form_is_meant(pto: Calls) -> None:
    source, offsets, mask = pto.ub(), pto.vector(UI32), pto.value(Mask(32))
    pto.vgather2(source, offsets, mask)
    assert pto.last.form == 0
    pto.vgather2(source, offsets, 8)
    assert pto.last.form == 1
    pto.vgather2(source, offsets, active_lanes=8)
    assert pto.last.form == 1
    pto.set_flag("PIPE_MTE2", "PIPE_V", "EVENT_ID3")
    assert (pto.last.form, pto.last.attrs["event"]) == (0, "EVENT_ID3")
    pto.set_flag("PIPE_MTE2", "PIPE_V", pto.scalar(I64))
    assert pto.last.form == 1
    pto.get_buf("PIPE_V", 3)
    assert (pto.last.form, pto.last.attrs) == (0, {"pipe": "PIPE_V", "id": 3, "mode": 0})
    pto.get_buf("PIPE_V", pto.scalar(INDEX), 0)
    assert (pto.last.form, pto.taken()) == (1, ["index", "i64"])


def test_after_the_access(pto: Calls) -> None:
    vector, after = pto.vlds(pto.ub(), 64, update=True)
    assert (str(vector.type), str(after.type)) == ("!pto.vreg<64xf32>", "!pto.ptr<f32, ub>")
    assert pto.vsts(vector, after, 0) is None
    state = pto.value(Align())
    assert len(pto.vldus(after, state)) == 2
    assert len(pto.vldus(after, state, update=True)) == 3
    assert len(pto.vldus(after, state, 8)) == 3


def test_clauses(pto: Calls) -> None:
    gm, ub = pto.value(Ptr(F32, "gm")), pto.ub()
    pto.mte_gm_ub(gm, ub, 0, 256, nburst=(2, 256, 256), loop=[(2, 512, 512), (3, 9, 9)], pad=0.0)
    assert pto.last.segments == (("nburst", 3), ("loop", 3), ("loop", 3), ("pad", 1))
    assert pto.taken()[4:] == ["i64"] * 9 + ["f32"]


def test_results_that_are_said(pto: Calls) -> None:
    half = pto.vcvt(pto.vector(), dtype=F16)
    assert str(half.type) == "!pto.vreg<128xf16>"
    assert str(pto.castptr(pto.ub(), dtype=I8).type) == "!pto.ptr<i8, ub>"
    assert str(pto.castptr(64, dtype=I8).type) == "!pto.ptr<i8, ub>"
    assert str(pto.castptr(64, dtype=I8, space="gm").type) == "!pto.ptr<i8, gm>"
    assert str(pto.castptr(pto.ub()).type) == "i64"
    assert str(pto.plds(pto.ub(UI8), 0, "NORM", dtype=F16).type) == "!pto.mask<b16>"
    assert pto.vag(4, dtype=F16).type == VAddr(16)
    # What is unpacked keeps its sign, unless another is said.
    assert str(pto.vsunpack(pto.vector(UI8), 0).type) == "!pto.vreg<128xui16>"
    assert str(pto.vsunpack(pto.vector(UI8), 0, dtype=I16).type) == "!pto.vreg<128xi16>"


def test_arith_under_its_own_names(pto: Calls) -> None:
    n = pto.scalar(I32)
    assert str(pto.ceildivsi(n, 2).type) == "i32"
    assert str(pto.divui(n, pto.scalar(INDEX)).type) == "index"
    low, high = pto.mulsi_extended(n, n)
    assert (str(low.type), str(high.type)) == ("i32", "i32")
    assert str(pto.bitcast(n, dtype=F32).type) == "f32"
    assert str(pto.extui(n, dtype=I64).type) == "i64"
    assert str(pto.maxnumf(pto.scalar(F32), 0.0).type) == "f32"
    assert str(pto.select(pto.cmpi(n, 3, predicate="ult"), pto.ub(), pto.ub()).type) == (
        "!pto.ptr<f32, ub>"
    )
    assert str(pto.sqrt(2.0).type) == "f32"


def test_operators(pto: Calls) -> None:
    v, w, m = pto.vector(I32), pto.vector(I32), pto.value(Mask(32))
    expected = {
        "vadd": v + w, "vadds": 2 + v, "vsub": v - w, "vsubs": v - 1, "vmul": v * w,
        "vmuls": 2 * v, "vdiv": v / w, "vand": v & w, "vands": 7 & v, "vor": v | w, "vors": v | 1,
        "vxor": v ^ w, "vxors": 1 ^ v, "vshl": v << w, "vshls": v << 2, "vshr": v >> w,
        "vshrs": v >> 1, "vneg": -v, "vabs": abs(v), "vnot": ~v, "pand": m & m, "por": m | m,
        "pxor": m ^ m, "pnot": ~m,
    }  # fmt: skip
    made = {op.results[0]: op.name for op in pto.emitter.ops if op.results}
    assert {made[value.handle]: value for value in expected.values()}.keys() == {
        f"pto.{name}" for name in expected
    }
    for value, mode in (
        (v < w, "lt"),
        (v > 3, "gt"),
        (v >= 3, "ge"),
        (v == w, "eq"),
        (v != 3, "ne"),
    ):
        op = next(op for op in pto.emitter.ops if value.handle in op.results)
        assert (op.name in ("pto.vcmp", "pto.vcmps"), op.attrs["mode"]) == (True, mode)
    a = pto.scalar(F32)
    product = a * pto.vector()
    assert str(product.type) == "!pto.vreg<64xf32>"


MISTAKES: list[tuple[Callable[[Calls], Any], str, str]] = [
    (
        lambda p: p.vadd(p.vector(), p.vector(F16)),
        "rhs of vadd cannot be a vector of f16",
        "!pto.vreg<64xf32>",
    ),
    (
        lambda p: p.vadds(p.vector(UI32), -1),
        "scalar of vadds cannot be -1",
        "from 0 to 4294967295, as ui32",
    ),
    (lambda p: p.vadds(p.vector(I32), 0.5), "scalar of vadds cannot be float 0.5", "i32"),
    (
        lambda p: p.vadds(p.vector(), p.scalar(F16)),
        "scalar of vadds cannot be a value of type f16",
        "f32",
    ),
    (
        lambda p: p.vslide(p.vector(), p.vector(), 1 << 16),
        "amount of vslide cannot be 65536",
        "from -32768 to 65535, as i16",
    ),
    (lambda p: p.vadd(p.vector()), "vadd needs rhs", "vadd(lhs, rhs, mask=...)"),
    (
        lambda p: p.vexp(p.vector(), p.value(Mask(8))),
        "mask of vexp cannot be a mask",
        "!pto.mask<b32>",
    ),
    (
        lambda p: p.vcmp(p.vector(), p.vector(), mode="less"),
        "mode of vcmp cannot be str 'less'",
        "eq, ne, lt, le, gt, ge",
    ),
    (lambda p: p.get_buf("PIPE_V", 32), "id of get_buf cannot be int 32", "0 to 31"),
    (lambda p: p.vexp(p.vector(), p=1), "vexp has no argument 'p'", "input, mask"),
    (lambda p: p.vexp(p.vector(), update=True), "vexp has no argument 'update'", "input, mask"),
    (
        lambda p: p.vcvt(p.vector()),
        "nothing says the type of result of vcvt",
        "!pto.vreg<NxU>",
    ),
    (
        lambda p: p.vadd(p.vector(), p.vector(), p.value(Mask(32)), 1),
        "vadd takes 3 arguments, found more",
        "vadd(lhs, rhs, mask=...)",
    ),
    (
        lambda p: p.mte_ub_ub(p.ub(), p.ub(), 32, nburst=(1, 0)),
        "nburst of mte_ub_ub has 3 numbers",
        "nburst=(n_burst, src_gap, dst_gap)",
    ),
    (
        lambda p: p.mte_gm_ub(p.gm(), p.ub(), 0, 256, nburst=(1, 256, 256), pad=(0.0, 1)),
        "pad of mte_gm_ub has 3 numbers",
        "pad=(pad_value, left, right)",
    ),
]


@pytest.mark.parametrize(("wrong", "message", "expected"), MISTAKES)
def test_a_mistake_names_what_is_wrong(
    pto: Calls, wrong: Callable[[Calls], Any], message: str, expected: str
) -> None:
    with pytest.raises(Misuse) as raised:
        wrong(pto)
    assert (raised.value.message, raised.value.expected) == (message, expected)


def test_words_behind_a_mask_are_given_by_name(pto: Calls) -> None:
    with pytest.raises(Misuse) as raised:
        pto.vcmp(pto.vector(), pto.vector(), "lt")
    assert raised.value.hint == "give it by its name: mode='lt'"
