"""The world that is built in the background, to take the place of the present one."""

from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation

__all__ = ["Successor"]


class Successor:
    """What takes the place of the present simulation when it is ready; nothing most of the time.

    Attributes:
        simulation: what is being built, None if nothing is.
    """

    def __init__(self) -> None:
        self.simulation: Simulation | None = None
        self._source: Source | None = None

    def build(self, source: Source) -> None:
        """Build a world in the background; one that is being built meanwhile is given up."""
        if self.simulation is not None:
            self.simulation.close()
        self._source = source
        self.simulation = Simulation(source.stage, paused=True)
        self.simulation.start()

    @property
    def name(self) -> str:
        """Return the name of the scene that is being built, "" if none is."""
        return "" if self._source is None else self._source.scene.name

    def take(self) -> tuple[Simulation, Source] | None:
        """Return what is complete, or has failed, with its source, once; None before.

        It is `Simulation.error` that says whether it has failed.
        """
        built, source = self.simulation, self._source
        if built is None or source is None or not (built.ready or built.error):
            return None
        self.simulation = self._source = None
        return built, source
