"""Host programs: what is read does what C++ does, what is not is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptoscope.cases.host.interpreter import Interpreter
from ptoscope.cases.host.library import Library
from ptoscope.cases.host.program import read_files
from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.values import PAGE, Pointer


class Launches(list[tuple[str, int, list[Any]]]):
    """What was launched; device memory as the bytes asked for."""

    def __call__(self, name: str, grid: int, values: list[Any], where: str) -> None:
        plain = [
            v.memory.data[v.offset : v.memory.size].tobytes() if isinstance(v, Pointer) else v
            for v in values
        ]
        self.append((name, grid, plain))


def run(tmp_path: Path, body: str, before: str = "") -> Launches:
    """Runs `main` with a body, on the files of a directory."""
    source = tmp_path / "main.cpp"
    source.write_text(f"{before}\nint main() {{\n{body}\nreturn 0; }}\n", encoding="utf-8")
    launches = Launches()
    files = read_files([source])
    Interpreter(files, Library(tmp_path), launches).enter(files.functions["main"], [], "main.cpp")
    return launches


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 / -2", -3),
        ("(uint8_t)300", 44),
        ("(int8_t)200", -56),
        ("static_cast<int>(3.9)", 3),
        ("int(2.5) + 1", 3),
        ("0x1F + 010 + 0b11 + 1'000u", 31 + 8 + 3 + 1000),
        ("1 << 4 | 3 & 2 ^ 1", 1 << 4 | (3 & 2) ^ 1),
        ("5 > 3 && !(2 >= 4) || 0", 1),
        ("true ? 10 : 20", 10),
        ("sizeof(float) * 2 + sizeof(unsigned char) + sizeof(int64_t *)", 17),
        ("sizeof(long long) + sizeof(half) + sizeof(double)", 18),
        ("std::max(3, 4) + std::min(3, 4)", 7),
        ("1.5f * 2", 3.0),
        ("(float)0.1", float(np.float32(0.1))),
        ("1e-3", 1e-3),
        ("~0", -1),
        ("kRows * COLUMNS + TWICE(kRows)", 6 * 7 + 12),
        ("helper(3, 4)", 19),
        ("'a' + 1", 98),
    ],
)
def test_expressions(tmp_path: Path, expression: str, value: float):
    before = """
