"""Hostile use, in numbers: calls with values that do not fit, damaged files, interrupts.

`python -m stoss.benchmarks.api_fuzz 20000` finds all public calls by looking at the classes and functions
that the packages give away, and makes that many calls in processes of their own, on worlds that were built,
copied, pickled, restored, put to sleep, or had bodies removed. A call that is refused must say so by a usual
error that names argument and value, and leave all as it was: the whole state and the step after it. A call
that is taken must leave a world that goes on. What breaks one of these is printed with the call.

`stoss.benchmarks.api_fuzz.files` damages files, `stoss.benchmarks.api_fuzz.interrupts` interrupts steps.
"""
