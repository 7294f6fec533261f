"""How kernels are compiled that only other kernels call: without the wrappers for calls from Python.

The wrappers unpack every array of every tuple; for a kernel that takes the whole system they cost more time
to compile than the kernel itself.
"""

from typing import Any

from numba import njit

__all__ = ["inlined", "inner", "inner_numpy"]

_OPTIONS: dict[str, Any] = {"cache": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

inner = njit(**_OPTIONS)
# The same with numpy's rules for divisions by zero, which cost no test.
inner_numpy = njit(error_model="numpy", **_OPTIONS)
# Called per row or contact with tuples of arrays: a call would copy the whole tuple (0.2 us).
inlined = njit(forceinline=True, **_OPTIONS)
