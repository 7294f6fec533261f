"""One thread at a time in a world, and no signal in the middle of what changes it.

A world is plain arrays; two threads that change one at the same time corrupt memory. So whatever changes a
world, or finds something anew in it, enters it first, and a second thread that would enter is refused. While
it is in, signals wait (`signals`): Ctrl-C finds a whole world, before or after the change.
"""

import functools
from collections.abc import Callable, Sequence
from threading import Lock, enumerate, get_ident, main_thread
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from stoss.engine.world.signals import HeldSignals

if TYPE_CHECKING:
    from stoss.engine.world.report import StepReport

__all__ = ["Entry", "enters_world"]

_C = TypeVar("_C", bound=type)


class Entry:
    """The one place by which threads enter a world: `with entry("step"):`, and again within that.

    Attributes:
        uses: how often it was entered, or asked for: as long as that stays the same, nothing was changed.
        unread: report of the last step, which is told of every change before.
    """

    def __init__(self) -> None:
        self.uses = 0
        self.unread: ref[StepReport] | None = None
        self._lock = Lock()
        self._thread = 0  # which is in
        self._depth = 0  # how often it has entered again
        self._what = ""
        self._is_main = False  # whether that thread is the one in which handlers of signals run
        self._signals = HeldSignals()  # used by that one alone

    def __call__(self, what: str) -> "Entry":
        """Enter, to do what is named; signals wait until it is left.

        Raises:
            RuntimeError: another thread is in.
        """
        me = get_ident()
        self.uses += 1
        if self._thread == me:
            self._depth += 1
            return self
        is_main = me == main_thread().ident
        if is_main:
            self._signals.hold()
        if not self._lock.acquire(False):
            if is_main:
                self._signals.release()
            self.check(what)
            raise RuntimeError(f"{what}: another thread was in the same world just now{_CURE}")
        self._thread, self._depth, self._what, self._is_main = me, 0, what, is_main
        if self.unread is not None:
            self._keep_report()
        return self

    def _keep_report(self) -> None:
        report = None if self.unread is None else self.unread()
        self.unread = None
        if report is not None:
            report._keep()

    def __enter__(self) -> "Entry":
        return self

    def __exit__(self, *error: object) -> None:
        if self._depth:
            self._depth -= 1
            return
        is_main, self._thread = self._is_main, 0
        self._lock.release()
        if is_main:
            self._signals.release()

    def check(self, what: str) -> None:
        """Raise if another thread is in: for a change so small that nothing can come between.

        Raises:
            RuntimeError: another thread is in.
        """
        self.uses += 1
        other = self._thread
        if other in (0, get_ident()):
            if self.unread is not None:
                self._keep_report()
            return
        names = {thread.ident: thread.name for thread in enumerate()}
        raise RuntimeError(
            f"{what} was called in thread {names.get(get_ident(), 'of another kind')!r} while thread "
            f"{names.get(other, 'of another kind')!r} is in the same world ({self._what}){_CURE}"
        )

    def refuse_again(self, what: str) -> None:
        """Raise if this thread is in already.

        Raises:
            RuntimeError: it is.
        """
        if self._thread == get_ident():
            raise RuntimeError(f"{what} was called within {self._what} of the same world: by a callback?")

    def call(self, functions: Sequence[Callable[[Any], Any]], argument: Any) -> None:
        """Call what users gave, in whose code no signal has to wait."""
        self.uses += 1
        if not self._is_main:
            for function in functions:
                function(argument)
            return
        self._signals.release()
        try:
            for function in functions:
                function(argument)
        finally:
            self._signals.hold()

    def let_signals_in(self) -> None:
        """Call the handlers of signals that came, between two steps; one of them may raise."""
        if self._signals.waiting:
            self.call((), None)


_CURE = (
    ": only one thread at a time may use a world. Put a threading.Lock around every use of it, or give each "
    "thread a world of its own, for instance by world.copy()"
)


def enters_world(*names: str, light: Sequence[str] = ()) -> Callable[[_C], _C]:
    """Return a decorator of classes: what changes the world enters it first, by `_entry`.

    That is all that is assigned, and what is named.

    Args:
        names: methods, and properties that do more than read.
        light: methods, and properties that are assigned, which write a few numbers: others are kept out, but
            signals need not wait.
    """

    def decorate(kind: _C) -> _C:
        missing = [name for name in (*names, *light) if name not in vars(kind)]
        if missing:
            raise TypeError(f"{kind.__name__} has no {', '.join(missing)}")
        for name, member in list(vars(kind).items()):
            what = f"{kind.__name__.lower()}.{name}"
            enter = _checking if name in light else _entering
            if isinstance(member, property):
                read, write = member.fget, member.fset
                if name in names and read is not None:
                    read = _entering(read, what)
                if write is not None:
                    write = enter(write, what)
                setattr(kind, name, property(read, write, member.fdel, member.__doc__))
            elif isinstance(member, FunctionType) and name in (*names, *light):
                setattr(kind, name, enter(member, what))
        return kind

    return decorate


def _entering(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return a function that enters the world of its first argument and calls the function."""

    @functools.wraps(function)
    def enter(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._entry(what):
            return function(self, *arguments, **named)

    return enter


def _checking(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return a function that refuses another thread and calls the function."""

    @functools.wraps(function)
    def check(self: Any, *arguments: Any, **named: Any) -> Any:
        self._entry.check(what)
        return function(self, *arguments, **named)

    return check
