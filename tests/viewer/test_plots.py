"""Plots: which curves share one, what of them is seen, and how they are written down."""

import csv
import io
import math

import numpy as np
import pytest

from stoss.scenes import SCENES
from stoss.viewer.workbench.plots import Plots, limits, table, thinned, tick_format
from stoss.viewer.world.channels import AXES, SIZE, Channel, channel_of, listed

HEIGHT, WIDTH = (Channel(f"body.box, 1.position.{axis}", "m") for axis in "zx")
SPEED = Channel("body.box, 1.velocity.size", "m/s")


def test_energies_are_plotted_at_first_and_curves_of_one_unit_share_a_plot():
    plots = Plots()
    assert [channel.name for channel in plots.channels] == [
        "energy.total",
        "energy.kinetic",
        "energy.potential",
    ]
    height = plots.add(HEIGHT)
    assert plots.add(WIDTH) is height and plots.add(SPEED) is not height
    assert plots.add(Channel("ledger.drive_work", "J")) is plots.plots[0]
    alone = plots.add(HEIGHT, alone=True)
    assert alone.channels == [HEIGHT] and len(plots.plots) == 4
    assert plots.channels.count(HEIGHT) == 1
    plots.remove(HEIGHT, alone)
    assert alone not in plots.plots and HEIGHT in plots.channels
    assert len({plot.number for plot in plots.plots}) == 3


def test_a_plot_has_room_above_and_below_also_for_what_does_not_change():
    times = np.linspace(0.0, 2.0, 50)
    begin, end, low, high = limits([(times, np.sin(times)), (times, np.full(50, np.nan))])
    assert (begin, end) == (0.0, 2.0) and low < -0.05 and high > 1.05
    _, _, low, high = limits([(times, np.full(50, 490.5))])
    assert low < 490.5 < high and high - low < 0.01
    assert limits([]) == pytest.approx((0.0, 1.0, -0.08, 1.08))
    assert limits([(times[:1], times[:1])])[1] == 1.0


@pytest.mark.parametrize(
    ("low", "high"),
    [(490.4999, 490.5001), (0.0, 1.0), (-1e-9, 1e-9), (0.0, 5e7), (1e8, 1e8 + 1), (-3.0, 1200.0), (0, 2e-5)]
    + [(490.5 - 1e-7, 490.5 + 1e-7)],
)
def test_ticks_differ(low, high):
    ticks = np.linspace(low, high, 8)
    assert len({tick_format(low, high) % tick for tick in ticks}) == 8


def test_ticks_of_nothing_have_a_format():
    assert tick_format(1.0, 1.0) == "%g" and tick_format(0.0, math.inf) == "%g"


def test_of_long_curves_the_extremes_are_drawn():
    times = np.linspace(0.0, 10.0, 50_001)
    values = np.sin(40.0 * times)
    values[12_345], values[23_456], values[30_000:30_100] = 9.0, -9.0, np.nan
    seen, drawn = thinned((times, values), 0.0, 10.0, 1000)
    assert len(seen) <= 1010 and (np.diff(seen) > 0.0).all()
    assert np.nanmax(drawn) == 9.0 and np.nanmin(drawn) == -9.0
    assert seen[0] == 0.0 and seen[-1] == 10.0
    seen, drawn = thinned(
        (times, values), 2.00001, 2.01001, 1000
    )  # zoomed in: every sample, and one on each side
    assert np.array_equal(drawn, values[10_000:10_052])
    assert len(thinned((np.zeros(0), np.zeros(0)), 0.0, 1.0, 100)[0]) == 0


def test_curves_are_written_as_a_table_that_spreadsheets_read():
    text = table(
        [HEIGHT, SPEED], [(np.array([0.0, 0.1]), np.array([5.0, 1 / 3])), (np.array([0.1]), np.ones(1))]
    )
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["time [s]", "body.box, 1.position.z [m]", "body.box, 1.velocity.size [m/s]"]
    assert rows[1:] == [["0.0", "5.0", ""], ["0.1", repr(1 / 3), "1.0"]]
    assert table([], []) == "time [s]\n"


def test_a_scene_asks_for_plots_by_what_curves_are_called():
    plots = Plots.asked_for(["body.box, 1.position.z [m]", "load.stop.effort", "body.box, 1.position.x [m]"])
    assert plots.channels == (HEIGHT, WIDTH, Channel("load.stop.effort", ""))
    assert [plot.unit for plot in plots.plots] == ["m", ""] and plots.of_scene


@pytest.mark.parametrize("name", sorted(name for name, one in SCENES.items() if one.plots))
def test_what_scenes_ask_for_is_there(name):
    """Find each curve among the channels of its world, by name and unit; of contacts, their bodies."""
    scene = SCENES[name]
    world = scene.build()
    channels = {
        channel_of(one, component).label
        for one in listed(world)
        for component in ((*AXES, SIZE) if one.components else ("",))
    }
    names = {body.name for body in world.bodies}
    for label in scene.plots:
        if label.startswith("contact."):
            pair, _, _ = label.removeprefix("contact.").partition(".")
            assert any(pair == f"{a}-{b}" for a in names for b in names), label
        else:
            assert label in channels
