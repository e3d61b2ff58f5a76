"""What of a processor generated code depends on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Abilities:
    """Chosen once for a machine."""

    masked_stores: int
    """The least element, in bytes, that it stores under a mask without a branch."""
    fma: bool
