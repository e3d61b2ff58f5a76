"""`run`: arguments in, results out. Expected values come from NumPy."""

from __future__ import annotations

import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import ptoscope
from ptoscope.check import RULES, Rule
from ptoscope.check.rule import Finding
from ptoscope.demo import PATH as SOFTMAX

from .conftest import BLOCKS, BROKEN, MISMASKED, TWO, Cli, copy, store

RNG = np.random.default_rng(1)


def test_a_run_saves_what_the_kernel_left(cli: Cli):
    x = RNG.standard_normal((20, 128), np.float32)
    np.save("x.npy", x)
    outcome = cli("run", SOFTMAX, "x.npy", "zeros:2560", 20, "--grid", 2, "--save", "out/deep")
    assert (outcome.code, outcome.err) == (0, "")
    exponentials = np.exp(x.astype(np.float64))
    expected = exponentials / exponentials.sum(axis=1, keepdims=True)
    y = np.load("out/deep/arg1.npy")
    assert (y.shape, y.dtype) == ((2560,), np.float32)
    np.testing.assert_allclose(y.reshape(20, 128), expected, rtol=1e-6)
    assert np.array_equal(np.fromfile("out/deep/arg1.bin", np.float32), y)
    assert np.array_equal(np.load("out/deep/arg0.npy"), x)
    assert np.fromfile("out/deep/arg0.bin", np.float32).tobytes() == x.tobytes()
    assert sorted(os.listdir("out/deep")) == ["arg0.bin", "arg0.npy", "arg1.bin", "arg1.npy"]


def test_the_table_and_the_json_say_the_same(cli: Cli, write):
    write("k.pto", store("f32"))
    np.save("x.npy", np.array([[9, 1], [np.nan, -2.5]], np.float32))
    outcome = cli("run", "k.pto", "x.npy", 4)
    assert [" ".join(line.split()) for line in outcome.out.splitlines()] == [
        "@store on a5, revision manual, 1 block",
        "arg name type shape dtype min max nan changed",
        "0 %p !pto.ptr<f32, gm> 2x2 float32 -2.5 4 1 yes (1)",
        "1 %v f32 scalar f32 4 4 0 no",
    ]
    first, second = cli("run", "k.pto", "x.npy", 4, "--json").json["arguments"]
    assert (first["shape"], first["dtype"], first["nan"]) == ([2, 2], "float32", 1)
    assert (first["min"], first["max"], first["changed"]) == (-2.5, 4, True)
    assert (second["name"], second["value"]) == ("v", 4)


def test_the_given_files_are_not_written(cli: Cli, write):
    write("k.pto", store("f32"))
    np.save("x.npy", np.ones(4, np.float32))
    cli("run", "k.pto", "x.npy", 7)
    assert np.array_equal(np.load("x.npy"), np.ones(4))


GIVEN = {
    "same": np.arange(6, dtype=np.float32).reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
    "big-endian": np.arange(6, dtype=">f4").reshape(2, 3),
    "no dimensions": np.array(3.0, np.float32),
}
OTHERS = {
    "bytes": np.arange(8, dtype=np.uint8).reshape(2, 4),
    "bool": np.array([[True, False, True, True]]),
    "double": np.array([1.5, 2.5]),
    "integers": np.arange(4, dtype=np.int32),
    "half": np.arange(4, dtype=np.float16),
    "complex": np.array([1 + 2j, 3], np.complex64),
    "structured": np.array([(1, 2)], [("a", "<i2"), ("b", ">i2")]),
}


