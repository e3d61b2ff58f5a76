"""The Python interface: load, call, errors."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptoscope

COPY = """\
module attributes {{pto.target_arch = "{target}"}} {{
  func.func @copy(%src: !pto.ptr<{dtype}, gm>, %dst: !pto.ptr<{dtype}, gm>, %bytes: i64) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<{dtype}, ub>
    pto.mte_gm_ub %src, %ub, %zero, %bytes nburst(%one, %zero, %zero)
      : !pto.ptr<{dtype}, gm>, !pto.ptr<{dtype}, ub>, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.mte_ub_gm %ub, %dst, %bytes nburst(%one, %zero, %zero)
      : !pto.ptr<{dtype}, ub>, !pto.ptr<{dtype}, gm>, i64, i64, i64, i64
    return
  }}
}}
"""


def copy_kernel(dtype: str = "f32", target: str = "a5") -> str:
    return COPY.format(dtype=dtype, target=target)


def test_text_and_paths_are_told_apart_by_the_newline(tmp_path: Path) -> None:
    file = tmp_path / "copy.pto"
    file.write_text(copy_kernel())
    for source in (copy_kernel(), file, str(file)):
        src, dst = np.arange(8, dtype=np.float32), np.zeros(8, dtype=np.float32)
        ptoscope.load(source)(src, dst, 32)
        assert np.array_equal(src, dst)
    with pytest.raises(ptoscope.UsageError, match="cannot read"):
        ptoscope.load("func.func @k() { return }")


class Printing:
    """A kernel of a front end that prints it, and calls something else its text."""

    text = "an axpy"

    def mlir_text(self) -> str:
        return copy_kernel()


class Holding:
    """A kernel of a front end that has its text, here in one line."""

    @property
    def text(self) -> str:
        return copy_kernel().replace("\n", " ")


@pytest.mark.parametrize("source", [Printing(), Holding()], ids=["mlir_text()", "text"])
def test_kernels_of_other_front_ends_are_loaded(source: Printing | Holding) -> None:
    kernel = ptoscope.load(source)
    src, dst = np.arange(8, dtype=np.float32), np.zeros(8, dtype=np.float32)
    kernel(src, dst, 32)
    assert np.array_equal(src, dst)
    again = pickle.loads(pickle.dumps(kernel))
    again(-src, dst, 32)
    assert np.array_equal(-src, dst)


def test_the_text_of_a_kernel_is_a_kernel() -> None:
    path = Path(__file__).parents[1] / "examples" / "row_softmax.pto"
    softmax = ptoscope.load(path)
    again = ptoscope.load(softmax.text)
    assert again.text == softmax.text == ptoscope.load(softmax).text
    x = np.random.default_rng(0).standard_normal((20, 128), np.float32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    softmax(x, y, 20)
    again(x, z, 20)
    assert np.array_equal(y.view(np.uint32), z.view(np.uint32))


def test_findings_in_a_text_of_another_front_end_name_its_type() -> None:
    wrong: Any = SimpleNamespace(text="func.func @k() {\n  nonsense\n}\n")
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(wrong)
    assert str(caught.value).startswith("<SimpleNamespace>:2:3: error[PTO0002]")


@pytest.mark.parametrize(
    ("source", "given"),
    [
        (None, "a NoneType"),
        (b"func.func @k()", "a bytes"),
        (Printing, "a type"),
        (SimpleNamespace(text=3), "a SimpleNamespace whose text is a int"),
        (SimpleNamespace(mlir_text=lambda: b""), "a SimpleNamespace whose mlir_text() is a bytes"),
    ],
)
def test_what_is_no_kernel_is_refused(source: Any, given: str) -> None:
    with pytest.raises(ptoscope.UsageError) as caught:
        ptoscope.load(source)
    assert str(caught.value) == (
        f"cannot read a kernel from {given}: pass a path, a text, or an object with mlir_text() or "
        "text; of a module that prints as its text, pass str(module)"
    )


def test_the_module_names_the_target_and_a_call_may_override_it() -> None:
    assert ptoscope.load(copy_kernel(target="a2a3")).target.name == "a2a3"
    assert ptoscope.load(copy_kernel(target="a2a3"), target="cpu").target.name == "cpu"
    assert ptoscope.load("func.func @k() {\n return\n}\n").target.name == "a5"
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel(target="a9"))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.line) == ("PTO0011", 1)
    with pytest.raises(ptoscope.UsageError, match="unknown target"):
        ptoscope.load(copy_kernel(), target="a9")
    with pytest.raises(ptoscope.UsageError, match="unknown revision"):
        ptoscope.load(copy_kernel(), revision="draft")


@pytest.mark.parametrize(
    ("dtype", "array"),
    [
        ("f32", np.float32),
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("bf16", np.uint16),
        ("i8", np.int8),
        ("i8", np.uint8),
        ("ui16", np.uint16),
        ("si32", np.int32),
        ("i64", np.int64),
        ("f8e4m3", ml_dtypes.float8_e4m3fn),
        ("f8e5m2", np.uint8),
    ],
)
def test_arrays_of_every_kind_are_moved_bit_for_bit(dtype: str, array: type) -> None:
    bits = np.random.default_rng(1).integers(0, 256, 96, dtype=np.uint8)
    src = bits.view(array)
    dst = np.zeros_like(src)
    ptoscope.load(copy_kernel(dtype))(src, dst, 96)
    assert dst.tobytes() == bits.tobytes()


def test_outputs_are_written_in_place_also_in_strided_arrays() -> None:
    kernel = ptoscope.load(copy_kernel())
    backing = np.zeros((8, 2), dtype=np.float32)
    src = np.arange(16, dtype=np.float32)[::2]
    kernel(src, backing[:, 1], 32)
    assert np.array_equal(backing[:, 1], src)
    assert not backing[:, 0].any()


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_only_what_the_kernel_wrote_goes_back_to_a_strided_array(engine: str) -> None:
    """The source shares memory with the destination, and is written by nobody."""
    memory = np.arange(32, dtype=np.float32)
    expected = memory.copy()
    expected[:8] = memory[:16:2]
    ptoscope.load(copy_kernel())(memory[:16:2], memory[:8], 32, engine=engine)
    assert np.array_equal(memory, expected)


def test_a_nan_that_a_kernel_leaves_in_a_strided_array_stays_as_it_was() -> None:
    memory = np.full(64, 0x7FC12345, np.uint32)
    ptoscope.load(copy_kernel())(memory[::2].view(np.float32), np.zeros(8, np.float32), 32)
    assert (memory == 0x7FC12345).all()


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.masked_array(np.zeros(8, np.float32), mask=[True] * 8)
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel())(masked, np.zeros(8, np.float32), 32)
    (said,) = caught.value.diagnostics
    assert (said.code, said.found) == ("PTO0803", "float32 masked array of shape (8,)")
    assert ".filled" in said.hint


class Interface:
    """Offers only `__array_interface__`."""

    def __init__(self, array: np.ndarray) -> None:
        self.__array_interface__ = array.__array_interface__
        self.array = array


class Capsule:
    """Offers only DLPack."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: object) -> object:
        return self.array.__dlpack__(**options)  # type: ignore[arg-type]

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("wrapper", [Interface, Capsule])
def test_foreign_arrays_are_shared(wrapper: type) -> None:
    src, dst = np.arange(8, dtype=np.float32), np.zeros(8, dtype=np.float32)
    ptoscope.load(copy_kernel())(wrapper(src), wrapper(dst), 32)
    assert np.array_equal(src, dst)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), "PTO0801", "takes 3 arguments"),
        ((np.zeros(8, "f4"), np.zeros(8, "f8"), 32), "PTO0802", "float64"),
        ((np.zeros(8, ">f4"), np.zeros(8, "f4"), 32), "PTO0802", ">f4"),
        ((np.zeros(8, "f4"), np.zeros(8, "i4"), 32), "PTO0802", "int32"),
        ((np.zeros(8, "f4"), 3, 32), "PTO0803", "needs an array"),
        ((np.zeros(8, "f4"), [0.0] * 8, 32), "PTO0803", "list"),
        ((np.zeros(8, "f4"), np.zeros(8, "f4"), 1.5), "PTO0804", "1.5"),
        ((np.zeros(8, "f4"), np.zeros(8, "f4"), 1 << 70), "PTO0804", "does not fit"),
        ((np.zeros(8, "f4"), np.zeros(8, "f4"), np.zeros(1)), "PTO0804", "needs an integer"),
    ],
)
def test_wrong_arguments_are_refused_at_the_door(
    arguments: tuple[Any, ...], code: str, words: str
) -> None:
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel())(*arguments)
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert words in str(caught.value)


