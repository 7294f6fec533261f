"""The impulses of contacts as vectors, from those of their rows."""

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Floats, Floats2
from stoss.engine.contacts.frames import ContactFrames

__all__ = ["write_contact_impulses"]


@kernel
def write_contact_impulses(frames: ContactFrames, total: Floats, out: Floats2) -> None:
    """Write the impulse (c, 3) [N s] on the first body of each contact that has rows, by `total` (rows,)."""
    for at in range(len(frames.contact)):
        r, c = frames.row[at], frames.contact[at]
        for k in range(3):
            out[c, k] = (
                total[r] * frames.axes[at, 0, k]
                + total[r + 1] * frames.axes[at, 1, k]
                + total[r + 2] * frames.axes[at, 2, k]
            )
