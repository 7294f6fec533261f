"""How kernels are compiled: most of them without reference counts, many without a wrapper for Python.

Numba counts references to arrays, also to those in a tuple that is passed on: 64 atomic additions for a
function that takes rows and frames, which is more than most of them compute per contact. A kernel that
allocates nothing, and returns no array, owns none and does not need to count; numba refuses to compile one
that allocates without. A test looks after arrays that are returned.

The wrappers for calls from Python unpack every array of every tuple; for a kernel that takes the whole system
they cost more time to compile than the kernel itself.
"""

from typing import Any

from numba import njit

__all__ = [
    "allocating",
    "allocating_kernel",
    "allocating_kernel_numpy",
    "allocating_numpy",
    "inlined",
    "inlined_numpy",
    "inner",
    "inner_numpy",
    "kernel",
    "kernel_numpy",
]

# What a kernel does not say it takes over from the first one that calls it.
# All release the interpreter while they run, so that a window goes on beside a long step.
_COUNTED: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": True}
_UNCOUNTED: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}
_UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# Called from Python; `_numpy`: numpy's rules for divisions by zero, which cost no test.
kernel = njit(**_UNCOUNTED)
kernel_numpy = njit(error_model="numpy", **_UNCOUNTED)
# Called by kernels only.
inner = njit(**_UNCOUNTED, **_UNWRAPPED)
inner_numpy = njit(error_model="numpy", **_UNCOUNTED, **_UNWRAPPED)
# Called per row or contact with tuples of arrays, of which a call would copy every number.
inlined = njit(forceinline=True, **_UNCOUNTED, **_UNWRAPPED)
inlined_numpy = njit(forceinline=True, error_model="numpy", **_UNCOUNTED, **_UNWRAPPED)
# The same for kernels that allocate, or return an array.
allocating_kernel = njit(**_COUNTED)
allocating_kernel_numpy = njit(error_model="numpy", **_COUNTED)
allocating = njit(**_COUNTED, **_UNWRAPPED)
allocating_numpy = njit(error_model="numpy", **_COUNTED, **_UNWRAPPED)
