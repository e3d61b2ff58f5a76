"""The reference pages: one per instruction, made from its record, with an example that runs.

`site.write` makes them all, `example.example` the kernel of one instruction. Pages are Markdown
text; nothing here needs the tool that iterations them into a site.
"""
