"""The bridge to xDSL, for people who write compilers: `pip install 'ptoscope[xdsl]'`.

`to_xdsl` gives a kernel as an xDSL module, `from_xdsl` makes a kernel of one again. The `pto`
dialect is made from the instruction records, and `xdsl-opt` finds it by itself. Comments and
places in the text have no counterpart in xDSL and are lost.
"""

from __future__ import annotations

from ptoscope.xdsl.dialect import context
from ptoscope.xdsl.from_module import from_xdsl, to_program
from ptoscope.xdsl.to_module import to_xdsl

__all__ = ["context", "from_xdsl", "to_program", "to_xdsl"]
