"""Kernels of the matrix core broken on purpose: every mistake is found, with its line, by the tool
that the table says, and the correct kernels are silent."""

from __future__ import annotations

import pytest

from .cluster_mistakes import FLASH, SCALED, UNIT_FLAGS
from .matmul_mistakes import MATMUL, QUANTIZED
from .matrix_seeds import SEEDS, judge, judge_text
from .mistakes import Mistake

MISTAKES = (*MATMUL, *QUANTIZED, *UNIT_FLAGS, *SCALED, *FLASH)

ENOUGH = 40
"""How many mistakes there are at least."""


@pytest.mark.parametrize("name", SEEDS)
def test_a_correct_kernel_is_silent_and_right(name: str) -> None:
    verdict = judge_text(SEEDS[name].text, SEEDS[name])
    assert (verdict.tool, verdict.found) == (None, [])


def test_there_are_enough_and_each_is_another_one() -> None:
    texts = [mistake.text(SEEDS[mistake.seed].text) for mistake in MISTAKES]
    assert len(set(texts)) == len(texts) >= ENOUGH


def test_most_are_found_before_anything_runs() -> None:
    tools = [mistake.tool for mistake in MISTAKES]
    assert tools.count("check") > len(tools) / 2 > tools.count("run") > tools.count("result")


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.what)
def test_a_mistake_is_found(mistake: Mistake) -> None:
    seed = SEEDS[mistake.seed]
    lines = mistake.text(seed.text).split("\n")
    verdict = judge(mistake, seed)
    assert verdict.tool == mistake.tool, verdict
    if mistake.tool == "result":
        return
    named = [lines[line - 1] for code, line in verdict.found if code == mistake.code]
    assert any(mistake.at in line for line in named), verdict
