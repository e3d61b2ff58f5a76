"""`python -m ptoscope` is the command `ptoscope`."""

import sys

from ptoscope.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
