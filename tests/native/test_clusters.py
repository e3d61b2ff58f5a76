"""Clusters of cores: the native engine gives what the reference engine gives, bit for bit, also
where nothing orders the cores, and says the same where they cannot go on."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError

CELLS = 24
"""Elements of the array that all cores work on."""
_HEAD = """module attributes {{pto.target_arch = "{target}"}} {{
  func.func @k(%x: !pto.ptr<i32, gm>) attributes {{pto.aicore}} {{
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c32 = arith.constant 32 : i64
    %one = arith.constant 1 : i32
    %ub = pto.castptr %c0 : i64 -> !pto.ptr<i32, ub>
{numbers}
"""


class Writer:
    """Writes what one core does: it adds to cells of the array, by itself or through UB, and
    signals and waits as it likes."""

    def __init__(self, dice: random.Random, target: str, is_cube: bool, orderly: bool) -> None:
        self._dice, self._target, self._is_cube = dice, target, is_cube
        self._orderly = orderly
        self._count = 0
        self._mark = "k" if is_cube else "v"
        self.lines: list[str] = []

    def _name(self) -> str:
        self._count += 1
        return f"%{self._mark}{self._count}"

    def _semaphore(self) -> int:
        number = self._dice.randrange(2)
        spread = 16 * self._dice.randrange(2)
        return number + (spread if self._is_cube and self._target == "a5" else 0)

    def scalar(self) -> None:
        """cell = cell + another cell + 1"""
        one, two, total, more = (self._name() for _ in range(4))
        to, source = (self._dice.randrange(CELLS) for _ in range(2))
        self.lines += [
            f"{one} = pto.load_scalar %x[%n{to}] : !pto.ptr<i32, gm> -> i32",
            f"{two} = pto.load_scalar %x[%n{source}] : !pto.ptr<i32, gm> -> i32",
            f"{total} = arith.addi {one}, {two} : i32",
            f"{more} = arith.addi {total}, %one : i32",
            f"pto.store_scalar {more}, %x[%n{to}] : !pto.ptr<i32, gm>, i32",
        ]

    def copy(self) -> None:
        """32 bytes of the array through UB to others."""
        if self._is_cube:
            return
        source, to = (self._dice.randrange(3) for _ in range(2))
        one, two = self._name(), self._name()
        event = self._dice.randrange(2)
        self.lines += [
            f"{one} = pto.addptr %x, %n{8 * source} : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>",
            f"{two} = pto.addptr %x, %n{8 * to} : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>",
            f"pto.mte_gm_ub {one}, %ub, %c0, %c32 nburst(%c1, %c32, %c32) : "
            "!pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64",
        ]
        flag = f'["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID{event}"]'
        if self._dice.random() < 0.8:
            self.lines += [f"pto.set_flag{flag}", f"pto.wait_flag{flag}"]
        self.lines.append(
            f"pto.mte_ub_gm %ub, {two}, %c32 nburst(%c1, %c32, %c32) : "
            "!pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64"
        )

    def give(self) -> None:
        pipe = "PIPE_FIX" if self._is_cube else "PIPE_MTE3"
        self.lines.append(f"pto.sync.set <{pipe}>, {self._semaphore()}")

    def take(self) -> None:
        pipe = self._dice.choice(
            ["PIPE_FIX", "PIPE_MTE1"] if self._is_cube else ["PIPE_MTE2", "PIPE_MTE3", "PIPE_V"]
        )
        self.lines.append(f"pto.sync.wait <{pipe}>, {self._semaphore()}")

    def give_and_take_by_hand(self) -> None:
        """Signals of the scalar unit itself."""
        signal, wait = {
            "a5": ("set_intra_block", "wait_intra_core"),
            "a2a3": ("set_cross_core", "wait_flag_dev"),
        }[self._target]
        name = self._dice.choice((signal, wait))
        self.lines.append(f"pto.{name} %c0, %s{self._semaphore()} : i64, i64")

    def barrier(self) -> None:
        self.lines.append("pto.barrier #pto.pipe<PIPE_ALL>")

    def rounds(self) -> None:
        """A round trip: whoever waits finds its signal, sooner or later."""
        for number in range(self._dice.randrange(1, 3)):
            self.scalar()
            if not self._is_cube:
                self.lines.append(f"pto.sync.wait <PIPE_MTE2>, {8 + number}")
                self.copy()
                self.lines.append(f"pto.sync.set <PIPE_MTE3>, {10 + number}")
                continue
            for spread in (0, 16) if self._target == "a5" else (0,):
                self.lines.append(f"pto.sync.set <PIPE_FIX>, {8 + number + spread}")
            self.scalar()
            for spread in (0, 16) if self._target == "a5" else (0,):
                self.lines.append(f"pto.sync.wait <PIPE_FIX>, {10 + number + spread}")

    def section(self) -> str:
        steps = [self.scalar, self.scalar, self.copy, self.copy, self.barrier]
        if not self._orderly:
            steps += [self.give, self.give, self.take, self.give_and_take_by_hand]
        for _ in range(self._dice.randrange(2, 12)):
            self._dice.choice(steps)()
        if self._orderly:
            # The same on both sides, so that every wait finds its signal.
            self.lines += ["pto.barrier #pto.pipe<PIPE_ALL>"]
            self._dice = random.Random(len(self._mark))
            self.rounds()
        body = "\n".join(f"      {line}" for line in self.lines)
        kind = "cube" if self._is_cube else "vector"
        return f"    pto.section.{kind} {{\n{body}\n    }}\n"


def random_kernel(seed: int, target: str, orderly: bool) -> str:
    """A kernel of a cluster. Where it is orderly it comes to its end."""
    dice = random.Random(seed)
    numbers = [f"    %n{i} = arith.constant {i} : index" for i in range(CELLS)]
    numbers += [f"    %s{i} = arith.constant {i} : i64" for i in range(32)]
    text = _HEAD.format(target=target, numbers="\n".join(numbers))
    for is_cube in (True, False):
        text += Writer(dice, target, is_cube, orderly).section()
    return text + "    return\n  }\n}\n"


def _ended(kernel: ptoscope.Kernel, engine: str, **how: Any) -> tuple[list[int], str, list[str]]:
    """The array after a run, what stopped it, and what was strange."""
    x = np.arange(CELLS, dtype=np.int32)
    try:
        kernel(x, engine=engine, **how)
    except PtoError as error:
        return [], str(error), []
    return x.tolist(), "", [d.message for d in kernel.warnings]


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize("orderly", [True, False], ids=["orderly", "any"])
def test_random_clusters(target: str, orderly: bool) -> None:
    stopped = 0
    for seed in range(40):
        kernel = ptoscope.load(random_kernel(seed, target, orderly), force=True)
        expected = _ended(kernel, "reference", grid=2)
        found = _ended(kernel, "native", grid=2, threads=1)
        assert found == expected, random_kernel(seed, target, orderly)
        stopped += bool(expected[1])
    assert not (orderly and stopped)
    assert orderly or 0 < stopped < 40


_PING = """module attributes {pto.target_arch = "a5"} {
  func.func @k(%x: !pto.ptr<i64, gm>, %rounds: index) attributes {pto.aicore} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i64
    %zero = arith.constant 0 : i64
    %b = pto.get_block_idx
    %at = arith.index_cast %b : i64 to index
    pto.section.cube {
      scf.for %i = %c0 to %rounds step %c1 {
        pto.set_intra_block %zero, %one : i64, i64
        pto.wait_intra_core %zero, %zero : i64, i64
        %n = pto.load_scalar %x[%at] : !pto.ptr<i64, gm> -> i64
        %m = arith.muli %n, %n : i64
        pto.store_scalar %m, %x[%at] : !pto.ptr<i64, gm>, i64
      }
    }
    pto.section.vector {
      %s = pto.get_subblock_idx
      %first = arith.cmpi eq, %s, %zero : i64
      scf.if %first {
        scf.for %i = %c0 to %rounds step %c1 {
          pto.wait_intra_core %zero, %one : i64, i64
          %n = pto.load_scalar %x[%at] : !pto.ptr<i64, gm> -> i64
          %m = arith.addi %n, %one : i64
          pto.store_scalar %m, %x[%at] : !pto.ptr<i64, gm>, i64
          pto.set_intra_block %zero, %zero : i64, i64
        }
      }
    }
    return
  }
}
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_cores_take_turns_in_every_block(threads: int) -> None:
    """x becomes (x + 1) ** 2, as often as they signal each other."""
    kernel = ptoscope.load(_PING)
    x = np.arange(5, dtype=np.int64) - 2
    expected = x.tolist()
    for _ in range(4):
        expected = [(n + 1) ** 2 for n in expected]
    before = threading.active_count()
    kernel(x, 4, grid=5, threads=threads, engine="native")
    assert x.tolist() == expected
    assert threading.active_count() == before


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_iterations_are_limited_for_each_core(engine: str) -> None:
    kernel = ptoscope.load(_PING)
    kernel(np.zeros(1, np.int64), 3, engine=engine, max_steps=3)
    with pytest.raises(PtoError) as caught:
        kernel(np.zeros(1, np.int64), 4, engine=engine, max_steps=3)
    assert caught.value.diagnostics[0].code == "PTO0915"


def test_a_fault_of_one_core_ends_the_others() -> None:
    """The matrix core writes outside of an array while vector cores wait for it."""
    text = random_kernel(0, "a5", True).replace(
        "    pto.section.cube {",
        "    pto.section.cube {\n      %far = arith.constant 99 : index\n"
        "      pto.store_scalar %one, %x[%far] : !pto.ptr<i32, gm>, i32",
    )
    kernel = ptoscope.load(text, force=True)
    before = threading.active_count()
    expected, found = _ended(kernel, "reference"), _ended(kernel, "native")
    assert "99" in found[1]
    assert found == expected
    assert threading.active_count() == before


def test_a_kernel_out_of_the_cache_knows_its_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path))
    ptoscope.load(_PING)(np.zeros(1, np.int64), 1, engine="native")
    again = ptoscope.load(_PING)
    assert again._program is None
    x = np.array([6], np.int64)
    again(x, 1, engine="native")
    assert x[0] == 49


def test_prints_of_cores_come_in_the_order_of_execution() -> None:
    text = _PING.replace("pto.store_scalar %m", 'pto.print "%d", %m : i64\n pto.store_scalar %m')
    kernel = ptoscope.load(text)
    said: dict[str, list[str]] = {}
    for engine in ("reference", "native"):
        kernel(np.zeros(2, np.int64), 2, grid=2, engine=engine)
        said[engine] = [p.text for p in kernel.printed]
    assert said["native"] == said["reference"]
    assert said["native"][:4] == ["1", "1", "2", "4"]
