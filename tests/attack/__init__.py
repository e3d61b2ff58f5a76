"""Attacks: attempts to crash, hang or deceive ptoscope, for as long as one asks.

An attacker is a module here with a function `attempt(rng)` and a number `SECONDS` that one
attempt may take at most. The driver calls it in a child process, with a random generator whose
seed it prints when something goes wrong: a crash, a hang, or an exception, which is how an
attacker says that what it saw was not right.
"""
