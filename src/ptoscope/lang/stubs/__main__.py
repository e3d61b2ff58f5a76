"""`python -m ptoscope.lang.stubs > src/ptoscope/pto.pyi` writes the stub anew."""

import sys

from ptoscope.lang.stubs.text import stub

sys.stdout.write(stub())
