"""Forms of instructions: which one a text is written in, and what follows from it."""
