"""`python -m ptoscope.docs SOURCE OUT`: writes the pages of the site."""

from __future__ import annotations

import sys
from pathlib import Path

from ptoscope.docs.site import write

if __name__ == "__main__":
    source, out = map(Path, sys.argv[1:])
    print(f"{write(source, out)} files written to {out}")