def test_all_wrong_arguments_are_named_at_once() -> None:
    wrong: list[Any] = [np.zeros(8), None, "x"]
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel())(*wrong)
    assert [d.code for d in caught.value.diagnostics] == ["PTO0802", "PTO0803", "PTO0804"]


def test_a_fault_says_that_the_arrays_are_undefined() -> None:
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(copy_kernel())(np.zeros(4, "f4"), np.zeros(8, "f4"), 32)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTO0902"
    assert diagnostic.line == 6
    assert "element 4 of %src, which has 4 elements" in diagnostic.message
    assert "contents of pointer arguments are undefined" in diagnostic.hint


def test_read_only_arrays_may_be_read_but_not_written() -> None:
    kernel = ptoscope.load(copy_kernel())
    fixed = np.arange(8, dtype=np.float32)
    fixed.flags.writeable = False
    kernel(fixed, np.zeros(8, "f4"), 32)
    with pytest.raises(ptoscope.PtoError, match="read-only"):
        kernel(np.zeros(8, "f4"), fixed, 32)


TWO = """\
func.func @first() { return }
func.func @second() attributes {pto.aicore} { return }
"""


def test_the_entry_is_the_only_kernel_or_named() -> None:
    assert ptoscope.load(TWO).name == "second"
    assert ptoscope.load(TWO, entry="first").name == "first"
    with pytest.raises(ptoscope.UsageError, match="@first, @second"):
        ptoscope.load(TWO, entry="third")
    with pytest.raises(ptoscope.UsageError, match="@first, @second"):
        ptoscope.load(TWO.replace(" attributes {pto.aicore}", ""))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("grid", None, "grid is None, a NoneType; it has to be a whole number"),
        ("grid", 1.0, "grid is 1.0, a float; it has to be a whole number"),
        ("grid", "4", "grid is '4', a str; it has to be a whole number"),
        ("grid", True, "grid is True, a bool; it has to be a whole number"),
        ("grid", 1 << 63, f"grid is {1 << 63}; it has to be at least 1, and less than 2"),
        ("threads", 1 << 64, f"threads is {1 << 64}; it has to be at least 1, and less than 2"),
        ("threads", np.int64(-1), "threads is -1; it has to be at least 1"),
        ("max_steps", 2.5, "max_steps is 2.5, a float; it has to be a whole number"),
    ],
)
def test_numbers_of_a_launch_are_checked(name: str, value: Any, said: str) -> None:
    kernel: Any = ptoscope.load(copy_kernel())
    arrays = np.zeros((2, 8), np.float32)
    with pytest.raises(ptoscope.UsageError) as caught:
        kernel(*arrays, 32, **{name: value})
    assert str(caught.value).startswith(said)


