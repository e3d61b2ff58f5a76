"""Undefined data: shadow state beside the reference engine.

Every bit of UB, of marked arrays and of registers is defined or not. What nobody wrote,
lanes the documents forbid relying on, what lies beyond a tail and what a stream holds back
is undefined; it goes with the data as far as values depend on it, and is a finding where it
reaches GM, an address, a mask or a branch.
"""

from ptoscope.machine.shadow.run import Observation, observe, run_shadow

__all__ = ["Observation", "observe", "run_shadow"]
