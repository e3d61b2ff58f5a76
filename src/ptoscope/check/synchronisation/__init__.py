"""Rules about flags, buffers and barriers, and about races that can be seen before a run."""