@pytest.mark.parametrize("name", GIVEN)
def test_an_array_keeps_its_shape_and_type(cli: Cli, write, name: str):
    given = GIVEN[name]
    write("k.pto", store("f32"))
    np.save("x.npy", given)
    outcome = cli("run", "k.pto", "x.npy", "0x10", "--save", "out")
    assert (outcome.code, outcome.err) == (0, "")
    saved = np.load("out/arg0.npy")
    assert (saved.shape, saved.dtype) == (given.shape, given.dtype)
    memory = np.frombuffer(given.astype(given.dtype.newbyteorder("=")).tobytes(), np.float32)
    memory = memory.copy()
    memory[0] = 16
    assert saved.astype(saved.dtype.newbyteorder("=")).tobytes() == memory.tobytes()
    assert Path("out/arg0.bin").read_bytes() == memory.tobytes()


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("command", ["run", "time"])
def test_an_array_of_another_type_is_refused_as_from_python(
    cli: Cli, write, command: str, name: str
):
    given = OTHERS[name]
    write("k.pto", store("f32"))
    np.save("x.npy", given)
    outcome = cli(command, "k.pto", "x.npy", "1")
    assert outcome.code == 1
    with pytest.raises(ptoscope.PtoError) as raised:
        ptoscope.load("k.pto")(given, 1)
    (said,) = cli(command, "k.pto", "x.npy", "1", "--json").json["diagnostics"]
    (from_python,) = raised.value.diagnostics
    assert (said["code"], said["message"]) == ("PTO0802", from_python.message)
    assert said["found"] == f"x.npy: {given.dtype} array of shape {given.shape}"
    assert said["expected"] == "float32 elements for f32"


def test_bytes_of_any_type_come_from_a_bin_file(cli: Cli, write):
    write("k.pto", copy("i8"))
    np.array([True, False, False]).tofile("x.bin")
    assert cli("run", "k.pto", "x.bin", "--save", ".").code == 0
    saved = np.load("arg0.npy")
    assert (saved.dtype, saved.tolist()) == (np.int8, [1, 1, 0])


@pytest.mark.parametrize("form", ["V2", "uint16", "bin", "zeros"])
def test_extension_types_are_raw_items(cli: Cli, write, form: str):
    values = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
    write("k.pto", copy("bf16"))
    np.save("V2.npy", values)
    np.save("uint16.npy", values.view(np.uint16))
    values.tofile("bin.bin")
    word = {"bin": "bin.bin", "zeros": "zeros:3"}.get(form, f"{form}.npy")
    record = cli("run", "k.pto", word, "--save", ".", "--json").json
    assert record["ok"]
    expected = [0, 0, 0] if form == "zeros" else [1.5, 1.5, 3]
    saved = np.load("arg0.npy")
    assert (saved.shape, saved.itemsize) == ((3,), 2)
    assert saved.view(ml_dtypes.bfloat16).astype(float).tolist() == expected
    assert record["arguments"][0]["max"] == max(expected)


@pytest.mark.parametrize("word", ["empty.npy", "empty.bin", "zeros:0"])
def test_empty_arrays(cli: Cli, write, word: str):
    text = store("f32").replace("pto.store_scalar", "// pto.store_scalar")
    write("k.pto", text)
    np.save("empty.npy", np.zeros((0, 4), np.float32))
    Path("empty.bin").write_bytes(b"")
    (record, _) = cli("run", "k.pto", word, 1, "--save", ".", "--json").json["arguments"]
    assert (record["min"], record["max"], record["changed"]) == (None, None, False)
    assert np.load("arg0.npy").shape == ((0, 4) if word == "empty.npy" else (0,))
    assert cli("run", "k.pto", word, 1).code == 0


@pytest.mark.parametrize(
    ("type", "word", "expected"),
    [
        ("i32", "0x10", 16),
        ("i32", "-7", -7),
        ("i32", "007", 7),
        ("ui8", "255", 255),
        ("i8", "255", -1),
        ("i64", "-9223372036854775808", -(1 << 63)),
        ("f32", "1e-3", np.float32(1e-3)),
        ("f32", "inf", np.inf),
        ("f32", "-inf", -np.inf),
        ("f32", "nan", np.nan),
        ("f32", "3", 3),
        ("f16", "-1.5e3", -1500),
    ],
)
def test_numbers(cli: Cli, write, type: str, word: str, expected: float):
    write("k.pto", store(type))
    outcome = cli("run", "k.pto", "zeros:1", word, "--save", ".", "--json")
    assert outcome.json["ok"], outcome
    np.testing.assert_array_equal(np.load("arg0.npy")[0], expected)


@pytest.mark.parametrize(("word", "expected"), [("true", 5), ("false", 6), ("1", 5), ("0", 6)])
def test_truth(cli: Cli, write, word: str, expected: int):
    body = """%a = arith.constant 5 : i32
    %b = arith.constant 6 : i32
    %s = arith.select %v, %a, %b : i32"""
    write("k.pto", store("i32", body, "%s", "i1"))
    assert cli("run", "k.pto", "zeros:1", word, "--save", ".").code == 0
    assert np.load("arg0.npy").tolist() == [expected]