#define COLUMNS 7
#define TWICE(n) ((n) + (n))
constexpr int kRows = 6; // rows
int helper(int a, const int &b) {
  int sum = 0;
  for (int i = 0; i < b; ++i) {
    sum += a;
    if (i == 2)
      continue;
    sum += 1;
  }
  do {
    sum++;
    break;
  } while (true);
  while (sum > 100)
    sum -= 1;
  return sum + 3;
}
"""
    launches = run(tmp_path, f"k<<<1, nullptr, nullptr>>>({expression});", before)
    assert launches == [("k", 1, [value])]


def test_memory_goes_where_the_program_sends_it(tmp_path: Path):
    body = """
  size_t bytes = 4 * sizeof(int16_t), got = 0;
  int16_t *host = nullptr, *device = nullptr;
  aclrtMallocHost((void **)&host, bytes);
  aclrtMalloc((void **)&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (!ReadFile("./in.bin", got, host, bytes) || got != 6) return 1;
  host[3] = (int16_t)(host[0] + 0x7fff);
  *(host + 1) = -1;
  int16_t table[] = {5, 6};
  memcpy(host + 2, table, sizeof(int16_t));
  aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  k<<<2, nullptr, nullptr>>>((__gm__ int16_t *)device, device + 2);
  aclrtMemset(device, bytes, 255, 2);
  k<<<2, nullptr, nullptr>>>((__gm__ int16_t *)device);
  std::fill_n(host, 2, 9);
  WriteFile("./out.bin", host, bytes);
"""
    (tmp_path / "in.bin").write_bytes(np.array([1, 2, 3], np.int16).tobytes())
    launches = run(tmp_path, body)
    first = np.array([1, -1, 5, -32768], np.int16)
    assert launches[0] == ("k", 2, [first.tobytes(), first[2:].tobytes()])
    assert launches[1][2] == [np.array([-1, -1, 5, -32768], np.int16).tobytes()]
    out = np.frombuffer((tmp_path / "out.bin").read_bytes(), np.int16)
    assert out.tolist() == [9, 9, 5, -32768]


def test_device_memory_goes_on_to_the_end_of_its_page(tmp_path: Path):
    seen: list[int] = []
    source = tmp_path / "main.cpp"
    source.write_text(
        "int main() { float *a, *b; aclrtMalloc((void **)&a, 4, 0);"
        f"aclrtMalloc((void **)&b, {PAGE} + 1, 0); k<<<1>>>(a, b); }}",
        encoding="utf-8",
    )
    files = read_files([source])

    def launch(name: str, grid: int, values: list[Any], where: str) -> None:
        seen.extend(len(v.memory.data) for v in values)

    Interpreter(files, Library(tmp_path), launch).enter(files.functions["main"], [], "")
    assert seen == [PAGE, 2 * PAGE]


def test_what_the_preprocessor_does(tmp_path: Path):
    (tmp_path / "own.h").write_text("#define OWN 4\n", encoding="utf-8")
    before = """
#include <cstdio>
#include "own.h"
#include "not_there.h"
/* a comment
   of two lines */
#if defined(__CCE_AICORE__) && (__NPU_ARCH__ == 2201)
this is not C++ at all
#elif defined(OWN) && OWN >= 4 && !defined(OTHER)
#define CHOSEN "ab" "c" // not the last
#else
#define CHOSEN ""
#endif
#ifndef OWN
#define OWN 5
#endif
#define CHECK(expr, other)    \\
  do {                        \\
    if (!(expr)) {            \\
      printf("%s", #expr);    \\
      goto out;               \\
    }                         \\
  } while (0)
struct Unused { int a; };
namespace inner { typedef uint16_t bits_t; using wide = int64_t; }
template_is(not, read);
"""
    body = """
  CHECK(OWN == 4, "a, b");
  for (int i = 0; i < 2; i++) {
    if (i) break;
    k<<<OWN, nullptr, nullptr>>>(sizeof(bits_t), (wide)i);
  }
out:
  return 0;
"""
    assert run(tmp_path, body, before) == [("k", 4, [2, 0])]


@pytest.mark.parametrize(
    ("value", "trail"),
    [(0, [1, 2]), (1, [2]), (2, [3]), (3, [4, 5]), (4, [5]), (5, [9, 3]), (6, [9, 3])],
)
def test_a_switch_goes_on_until_a_break(tmp_path: Path, value: int, trail: list[int]):
    body = f"""
  for (int i = {value}; i < {value + 1}; ++i) {{
    switch (i) {{
      case 0: k<<<1>>>(1);
      case 1: k<<<1>>>(2); break;
      default: k<<<1>>>(9);
      case kTwo: {{ k<<<1>>>(3); break; }}
      case 3: k<<<1>>>(4);
      case 4: k<<<1>>>(5); continue;
    }}
  }}
"""
    launches = run(tmp_path, body, "constexpr int kTwo = 2;")
    assert [values for _, _, values in launches] == [[number] for number in trail]


def test_a_switch_without_a_fitting_case_does_nothing(tmp_path: Path):
    body = "switch (int n = 3) { case 1: k<<<1>>>(n); }"
    assert run(tmp_path, body) == []


@pytest.mark.parametrize(
    ("pattern", "values", "text"),
    [
        ("./v%d.bin", "7", "./v7.bin"),
        ("%s-%03d%%", '"ab", 5', "ab-005%"),
        ("%u", "-1", "4294967295"),
        ("%hhd", "200", "-56"),
        ("%zu", "(size_t)1 << 40", "1099511627776"),
        ("%x/%X", "255, 255", "ff/FF"),
        ("%-4d|", "3", "3   |"),
    ],
)
def test_names_of_files_are_formatted(tmp_path: Path, pattern: str, values: str, text: str):
    # One character less fits than the array has, for its zero.
    body = f"""
  char name[32], cut[4] = "x";
  k<<<1>>>(std::snprintf(name, sizeof(name), "{pattern}", {values}), sizeof(cut));
  snprintf(cut, sizeof(cut), "%s", name);
  WriteFile("name.bin", name, {len(text)});
  WriteFile("cut.bin", cut, sizeof(cut));
"""
    assert run(tmp_path, body) == [("k", 1, [len(text), 4])]
    assert (tmp_path / "name.bin").read_text() == text
    assert (tmp_path / "cut.bin").read_bytes() == (text[:3].encode() + b"\0").ljust(4, b"\0")


def test_a_file_is_named_by_an_array_of_characters(tmp_path: Path):
    (tmp_path / "v3.bin").write_bytes(b"\5")
    body = """
  char path[16] = "v3.bin", value[1];
  size_t got = 0;
  if (ReadFile(path, got, value, 1)) k<<<1>>>(value[0], path[5], sizeof(path));
"""
    assert run(tmp_path, body) == [("k", 1, [5, ord("n"), 16])]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("mystery(1);", "main.cpp:3: cannot tell what mystery(...) does"),
        ("int n = mystery; ", "cannot tell what 'mystery' is"),
        ("k<<<blocks, nullptr, nullptr>>>();", "cannot tell what 'blocks' is"),
        ("k<<<1.5, nullptr, nullptr>>>();", "cannot tell how many blocks"),
        ("int a[2]; a[2] = 1;", "4 bytes at byte 8 of an allocation of 8 bytes"),
        ("if (1) goto out; out: return 0;", "gives up (goto out)"),
        ("int n = 1 / 0;", "cannot work out 1 / 0"),
        ("while (true) {}", "more than"),
        ("switch (1) { case 1: break; ", "main.cpp"),
        ("switch (1) { { case 1: break; } }", "main.cpp:3: 'case' does not stand in a switch"),
        ("switch (1.5) { default: break; }", "other than an integer"),
        ("case 1: return 0;", "'case' does not stand in a switch itself"),
        ('char b[8]; snprintf(b, 8, "%f", 1.5);', "cannot format %f"),
        ('char b[8]; snprintf(b, 8, "%9999d", 1);', "cannot format %9999d"),
        ('char b[8]; snprintf(b, 8, "%d");', "cannot format %d"),
        ('char b[2]; snprintf(b, 8, "%d", 12345);', "6 bytes at byte 0"),
        ("int n = 2; char b[2] = n;", "cannot tell what b begins with"),
        ("char b[2] = {1, 2}; WriteFile(b, b, 2);", "cannot tell which file is meant"),
        ("auto f = [](int x) { return x; };", "cannot read '['"),
        ("float *p = nullptr; float x = *p;", "a null pointer is read"),
        ("size_t n = sizeof(Mystery);", "cannot tell"),
        ('size_t n = 8; char b[8]; ReadFile("./absent.bin", n, b, n);', "wrote no absent.bin"),
        ('char b[8]; WriteFile("../out.bin", b, 8);', "outside of the working directory"),
        ('char b[8]; WriteFile("./out.bin", b, 9);', "9 bytes at byte 0"),
        ("int recurse = main();", "the calls do not end"),
        ("int x = (1 + ;", "'{' is not closed"),
        ("int x = 1 + ;", "cannot read ';'"),
        ("int x = 1", "cannot read"),
    ],
)
def test_what_is_not_understood_is_an_error(tmp_path: Path, body: str, reason: str):
    with pytest.raises(Unreadable) as raised:
        run(tmp_path, body)
    assert reason in str(raised.value)


def test_a_file_that_does_not_fit_is_refused_and_noted(tmp_path: Path):
    (tmp_path / "v.bin").write_bytes(bytes([7] * 8))
    library = Library(tmp_path)
    source = tmp_path / "main.cpp"
    source.write_text(
        "int main() { char b[4] = {1, 2, 3, 4}; size_t n = 4;"
        'int ok = ReadFile("./v.bin", n, b, n); k<<<1>>>(ok, b[0]); }',
        encoding="utf-8",
    )
    files = read_files([source])
    launches = Launches()
    Interpreter(files, library, launches).enter(files.functions["main"], [], "")
    assert launches == [("k", 1, [0, 1])]
    assert "v.bin is not read: 8 bytes" in library.notes[0]
