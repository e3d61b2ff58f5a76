"""Under which names instructions stand in Python."""

from __future__ import annotations

from ptoscope.ir.forms.syntax import compiled
from ptoscope.isa.record import Record
from ptoscope.isa.table import TABLE


def python_name(record: Record) -> str:
    """The name of an instruction without its dialect: `vadd`, `sync_set`, `ceildivsi`."""
    return record.short.replace(".", "_")


def _is_called(record: Record) -> bool:
    """Whether it is a call: what has a body is a statement, and a constant is a number."""
    form = record.forms[0]
    return bool(form.operands or record.name.startswith("pto.")) and not any(
        compiled(form).region for form in record.forms
    )


BY_NAME: dict[str, Record] = {python_name(r): r for r in TABLE.values() if _is_called(r)}
"""Every instruction that a kernel can call."""
assert len(BY_NAME) == sum(map(_is_called, TABLE.values())), "two instructions have one name"
