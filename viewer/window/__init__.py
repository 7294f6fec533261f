"""The window: mouse, keys, panels."""

from stoss.dependencies import require

require(__name__)