def test_numbers_too_long_to_be_written_out() -> None:
    """Python refuses more than 4,300 digits."""
    kernel: Any = ptoscope.load(copy_kernel())
    arrays, long = np.zeros((2, 8), np.float32), 10**5000
    with pytest.raises(ptoscope.UsageError, match="grid is a number of 16610 bits; it has to be"):
        kernel(*arrays, 32, grid=long)
    with pytest.raises(ptoscope.PtoError) as caught:
        kernel(*arrays, -long)
    (said,) = caught.value.diagnostics
    assert (said.code, said.found) == ("PTO0804", "a number of 16610 bits")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_numbers_of_a_launch_may_be_those_of_numpy(engine: str) -> None:
    kernel: Any = ptoscope.load(copy_kernel())
    src, dst = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    counts = {"grid": np.int64(3), "threads": np.uint8(2), "max_steps": np.int16(9)}
    kernel(src, dst, np.int64(32), engine=engine, **counts)
    assert np.array_equal(src, dst)


def test_engines_and_grids_are_checked() -> None:
    kernel = ptoscope.load(TWO)
    with pytest.raises(ptoscope.UsageError, match="engine"):
        kernel(engine="warp")
    with pytest.raises(ptoscope.UsageError, match="grid"):
        kernel(grid=0)


def test_bytes_that_are_not_text_are_a_diagnostic(tmp_path: Path) -> None:
    file = tmp_path / "k.pto"
    file.write_bytes(b"module {\n  \xff}")
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(file)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.line, diagnostic.column) == ("PTO0007", 2, 3)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "k.pto"
    file.write_bytes(b"\xef\xbb\xbf" + copy_kernel().encode())
    assert ptoscope.load(file).name == "copy"
