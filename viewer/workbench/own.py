"""Sliders, switches, buttons and keys of the user's own. No window is needed here."""

from collections import deque
from collections.abc import Callable
from typing import Any

from stoss.collision.plain_numbers import flag, number, shown
from stoss.names import closed, hint

__all__ = ["Button", "Knob", "OwnControls", "Switch", "key_name"]

_MODIFIERS = ("CTRL", "SHIFT")
_NAMED = (
    *("SPACE", "ENTER", "TAB", "BACKSPACE", "DELETE", "INSERT", "ESCAPE"),
    *("LEFT", "RIGHT", "UP", "DOWN", "HOME", "END", "PAGEUP", "PAGEDOWN"),
    *("PLUS", "MINUS", "COMMA", "PERIOD"),
)
_KEYS = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *(f"F{n}" for n in range(1, 13)), *_NAMED)
_SIGNS = {"+": "PLUS", "-": "MINUS", ",": "COMMA", ".": "PERIOD", " ": "SPACE", "RETURN": "ENTER"}


@closed
class Knob:
    """A number that the user sets with a slider; read `value`, or assign it."""

    __slots__ = ("_least", "_most", "_name", "_value")

    def __init__(self, name: str, least: float, most: float, value: float) -> None:
        self._name, self._least, self._most = name, least, most
        self._value = value

    def __repr__(self) -> str:
        return f"<Knob {self._name!r}: {self._value:g} of {self._least:g} to {self._most:g}>"

    @property
    def name(self) -> str:
        """Return what stands beside it."""
        return self._name

    @property
    def bounds(self) -> tuple[float, float]:
        """Return its ends."""
        return self._least, self._most

    @property
    def value(self) -> float:
        """The present number; assign to move the slider."""
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        self._value = number(f"value of slider {self._name!r}", value, least=self._least, most=self._most)


@closed
class Switch:
    """Something that the user switches on and off; read `on`, or assign it."""

    __slots__ = ("_name", "_on")

    def __init__(self, name: str, on: bool) -> None:
        self._name, self._on = name, on

    def __repr__(self) -> str:
        return f"<Switch {self._name!r}: {'on' if self._on else 'off'}>"

    @property
    def name(self) -> str:
        """Return what stands beside it."""
        return self._name

    @property
    def on(self) -> bool:
        """Whether it is on; assign to switch it."""
        return self._on

    @on.setter
    def on(self, on: bool) -> None:
        self._on = flag(f"on of switch {self._name!r}", on)


@closed
class Button:
    """Something to press; `pressed` tells once that it was."""

    __slots__ = ("_name", "_presses")

    def __init__(self, name: str) -> None:
        self._name, self._presses = name, 0

    def __repr__(self) -> str:
        return f"<Button {self._name!r}>"

    @property
    def name(self) -> str:
        """Return what stands on it."""
        return self._name

    @property
    def pressed(self) -> bool:
        """Return whether it was pressed since this was last asked."""
        pressed, self._presses = self._presses > 0, 0
        return pressed


class OwnControls:
    """What a program has put into the window, in the order in which it did.

    Attributes:
        items: by their names.
        keys: what keys do, by names such as "CTRL+R".
        due: functions of buttons and keys that were pressed, to be called between two steps.
    """

    def __init__(self) -> None:
        self.items: dict[str, Knob | Switch | Button] = {}
        self.keys: dict[str, Callable[[], Any]] = {}
        self.due: deque[Callable[[], Any]] = deque()
        self._functions: dict[str, Callable[[], Any]] = {}

    def slider(self, name: Any, least: Any, most: Any, value: Any = None) -> Knob:
        """Add a slider; without a value it begins at its lower end."""
        self._check_name(name)
        low = number("least", least)
        high = number("most", most, above=low, cure=f", the other end of slider {name!r}")
        knob = Knob(name, low, high, low)
        if value is not None:
            knob.value = value
        self.items[name] = knob
        return knob

    def switch(self, name: Any, on: Any = False) -> Switch:
        """Add a switch."""
        self._check_name(name)
        switch = Switch(name, flag("on", on))
        self.items[name] = switch
        return switch

    def button(self, name: Any, function: Any = None) -> Button:
        """Add a button, and what is to be called when it is pressed."""
        self._check_name(name)
        if function is not None:
            self._functions[name] = _callable("function", function)
        button = Button(name)
        self.items[name] = button
        return button

    def key(self, name: Any, function: Any) -> None:
        """Say what is to be called when a key is pressed; it goes before what the window does with it."""
        key, function = key_name(name), _callable("function", function)
        if key in self.keys:
            raise ValueError(f"key = {shown(name)} has a function already; choose another key")
        self.keys[key] = function

    def press(self, button: Button) -> None:
        """Take note that a button was pressed."""
        button._presses += 1
        if button.name in self._functions:
            self.due.append(self._functions[button.name])

    def press_key(self, name: str) -> bool:
        """Take note of a key; return whether it has a function."""
        try:
            function = self.keys.get(key_name(name))
        except ValueError:  # one that nothing can be asked of
            return False
        if function is not None:
            self.due.append(function)
        return function is not None

    def call_due(self) -> bool:
        """Call what is due; return whether anything was."""
        called = bool(self.due)
        while self.due:
            self.due.popleft()()
        return called

    def _check_name(self, name: Any) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"name = {shown(name)} must be a text, which stands beside it in the window")
        if name in self.items:
            raise ValueError(
                f"name = {name!r} is taken by {self.items[name]!r}; add it once, before the loop, under a "
                "name of its own"
            )


def key_name(name: Any) -> str:
    """Return the name that the window has for a key: "k" is "K", "ctrl+r" is "CTRL+R", "+" is "PLUS".

    Raises:
        TypeError, ValueError: there is no such key.
    """
    if not isinstance(name, str):
        raise TypeError(f"key = {shown(name)} must be a text such as 'k', 'F8' or 'ctrl+r'")
    upper = name.upper()
    head, plus, last = upper.rpartition("+")
    if not last:  # the key + itself
        head, last = head.removesuffix("+"), "+"
    last = _SIGNS.get(last, last).replace("_", "").replace(" ", "") if last != " " else "SPACE"
    if last not in _KEYS or (head and head not in _MODIFIERS):
        raise ValueError(
            f"key = {shown(name)} is no key{hint(last, _NAMED)}; give a letter, a digit, F1 to F12 or one of "
            f"{', '.join(key.lower() for key in _NAMED)}, with ctrl+ or shift+ before it"
        )
    return f"{head}+{last}" if head else last


def _callable(name: str, value: Any) -> Callable[[], Any]:
    if not callable(value):
        raise TypeError(f"{name} = {shown(value)} must be a function without arguments, such as a lambda")
    made: Callable[[], Any] = value
    return made
