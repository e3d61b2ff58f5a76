"""Random programs in the spellings of people and compilers.

`respell` rewrites a program by random choice for each of its operations. Each spelling is a record
(`record.py`) with an example and a mistake; what all spellings have to hold is in `verdict.py`.
"""