def test_infinities_and_nan_are_strings_in_json(cli: Cli, write):
    write("k.pto", store("f32"))
    array, value = cli("run", "k.pto", "zeros:2", "inf", "--json").json["arguments"]
    assert (array["min"], array["max"], value["value"]) == (0, "inf", "inf")
    array, value = cli("run", "k.pto", "zeros:1", "nan", "--json").json["arguments"]
    assert (array["min"], array["max"], array["nan"]) == (None, None, 1)
    assert value["value"] == "nan"


def test_unsigned_arrays_are_shown_unsigned(cli: Cli, write):
    write("k.pto", store("i32"))
    np.save("x.npy", np.array([0, 2**32 - 1], np.uint32))
    (record, _) = cli("run", "k.pto", "x.npy", 1, "--json").json["arguments"]
    assert (record["min"], record["max"], record["dtype"]) == (1, 2**32 - 1, "uint32")


def _bad_files() -> None:
    np.save("odd.npy", np.zeros(3, np.uint8))
    np.save("objects.npy", np.array([None, 1], dtype=object))
    np.save("fine.npy", np.zeros(100, np.float32))
    Path("odd.bin").write_bytes(b"abc")
    Path("empty.npy").write_bytes(b"")
    Path("text.npy").write_text("not an array")
    Path("cut.npy").write_bytes(Path("fine.npy").read_bytes()[:300])
    np.savez("archive.npz", a=np.zeros(4))
    os.rename("archive.npz", "archive.npy")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["odd.npy", "1"], "PTO0802"),
        (["odd.bin", "1"], "PTO0805"),
        (["objects.npy", "1"], "PTO0806"),
        (["empty.npy", "1"], "PTO0806"),
        (["text.npy", "1"], "PTO0806"),
        (["cut.npy", "1"], "PTO0806"),
        (["archive.npy", "1"], "PTO0806"),
        (["zeros:99999999999999999999", "1"], "PTO0807"),
        (["5", "1"], "PTO0803"),
        (["true", "1"], "PTO0803"),
        (["zeros:4", "zeros:4"], "PTO0804"),
        (["zeros:4", "fine.npy"], "PTO0804"),
        (["zeros:4", "1.5"], "PTO0804"),
        (["zeros:4", "true"], "PTO0804"),
        (["zeros:4", "99999999999"], "PTO0804"),
        (["zeros:4", "nan"], "PTO0804"),
        ([], "PTO0801"),
        (["zeros:4"], "PTO0801"),
        (["zeros:4", "1", "1"], "PTO0801"),
        (["zeros:0", "1"], "PTO0902"),
    ],
)
def test_wrong_data_is_exit_1_and_saves_nothing(cli: Cli, write, words: list[str], code: str):
    write("k.pto", store("i32"))
    _bad_files()
    outcome = cli("run", "k.pto", *words, "--save", "out")
    assert (outcome.code, outcome.out) == (1, "")
    assert f"error[{code}]" in outcome.err
    assert "^" in outcome.err
    assert not os.path.exists("out")
    (diagnostic,) = cli("run", "k.pto", *words, "--json").json["diagnostics"]
    assert (diagnostic["code"], diagnostic["file"], diagnostic["line"] > 0) == (code, "k.pto", True)


def test_all_wrong_arguments_are_named_at_once(cli: Cli, write):
    write("k.pto", store("i32"))
    _bad_files()
    outcome = cli("run", "k.pto", "odd.bin", "true")
    assert "argument 0 (%p)" in outcome.err
    assert "argument 1 (%v)" in outcome.err


@pytest.mark.parametrize("text", [BROKEN, MISMASKED])
def test_a_wrong_kernel_does_not_run(cli: Cli, write, text: str):
    write("k.pto", text)
    outcome = cli("run", "k.pto", "--save", "out")
    assert (outcome.code, outcome.out) == (1, "")
    assert "k.pto:" in outcome.err
    assert not os.path.exists("out")


def test_a_fault_leaves_earlier_results_alone(cli: Cli, write):
    write("k.pto", store("i32"))
    assert cli("run", "k.pto", "zeros:1", "3", "--save", ".").code == 0
    assert cli("run", "k.pto", "zeros:0", "4", "--save", ".").code == 1
    assert np.load("arg0.npy").tolist() == [3]


