"""One series of random calls: each is made, and what it left behind is compared with what was before."""

import hashlib
import numbers
import pickle
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from stoss.benchmarks.api_fuzz.calls import Argument, Call, all_calls
from stoss.benchmarks.api_fuzz.findings import Finding, Summary
from stoss.benchmarks.api_fuzz.worlds import STATES, new_world
from stoss.collision.plain_numbers import shown
from stoss.engine import SimulationError

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["run_trials"]

CALLS_PER_WORLD = 25
USUAL = (ValueError, TypeError, KeyError, AttributeError, IndexError)
WRITABLE = ("velocities", "angular_velocities", "forces", "torques")


class _Series:
    """A series of calls in one process.

    Args:
        seed: of the series.
        tell: is told each call before it is made, so that one that ends the process is known.
    """

    def __init__(self, seed: int, tell: Callable[[str], None]) -> None:
        self.seed, self.tell = seed, tell
        self.rng = np.random.default_rng(seed)
        self.summary = Summary()
        self.calls = all_calls()
        self.state = "built"

    def run(self, count: int) -> Summary:
        """Make that many calls."""
        while self.summary.calls < count:
            self.state = str(self.rng.choice(list(STATES)))
            world = new_world(self.state, self.rng)
            for _ in range(min(CALLS_PER_WORLD, count - self.summary.calls)):
                if not self._one(world):
                    break
        return self.summary

    def _one(self, world: "World") -> bool:
        """Make one call; return whether the world is still good for another."""
        rng, summary = self.rng, self.summary
        call = self.calls[int(rng.integers(len(self.calls)))]
        of = call.of(world, rng)
        if of is None:
            return True
        given, wrong = self._values(call, world)
        text = f"{call.name}({', '.join(f'{name}={shown(value)}' for name, value in given.items())})"
        before, snapshot = _digest(world), world.save()
        self.tell(f"{call.way} {text} in a {self.state} world")
        summary.calls += 1
        summary.of[call.name] += 1
        summary.worlds[self.state] += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._make(call, of, given)
        except USUAL as error:
            summary.refused += 1
            self._judge_refusal(call, of, given, error, text)
            return self._is_unchanged(world, before, snapshot, text)
        except SimulationError:
            summary.taken += 1
            return False
        except Exception as error:  # whatever it is, it is a finding
            summary.refused += 1
            self._find("unusual error", text, f"{type(error).__name__}: {error}")
            return self._is_unchanged(world, before, snapshot, text)
        summary.taken += 1
        if wrong:
            self._find("wrong value taken", text, ", ".join(wrong))
        return self._goes_on(world, text)

    def _values(self, call: Call, world: "World") -> tuple[dict[str, Any], list[str]]:
        """Return values by names of arguments, and the names of those that do not fit."""
        rng = self.rng
        if call.way == "read":
            return {}, []
        given: dict[str, Any] = {}
        wrong: list[str] = []
        # as many calls that fit as calls of which one value, or a few, do not
        share = (
            0.0 if rng.random() < 0.3 and not call.only_wrong else min(1.0, 1.5 / max(1, len(call.arguments)))
        )
        for argument in call.arguments:
            if not argument.needed and rng.random() < 0.6:
                continue
            bad = bool(rng.random() < share)
            value = argument.draw(world, rng, not bad)
            given[argument.name] = value
            if (
                bad
                and argument.meaning not in ("", "anything", "table")
                and not (value is None and argument.none)
            ):
                wrong.append(argument.name)
        if call.only_wrong and not wrong and call.arguments:
            argument = call.arguments[int(rng.integers(len(call.arguments)))]
            given[argument.name] = argument.draw(world, rng, False)
            wrong.append(argument.name)
        elif call.way == "call" and rng.random() < 0.08:
            name = str(rng.choice(["pos", "static", "dt", "half_extents", "foo", "orn", "r", "naem"]))
            if name not in [argument.name for argument in call.arguments]:
                given[name] = float(rng.integers(9))
                wrong.append(name)
        return given, wrong

    def _make(self, call: Call, of: Any, given: dict[str, Any]) -> None:
        own = call.name.rpartition(".")[2]
        if call.way == "read":
            self._read(call, of, own)
        elif call.way == "assign":
            setattr(of, own, given[own])
        else:
            function = of if call.of_itself else getattr(of, own)
            places = [given[a.name] for a in call.arguments if a.by_place and a.name in given]
            named = {name: value for name, value in given.items() if not _by_place(call.arguments, name)}
            function(*places, **named)

    def _read(self, call: Call, of: Any, own: str) -> None:
        """Read an attribute, show it, and try to change what was read, or a name that is nearly it."""
        value = getattr(of, own)
        repr(value)
        if isinstance(value, np.ndarray) and value.size and own not in WRITABLE and self.rng.random() < 0.5:
            try:
                value[...] = 0
            except ValueError:
                return
            if np.asarray(getattr(of, own)).size and not np.array_equal(value, getattr(of, own)):
                self._find("a copy may be written", call.name, "without an error")
        elif self.rng.random() < 0.5:
            try:
                setattr(of, own + "s_", 1)
            except AttributeError as error:
                if own not in str(error):
                    self._find("unnamed", f"{call.name}s_ = 1", str(error))
            else:
                self._find("attribute taken", f"{call.name}s_ = 1", "without an error")

    def _judge_refusal(self, call: Call, of: Any, given: dict[str, Any], error: Exception, text: str) -> None:
        """Count whether a refusal names argument and value, or the state of the thing that refused."""
        message = " ".join(str(error).split())
        if _names(message, given, call) or _names_thing(message, of, given):
            self.summary.named += 1
        else:
            self._find("unnamed", text, f"{type(error).__name__}: {message[:300]}")

    def _is_unchanged(self, world: "World", before: str, snapshot: Any, text: str) -> bool:
        """Compare state and next step with those without the call."""
        if _digest(world) != before:
            self._find("a refused call changed something", text, "the state is another one")
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hashes = []
            for _ in range(2):
                try:
                    world.step()
                    hashes.append(world.state_hash())
                except Exception as error:  # both steps are to end alike, also in an error
                    hashes.append(f"{type(error).__name__}: {error}")
                world.restore(snapshot)
        if hashes[0] != hashes[1]:
            self._find("a refused call changed the next step", text, f"{hashes[0]} in place of {hashes[1]}")
            return False
        return True

    def _goes_on(self, world: "World", text: str) -> bool:
        """Make a step after a call that was taken."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                world.step()
            except SimulationError:
                return False
            except Exception as error:  # whatever it is, it is a finding
                self._find("the step after it fails", text, f"{type(error).__name__}: {error}")
                return False
        if not (np.isfinite(world.positions).all() and np.isfinite(world.velocities).all()):
            self._find("not finite after it", text, "positions or velocities")
            return False
        return len(world.bodies) < 60

    def _find(self, rule: str, call: str, says: str) -> None:
        self.summary.findings.append(Finding(rule, call[:400], says[:400], self.state, self.seed))


def _by_place(arguments: tuple[Argument, ...], name: str) -> bool:
    return any(a.by_place and a.name == name for a in arguments)


def _digest(world: "World") -> str:
    """Return a hash of all that a world is made of, and what users see of it."""
    seen = [b.name for b in world.bodies], [(j.name, len(j.limits), len(j.drives)) for j in world.joints]
    callbacks = len(world.before_step), len(world.after_step)
    return hashlib.sha256(pickle.dumps((world.save(), seen, callbacks))).hexdigest()


def _names(message: str, given: dict[str, Any], call: Call) -> bool:
    """Return whether a message names an argument that was given, or what was called, and its value."""
    for argument in call.arguments:  # left out, so it is its default that does not fit
        if (
            argument.name not in given
            and not argument.needed
            and argument.name in message
            and shown(argument.default) in message
        ):
            return True
    own = call.name.rpartition(".")[2]
    for name, value in [*given.items(), *((own, value) for value in given.values())]:
        if re.search(rf"(?<![A-Za-z0-9]){re.escape(name.rstrip('s'))}", message) and _shows(message, value):
            return True
    return False


def _shows(message: str, value: Any) -> bool:
    """Return whether a message shows a value, or the part of it that is wrong."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return _shows(message, value.item())  # taken as the number that it holds
    whole = shown(value)
    if whole[:40] in message:
        return True
    if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind in "fiub" and value.size < 100:
        return " ".join(repr(value.tolist()).split())[:20] in message or any(
            repr(x)[:12] in message for x in value.tolist()
        )
    if isinstance(value, list | tuple | set | dict):
        return any(_shows(message, one) for one in value)
    if isinstance(value, float | numbers.Rational | Decimal | np.number) and not isinstance(value, bool):
        try:
            return f"{float(cast(Any, value)):g}" in message
        except (OverflowError, TypeError, ValueError):
            return False
    return False


def _names_thing(message: str, of: Any, given: dict[str, Any]) -> bool:
    """Return whether a message names what cannot do what was asked, such as a body that is static."""
    names = [getattr(thing, "name", None) for thing in (of, getattr(of, "joint", None), *given.values())]
    if any(isinstance(name, str) and name and repr(name) in message for name in names):
        return True
    kind = of if isinstance(of, type) else type(of)
    said = kind.__name__ if kind is not type(_names) else of.__name__
    missing = "missing" in message or "no attribute" in message or "cannot be assigned" in message
    return said in message and (missing or all(_shows(message, value) for value in given.values()))


def run_trials(seed: int, count: int, tell: Callable[[str], None] = lambda text: None) -> Summary:
    """Make random calls and return what they found.

    Args:
        seed: of the series.
        count: how many calls.
        tell: is told each call before it is made.
    """
    return _Series(seed, tell).run(count)
