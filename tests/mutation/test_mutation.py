"""Faulty kernels made from correct ones: the check has to find them before they run."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from ptoscope.check import RULES, check
from ptoscope.diagnostics import Diagnostic, PtoError, edited
from ptoscope.kernel import Kernel
from ptoscope.sources import choose_target, parse

from .judge import Verdict, judge
from .mutators import GROUPS, mutants
from .seeds import Seed, seeds

ENOUGH = 300
"""How many faulty kernels there are at least."""

SHARES = {"types": 1.0, "profile": 1.0, "structure": 1.0, "streams": 1.0}
"""The part of the faults that has to be found, by group."""

CODES = {"addresses": "PTO05", "synchronisation": "PTO06"}
for _group, _codes in CODES.items():
    # Required once there are rules of that group.
    SHARES[_group] = 0.9 if any(rule.code.startswith(_codes) for rule in RULES) else 0.0

SEEDS = seeds()


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_a_seed_is_correct_and_clean(seed: Seed) -> None:
    program = parse(seed.text, seed.name, None, seed.revision)
    kernel = Kernel(program, choose_target(program, None), seed.revision)
    assert kernel.findings == []
    assert seed.run(kernel)
    assert seed.run_smallest(kernel)


def test_faults_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = [judge(mutant) for seed in SEEDS for mutant in mutants(seed)]
    faults = [v for v in verdicts if v.fault]
    table = report(verdicts)
    with capsys.disabled():
        print(f"\n{table}")
    assert len(faults) >= ENOUGH
    for group in GROUPS:
        of_group = [v for v in faults if v.mutant.group == group]
        assert len(of_group) >= 20, group
        found = sum(v.caught for v in of_group)
        missed = [
            f"{v.mutant.seed.name}, {v.mutant.what}: {v.fault}" for v in of_group if not v.caught
        ]
        assert found >= SHARES[group] * len(of_group), "\n".join([group, *missed])


def report(verdicts: list[Verdict]) -> str:
    """How many faults of each group are found."""
    lines = ["group            faults  found  others"]
    for group in GROUPS:
        mine = [v for v in verdicts if v.mutant.group == group]
        faults = [v for v in mine if v.fault]
        found = sum(v.caught for v in faults)
        lines.append(f"{group:<16} {len(faults):>6} {found:>6} {len(mine) - len(faults):>7}")
    return "\n".join(lines)


# A fix often gives the seed back.
@cache
def findings(seed: Seed, target: str | None, text: str) -> list[Diagnostic]:
    try:
        program = parse(text, seed.name, target, seed.revision)
        return check(program, choose_target(program, target), seed.revision)
    except PtoError as error:
        return list(error.diagnostics)


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_every_fix_that_is_offered_fixes(seed: Seed) -> None:
    """Applied alone, it takes its finding away and brings none of another kind."""
    for mutant in mutants(seed):
        found = findings(seed, mutant.target, mutant.text)
        before = Counter(d.code for d in found)
        for diagnostic in found:
            if diagnostic.fix:
                left = findings(seed, mutant.target, edited(mutant.text, diagnostic.fix))
                after = Counter(d.code for d in left)
                assert after[diagnostic.code] < before[diagnostic.code], (mutant.what, diagnostic)
                assert not after - before, (mutant.what, diagnostic)