def test_save_replaces_all_or_nothing(cli: Cli):
    np.save("x.npy", np.ones((1, 128), np.float32))
    Path("out/arg1.bin").mkdir(parents=True)
    outcome = cli("run", SOFTMAX, "x.npy", "zeros:128", 1, "--save", "out")
    assert outcome.code == 2
    assert "arg1.bin" in outcome.err
    assert os.listdir("out") == ["arg1.bin"]


def test_positions_count_all_parameters(cli: Cli, write):
    text = store("f32").replace(
        "(%p: !pto.ptr<f32, gm>, %v: f32)", "(%v: f32, %p: !pto.ptr<f32, gm>)"
    )
    write("k.pto", text)
    record = cli("run", "k.pto", 2, "zeros:1", "--save", ".", "--json").json
    assert record["saved"] == ["arg1.npy", "arg1.bin"]
    assert np.load("arg1.npy").tolist() == [2]


def test_the_grid(cli: Cli, write):
    write("k.pto", BLOCKS)
    cli("run", "k.pto", "zeros:5", "--grid", "4", "--save", ".")
    assert np.load("arg0.npy").tolist() == [0, 1, 2, 3, 0]


def test_the_entry(cli: Cli, write):
    write("k.pto", TWO.replace("MARK", ""))
    outcome = cli("run", "k.pto", "zeros:1")
    assert outcome.code == 2
    assert "@first" in outcome.err
    assert "@second" in outcome.err
    assert cli("run", "k.pto", "zeros:1", "--entry", "second", "--save", ".").code == 0
    assert np.load("arg0.npy").tolist() == [2]
    assert cli("run", "k.pto", "zeros:1", "--entry=first", "--save", ".").code == 0
    assert np.load("arg0.npy").tolist() == [0]
    write("k.pto", TWO.replace("MARK", " attributes {pto.aicore}"))
    assert cli("run", "k.pto", "zeros:1", "--json").json["entry"] == "second"


def test_the_target(cli: Cli, write):
    def target(*options: str) -> str:
        return cli("run", "k.pto", "zeros:1", 1, "--json", *options).json["target"]

    write("k.pto", store("f32"))
    assert target() == "a5"
    assert target("--target", "cpu") == "cpu"
    write(
        "k.pto", store("f32").replace("module {", 'module attributes {pto.target_arch = "a2a3"} {')
    )
    assert target() == "a2a3"
    assert target("--target=a5") == "a5"
    write("k.pto", store("f32").replace("module {", 'module attributes {pto.target_arch = "b9"} {'))
    outcome = cli("run", "k.pto", "zeros:1", 1)
    assert outcome.code == 1
    assert "b9" in outcome.err


def test_warnings_are_shown_and_change_nothing(cli: Cli, write, monkeypatch: pytest.MonkeyPatch):
    def find(context):
        yield Finding(context.function.span, "a doubtful function")

    rule = Rule("PTO0999", "doubt", find, "warning")
    monkeypatch.setattr("ptoscope.check.RULES", (*RULES, rule))
    write("k.pto", store("f32"))
    outcome = cli("run", "k.pto", "zeros:1", 1)
    assert outcome.code == 0
    assert "warning[PTO0999]: a doubtful function" in outcome.err
    record = cli("run", "k.pto", "zeros:1", 1, "--json").json
    assert (record["ok"], record["diagnostics"][0]["severity"]) == (True, "warning")
    fault = cli("run", "k.pto", "zeros:0", 1)
    assert fault.code == 1
    assert "warning[PTO0999]" in fault.err
    assert "error[PTO0902]" in fault.err
    checked = cli("check", "k.pto")
    assert (checked.code, checked.out) == (0, "k.pto: ok, 0 errors, 1 warning\n")


@pytest.mark.parametrize(
    "words",
    [
        ["zeros:" + "9" * 6000, "1"],
        ["zeros:4", "0x" + "f" * 6000],
        ["zeros:4", "1", "--grid", "9" * 6000],
        ["zeros:4", "1", "--grid", "99999999999999999999"],
    ],
)
def test_endless_numbers_are_wrong_usage(cli: Cli, write, words: list[str]):
    write("k.pto", store("i32"))
    outcome = cli("run", "k.pto", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert "internal" not in outcome.err
