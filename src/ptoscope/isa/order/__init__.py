"""The rulebook of order: who waits for whom, and what is complete before what.

The scalar unit issues instructions in program order; each pipe (`isa.parts`) executes its own
in order, but for copies, which may overlap. Who waits for whom is settled when instructions
are issued, whenever they run: `ledger` keeps the account, `rules` say what each kind of
synchronisation writes into it, `pipes` executes what was issued and carries along what a domain
wants to know. `memory` has the order of accesses on one pipe.
"""
