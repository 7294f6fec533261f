"""How large text and widgets are: by the display, and as the user has chosen."""

from collections.abc import Callable

import numpy as np

from stoss.errors import FileError
from stoss.viewer.workbench.preferences import read_text_size, write_text_size

__all__ = ["TEXT_SIZES", "TextSize"]

TEXT_SIZES = (0.75, 0.85, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0)


class TextSize:
    """The size of text and widgets, in parts of that at 96 dots per inch.

    Args:
        tell: shows a line to the user.

    Attributes:
        of_display: by the dots per inch of the display.
        chosen: by the user, of `TEXT_SIZES`.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.of_display = self.chosen = 1.0
        self._tell = tell
        self._lasts = False  # whether it is kept for windows to come

    @property
    def scale(self) -> float:
        """Return how large text and widgets are, by both."""
        return self.of_display * self.chosen

    def change(self, by: int) -> None:
        """Take the next larger or smaller of `TEXT_SIZES`, for this window and those to come."""
        now = min(range(len(TEXT_SIZES)), key=lambda i: abs(TEXT_SIZES[i] - self.chosen))
        self.chosen = TEXT_SIZES[int(np.clip(now + by, 0, len(TEXT_SIZES) - 1))]
        if self._lasts:
            try:
                write_text_size(self.chosen)
            except FileError as error:
                self._tell(f"the size of text ends with this window: {error}")

    def read(self) -> None:
        """Take over what the user has set in other windows, and keep what is set in this one."""
        self._lasts = True
        try:
            self.chosen = read_text_size()
        except (ValueError, OSError) as error:
            self._lasts = False
            self._tell(f"{error}; the size of text is as usual, until you mend or remove the file")
