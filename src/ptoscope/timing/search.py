"""A search for whole numbers that make an error small: what calibration is done by.

Deterministic. A number counts the steps from where its figure begins, so all begin at 0. Numbers
are freed one after the other, that first which promises most, as long as it is worth it: few
figures that explain the points carry over to others better than many that do it a little better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

Steps = tuple[int, ...]
Errors = Callable[[Steps], np.ndarray]
"""The relative error of each point, by the steps."""

_SMALLER = 1e-12
"""An error that is smaller by less is the same."""
_ENOUGH = 1e-4
"""An error that nobody measures."""
_WORTH = 0.02
"""By so much of itself the error has to fall for another number to be moved."""
_TRIED = 3
"""So many numbers, those that promise most, are tried before one of them is freed."""
_LINEAR = 4
"""So often a linear step is repeated."""


class SearchAxis(NamedTuple):
    """How far a number may go, and by how much it is moved to see what depends on it; a first move
    is up to `reach`."""

    low: int
    high: int
    probe: int = 1
    reach: int = 64


def minimise(
    errors: Errors,
    axes: Sequence[SearchAxis],
    rounds: int,
    told: Callable[[float], None] = lambda error: None,
) -> Steps:
    """The steps with the least mean absolute error that so many rounds find; fewer where one
    finds nothing better. `told` hears the error after each."""
    search = _Search(errors, axes)
    for _ in range(rounds):
        found = search.error > _ENOUGH and (
            search.free_another() or search.exchange() or search.polish()
        )
        told(search.error)
        if not found:
            break
    search.back()
    return search.best


def changes(
    errors: Errors, axes: Sequence[SearchAxis], at: Steps, chosen: Sequence[int] | None = None
) -> np.ndarray:
    """By how much the error of each point (row) changes with a step of each number, or of the
    chosen ones (column), near some steps: the larger of what a probe up and one down show."""
    here = errors(at)
    columns: list[np.ndarray] = []
    for index in range(len(axes)) if chosen is None else chosen:
        found = np.zeros(len(here))
        for sign in (1, -1):
            there = _moved(axes, at, {index: sign * axes[index].probe})
            if there != at:
                slope = (errors(there) - here) / (there[index] - at[index])
                found = np.where(abs(slope) > abs(found), slope, found)
        columns.append(found)
    return np.array(columns).T.reshape(len(here), len(columns))


def _moved(axes: Sequence[SearchAxis], at: Steps, by: dict[int, int]) -> Steps:
    return tuple(
        min(max(step + by.get(index, 0), axes[index].low), axes[index].high)
        for index, step in enumerate(at)
    )


class _Search:
    def __init__(self, errors: Errors, axes: Sequence[SearchAxis]) -> None:
        self.errors, self.axes = errors, axes
        self.best: Steps = (0,) * len(axes)
        self.error = self._mean(self.best)
        self.freed: list[int] = []

    def free_another(self) -> bool:
        """Frees the number that helps most and moves all free ones; whether it was worth it."""
        start, before = self.best, self.error
        found: tuple[float, Steps, int] | None = None
        for index in self._promising():
            self.best, self.error = start, before
            chosen = [index, *self.freed]
            self._linear(chosen)
            self._along(chosen)
            if found is None or self.error < found[0] - _SMALLER:
                found = self.error, self.best, index
            if self.error <= _ENOUGH:
                break
        if found is None or found[0] > before * (1 - _WORTH):
            self.best, self.error = start, before
            return False
        self.error, self.best, index = found
        self.freed.append(index)
        return True

    def exchange(self) -> bool:
        """Puts one free number back and frees another instead; whether it was worth it."""
        start, before, freed = self.best, self.error, self.freed
        for index in freed:
            self.best = _moved(self.axes, start, {index: -start[index]})
            self.error = self._mean(self.best)
            self.freed = [other for other in freed if other != index]
            while self.free_another() and len(self.freed) < len(freed):
                pass
            if self.error <= before * (1 - _WORTH):
                return True
        self.best, self.error, self.freed = start, before, freed
        return False

    def polish(self) -> bool:
        """Moves free numbers by pairs, one up and another down, and all numbers one by one."""
        start, before = self.best, self.error
        for up, down in permutations(self.freed, 2):
            for size in (4, 1):
                while self._try({up: size, down: -size}):
                    pass
        self._along(self.freed)
        for index in range(len(self.axes)):
            if index not in self.freed:
                kept = self.best, self.error
                self._along([index])
                if self.error > kept[1] * (1 - _WORTH):
                    self.best, self.error = kept
        if self.error > before * (1 - _WORTH):
            self.best, self.error = start, before
            return False
        self.freed = [index for index, step in enumerate(self.best) if step]
        return True

    def back(self) -> None:
        """What helps nothing goes back to where it was."""
        for index, step in enumerate(self.best):
            there = _moved(self.axes, self.best, {index: -step})
            if step and self._mean(there) <= self.error + _SMALLER:
                self.best = there

    def _promising(self) -> list[int]:
        """The numbers with which the errors would become least if they were linear."""
        slopes, here = changes(self.errors, self.axes, self.best), self.errors(self.best)
        left: list[tuple[float, int]] = []
        for index in range(len(self.axes)):
            columns = [*self.freed, index]
            if index in self.freed or _independent(slopes[:, columns])[-1:] != [len(self.freed)]:
                continue
            by = np.linalg.lstsq(slopes[:, columns], -here, rcond=None)[0]
            left.append((round(float(np.linalg.norm(here + slopes[:, columns] @ by)), 9), index))
        return [index for _, index in sorted(left)[:_TRIED]]

    def _linear(self, chosen: list[int]) -> None:
        """Towards where the errors would be least if they were linear in the steps."""
        for _ in range(_LINEAR):
            slopes = changes(self.errors, self.axes, self.best, chosen)
            apart = _independent(slopes)
            if not apart:
                return
            wanted = np.linalg.lstsq(slopes[:, apart], -self.errors(self.best), rcond=None)[0]
            moves = [(chosen[i], w) for i, w in zip(apart, wanted.tolist(), strict=True)]
            if not any(
                self._try({index: round(part * w) for index, w in moves})
                for part in (1.0, 0.5, 0.25)
            ):
                return

    def _along(self, chosen: list[int]) -> None:
        """One number after the other, by ever smaller steps, each as long as it helps."""
        for index in chosen:
            size = self.axes[index].reach if self.error > _ENOUGH else 0
            while size:
                while self._try({index: size}) or self._try({index: -size}):
                    pass
                size //= 4

    def _try(self, by: dict[int, int]) -> bool:
        there = _moved(self.axes, self.best, by)
        if there == self.best:
            return False
        error = self._mean(there)
        if error >= self.error - _SMALLER:
            return False
        self.best, self.error = there, error
        return True

    def _mean(self, at: Steps) -> float:
        return float(abs(self.errors(at)).mean())


def _independent(slopes: np.ndarray) -> list[int]:
    """Columns that are no sum of those before them: of numbers that do the same the first moves."""
    chosen: list[int] = []
    for index in range(slopes.shape[1]):
        column = slopes[:, index]
        size = float(np.linalg.norm(column))
        if not size:
            continue
        left = column
        if chosen:
            kept = slopes[:, chosen]
            left = column - kept @ np.linalg.lstsq(kept, column, rcond=None)[0]
        if np.linalg.norm(left) > 1e-6 * size:
            chosen.append(index)
    return chosen
