"""`with pto.vecscope():`, the part of a kernel that the vector pipe executes."""

from __future__ import annotations

from typing import Any

from ptoscope.lang.maker import current


class VectorScope:
    """What `pto.vecscope()` gives."""

    def __enter__(self) -> None:
        current().enter_scope()

    def __exit__(self, *failure: Any) -> None:
        current().leave_scope(failed=failure[0] is not None)


def vecscope() -> VectorScope:
    """The body is executed by the vector pipe: vectors and masks live only in there, and what
    it computes leaves it through UB."""
    return VectorScope()
