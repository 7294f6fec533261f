"""What a walker draws: foot prints, centre of mass, pressure and force of the ground, and when feet stand."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine.humans.walk import Landing
    from stoss.engine.humans.walker import VirtualModelWalker

__all__ = ["draw_walk"]

RIGHT_COLOR, LEFT_COLOR, CENTER, FORCE = "#c0392b", "#2471a3", "#1e8449", "#e67e22"
PRINTS = 60  # that are shown
PER_NEWTON = 1e-3  # [m/N] of arrows
BESIDE = 0.45  # [m] of the path, where bars tell for how long feet stand
# Outline of a sole: forward from the heel, and to the outside [m], of the man of the thesis.
SOLE_OUTLINE = np.array(
    [
        *((-0.030, 0.0), (-0.022, 0.024), (0.010, 0.032), (0.080, 0.034), (0.150, 0.046), (0.195, 0.042)),
        *((0.225, 0.018), (0.234, -0.008), (0.228, -0.032), (0.205, -0.046), (0.150, -0.042)),
        *((0.080, -0.022), (0.010, -0.030), (-0.022, -0.024)),
    ]
)


def draw_walk(walker: "VirtualModelWalker", canvas: Any) -> None:
    """Draw what tells how it walks.

    Arrows are a metre long for 1000 N. Bars on either side of the path are as long as the way of the pelvis
    while the foot of that side stands: where both are there, both feet stand.

    Args:
        walker: in its world.
        canvas: with `line`, `points`, `arrow` and `text`.
    """
    person = walker.humanoid
    world, outline = person.world, person.scale * SOLE_OUTLINE
    for landing in walker.landings[-PRINTS:]:
        left = landing.side == "left"
        c, s = np.cos(landing.heading), np.sin(landing.heading)
        x, y = outline[:, 0], outline[:, 1] if left else -outline[:, 1]
        places = np.array(landing.heel) + np.stack([c * x - s * y, s * x + c * y, np.full(len(x), 2e-3)], 1)
        canvas.line(places, np.roll(places, -1, axis=0), color=LEFT_COLOR if left else RIGHT_COLOR)
    _draw_phases(walker, walker.landings[-PRINTS:], canvas)
    rows = [body.index for body in person.bodies.values()]
    masses = world.masses[rows]
    center = masses @ world.centers_of_mass[rows] / masses.sum()
    canvas.points(center, color=CENTER, width=12.0)
    if not len(walker._world_rows):
        return
    force, moment, low = np.zeros((2, 3)), np.zeros((2, 3)), []
    for foot, _, impulse, local in walker.points_on_ground(world):
        place = walker._places[6 + foot] + walker._frames[6 + foot] @ local
        force[foot] += impulse / world.time_step
        moment[foot] += max(impulse[2], 0.0) / world.time_step * place
        low.append(place[2])
    if low:
        below = np.array([center[0], center[1], min(low)])
        canvas.line(center, below, color=CENTER, width=1.5)
        canvas.points(below, color=CENTER, width=7.0)
    pressed = force[:, 2] > 1.0
    if pressed.any():
        places = moment[pressed] / force[pressed, 2:]
        canvas.arrow(places, places + PER_NEWTON * force[pressed], color=FORCE, width=0.05)
        whole = moment[pressed].sum(axis=0) / force[pressed, 2].sum()
        canvas.points(whole, color=FORCE, width=9.0)
    phase = f"{walker.standing} foot stands" if walker.phase == "single" else "both feet stand"
    ahead = 0.5 * np.array([np.cos(walker.heading), np.sin(walker.heading), 0.0])
    canvas.text(center + ahead, f"step {walker.steps}: {phase}")


def _draw_phases(walker: "VirtualModelWalker", landings: "list[Landing]", canvas: Any) -> None:
    """Draw bars beside the path for the times in which feet stand, from their landing to their lift-off."""
    world = walker.humanoid.world
    here = np.array(walker.humanoid.bodies["pelvis"].position)
    times = np.array([*(one.time for one in landings), world.time])
    path = np.array([*(one.pelvis for one in landings), here])
    for landing, following in zip(landings, [*landings[1:], None], strict=False):
        end = world.time if following is None or np.isnan(following.lifted) else following.lifted
        at = np.array([landing.time, *times[(times > landing.time) & (times < end)], end])
        side = BESIDE if landing.side == "left" else -BESIDE
        across = side * walker.humanoid.scale * np.array([-np.sin(landing.heading), np.cos(landing.heading)])
        bar = np.full((len(at), 3), landing.heel[2] + 2e-3)
        for k in range(2):
            bar[:, k] = np.interp(at, times, path[:, k]) + across[k]
        color = LEFT_COLOR if landing.side == "left" else RIGHT_COLOR
        canvas.line(bar[:-1], bar[1:], color=color, width=6.0)
