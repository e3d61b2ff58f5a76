"""Memory of a core for tiles on their way: what stands where in it, in bytes."""

from __future__ import annotations

_SPARE = 4096
"""Bytes after a piece that may be read, and mean nothing."""
PANEL_BYTES = 256 << 10
"""The factors of an operand: those of all elements of one byte that its memory holds."""
LEFT_PANEL = 0
RIGHT_PANEL = LEFT_PANEL + PANEL_BYTES + _SPARE
DEPTH = 256
"""Steps of k for which factors of columns are packed at once."""
COLUMNS = RIGHT_PANEL + PANEL_BYTES + _SPARE
"""Those factors, of the columns that are summed at once: no more than 32."""
EDGE = COLUMNS + 4 * 32 * DEPTH + _SPARE
"""Sums of a block of which a part is used: no more than 8 rows of 32."""
READ = EDGE + 4 * 8 * 32 + _SPARE
"""Elements that do not lie together, before and (WRITTEN) after a conversion."""
WRITTEN = READ + _SPARE
TABLES = WRITTEN + _SPARE
"""Parameters of columns that do not lie together."""
SCRATCH_BYTES = TABLES + _SPARE
