"""Sliders, switches, buttons and keys of a program: what it asks for, and what it hears."""

import math

import pytest

from stoss.viewer.workbench.own import OwnControls, key_name


def test_sliders_and_switches_keep_what_is_set():
    own = OwnControls()
    kp, wind = own.slider("kp", 0, 100, value=20), own.switch("wind", True)
    assert (kp.value, kp.bounds, wind.on) == (20.0, (0.0, 100.0), True)
    kp.value, wind.on = 7, False
    assert (kp.value, wind.on) == (7.0, False)
    assert own.slider("ki", -1, 1).value == -1.0


def test_buttons_and_keys_call_their_functions_between_steps_and_tell_once_that_they_were_pressed():
    own, called = OwnControls(), []
    kick = own.button("kick", lambda: called.append("kick"))
    own.key("ctrl+r", lambda: called.append("key"))
    own.press(kick)
    assert own.press_key("CTRL+R") and not own.press_key("R") and not own.press_key("NUM_1")
    assert called == []
    assert own.call_due() and not own.call_due()
    assert called == ["kick", "key"]
    assert kick.pressed and not kick.pressed


@pytest.mark.parametrize(
    ("given", "name"),
    [("k", "K"), ("F8", "F8"), ("ctrl+r", "CTRL+R"), ("+", "PLUS"), ("ctrl++", "CTRL+PLUS"), (" ", "SPACE")]
    + [("page_up", "PAGEUP"), ("shift+left", "SHIFT+LEFT"), ("return", "ENTER")],
)
def test_keys_have_many_names(given, name):
    assert key_name(given) == name


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (
            lambda own: own.slider("kp", 0, 100),
            "name = 'kp' is taken by <Knob 'kp': 1 of 0 to 2>; add it once",
        ),
        (lambda own: own.button("kp"), "is taken"),
        (lambda own: own.slider("", 0, 1), "name = '' must be a text"),
        (lambda own: own.slider(3, 0, 1), "name = 3 must be a text"),
        (lambda own: own.slider("a", 1, 1), "most = 1 must be a .*above 1, the other end of slider 'a'"),
        (lambda own: own.slider("a", 0, math.nan), "most = nan"),
        (lambda own: own.slider("a", 0, 1, value=2), "value of slider 'a' = 2 must be"),
        (lambda own: own.switch("a", 1), "on = 1 must be True or False"),
        (lambda own: own.button("a", "go"), "function = 'go' must be a function without arguments"),
        (lambda own: own.key("kk", print), "key = 'kk' is no key; give a letter"),
        (lambda own: own.key("spce", print), "did you mean SPACE"),
        (lambda own: own.key("alt+k", print), "with ctrl. or shift. before it"),
        (lambda own: own.key(7, print), "key = 7 must be a text"),
        (lambda own: own.key("k", None), "function = None must be a function"),
        (lambda own: own.key("K", print), "key = 'K' has a function already"),
        (lambda own: setattr(own.items["kp"], "value", 3), "value of slider 'kp' = 3"),
        (lambda own: setattr(own.items["kp"], "val", 3), "Knob has no attribute val"),
    ],
)
def test_wrong_calls_name_the_value_and_the_cure(ask, told):
    own = OwnControls()
    own.slider("kp", 0, 2, 1)
    own.key("k", print)
    with pytest.raises((TypeError, ValueError, AttributeError), match=told) as error:
        ask(own)
    assert "\n" not in str(error.value)
    assert list(own.items) == ["kp"] and list(own.keys) == ["K"]
