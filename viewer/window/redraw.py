"""When a picture is drawn: as soon as something has changed, and not otherwise."""

import time
from typing import Any

from stoss.viewer.workbench.workbench import Workbench

__all__ = ["Redraw"]

_AFTER_INPUT = 0.6  # [s] that panels may still move after mouse or key: tooltips come that late
_BLINK = 0.25  # [s] between pictures while a text is edited, a wait is told or a notice stands
_HEARTBEAT = 2.0  # [s] between pictures at most
_MEMORY = 0.1  # share of the last picture in the mean time between pictures
_EVENTS = (
    *("on_mouse_motion", "on_mouse_press", "on_mouse_release", "on_mouse_drag", "on_mouse_scroll"),
    *("on_key_press", "on_key_release", "on_text", "on_resize", "on_expose", "on_show", "on_scale"),
    *("on_activate", "on_deactivate", "on_mouse_enter", "on_mouse_leave"),
)


class Redraw:
    """Decides whether a picture is due.

    Args:
        bench: what is drawn.
    """

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._touched = time.perf_counter()  # when mouse or keys did something
        self._drawn = 0.0  # when the last picture was drawn
        self._seen: tuple[object, ...] = ()  # what it showed
        self._now: tuple[object, ...] = ()  # what the next one would show
        self._between = 0.0  # [s] mean time between pictures that followed each other

    def watch(self, window: Any) -> None:
        """Take note of all that comes from the user, of a pyglet window."""
        window.push_handlers(**dict.fromkeys(_EVENTS, self.touch))

    def touch(self, *_: object) -> None:
        """Take note that the user did something."""
        self._touched = time.perf_counter()

    def is_due(self, text_input: bool = False) -> bool:
        """Return whether there is anything new to be seen.

        Args:
            text_input: whether a text is being edited, with a mark that blinks.
        """
        bench, now = self._bench, time.perf_counter()
        since = now - self._drawn
        self._now = self._what_is_seen()
        if bench.filming or bench.picture_wanted or bench.closing or now - self._touched < _AFTER_INPUT:
            return True
        if since > _HEARTBEAT or self._now != self._seen:
            return True
        waits = bench.waiting is not None or bench.simulation.preparing is not None
        return since > _BLINK and bool(text_input or waits or bench.recent_notices)

    def note(self) -> None:
        """Take note that a picture was drawn."""
        now = time.perf_counter()
        since, self._drawn = now - self._drawn, now
        self._seen = self._now
        if since > _BLINK:
            self._between = 0.0  # it stood still before
        else:
            self._between += (_MEMORY if self._between else 1.0) * (since - self._between)

    @property
    def rate(self) -> float:
        """Return pictures per second while they follow each other, 0 while the picture stands."""
        return 1.0 / self._between if self._between and time.perf_counter() - self._drawn < _BLINK else 0.0

    def _what_is_seen(self) -> tuple[object, ...]:
        """Return what changes without the user: values that differ where pictures do."""
        bench, view = self._bench, self._bench.view
        frame = view.frame
        return (
            *(
                id(view.description),
                frame.step,
                frame.time,
                frame.contacts is None,
                view.paused,
                view.failure,
            ),
            *(view.past, view.looking_back, view.pull, id(view.outline), id(view.marks)),
            *(
                bench.simulation.speed,
                len(bench.recent_notices),
                bench.successor.name,
                bench.quality,
                bench.text.scale,
            ),
            *(bench.selected_body, bench.selected_joint, tuple(sorted(bench.camera.view().items(), key=str))),
        )
