"""From a trace to cycles: one model per target, with reasons."""

from __future__ import annotations

from ptoscope.timing.timing import MODELS, Timing, time_kernel, time_trace

__all__ = ["MODELS", "Timing", "time_kernel", "time_trace"]
