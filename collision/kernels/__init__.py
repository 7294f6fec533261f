"""How numba kernels are declared, compiled and called."""
