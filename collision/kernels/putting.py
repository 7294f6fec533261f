"""Write into memory what mostly stands there."""

from stoss.collision.kernels.decorators import inner

__all__ = ["put"]


@inner(always=True)
def put(array, i, value):
    """Let array[i] be a value that it mostly is.

    In large worlds memory is what loops wait for, and what is not written need not be written back.
    """
    if array[i] != value:
        array[i] = value
