"""One page that shows a run: its source, its time, its values and its memory.

The page is put together here of what other rooms know; nothing is computed about the kernel.
"""
