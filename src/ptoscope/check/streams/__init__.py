"""Rules about unaligned streams: how they begin, go on and are flushed."""
