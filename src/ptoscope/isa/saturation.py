"""Two fields of the control register: what becomes of numbers beyond a format.

They decide where an instruction of the matrix core does not say it itself.
"""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import I64
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Evidence, Site

NOSAT, KEEP_NAN = "CTRL[48]", "CTRL[50]"
"""The fields, each a special register of its own: whether infinities and NaN stay, and whether
NaN stays where they do not."""
NOSAT_AT, KEEP_NAN_AT = 48, 50
AT_LAUNCH = 1
"""Of `NOSAT`: a public kernel multiplies infinities before it sets anything, and they stay."""

OUTSIDE = Evidence(
    "no sat or nosat written",
    "suite",
    "Bit 48 of CTRL decides, where 1 is nosat, and bit 50 keeps NaN. At launch it is nosat: a "
    "public kernel multiplies infinities before it sets anything, and finds them in the result.",
)


def without_saturation(core: Core, site: Site) -> Lanes:
    """Whether infinities and NaN stay: 0 or 1."""
    return core.read_register(site, NOSAT, I64, AT_LAUNCH)


def with_nan(core: Core, site: Site) -> Lanes:
    """Whether NaN stays although infinities do not: 0 or 1."""
    return core.read_register(site, KEEP_NAN, I64, 0)
