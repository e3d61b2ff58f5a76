"""Where the buffers of a kernel written in Python lie: `plan` decides it, `MemoryMap` shows it."""
