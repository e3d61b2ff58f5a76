"""What pipes execute, on the reference core, with the values that generated code hands over."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.copies import CopyPath, from_words
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import DType, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.rules import BARRIER, OrderRule
from ptoscope.isa.parts import PIPE_ALL
from ptoscope.isa.record import Site


def issue_outlined(site: Site, pipe: str, core: Any, address: Lanes, *captured: Lanes) -> None:
    """Gives a body to a pipe."""
    core.issue_native(site, pipe, address, captured)


def transfer_again(
    site: Site,
    path: CopyPath,
    dtype: DType,
    loops: int,
    named: bool,
    core: Core,
    *words: Lanes,
) -> None:
    """The last number is the core whose UB is meant, where one is `named`."""
    src, dst, length, enabled, left, right, pattern, mode, *rest = words
    value = pattern.cast(unsigned(8 * dtype.bytes)).bits(dtype)
    numbers = (length, enabled, left, right, mode, *rest[: 3 * loops])
    copy = from_words(path, dtype, numbers, value)
    core.transfer(site, src, dst, copy._replace(core=rest[-1]) if named else copy)


def synchronise_again(
    site: Site, rule: OrderRule, src: str, dst: str, core: Core, *numbers: Lanes
) -> None:
    """Any synchronisation."""
    core.synchronise(site, rule, src, dst, numbers)


def count_again(
    site: Site, rule: OrderRule, src: str, dst: str, core: Core, *numbers: Lanes
) -> None:
    """Its first number comes last."""
    core.synchronise(site, rule, src, dst, (numbers[-1], *numbers[:-1]))


def barrier_again(site: Site, core: Core) -> None:
    """Waits for all pipes."""
    core.synchronise(site, BARRIER, PIPE_ALL, "", ())


def too_many_iterations(site: Site, core: Any) -> None:
    """Says that loops have begun more iterations than they may."""
    core.too_many_iterations(site)
