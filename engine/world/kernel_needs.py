"""Which kernels a world needs: they are compiled together before its first step, not one by one in it."""

from stoss.collision import Detector
from stoss.collision.kernels.prepare import needed, prepare
from stoss.engine.settings import Settings
from stoss.engine.world.exclusive import Entry

__all__ = ["KernelNeeds"]


class KernelNeeds:
    """Have the kernels of a world ready, and remember for what they are."""

    def __init__(self) -> None:
        self._ready_for: tuple[int, Settings, bool, bool] | None = None
        self._features: set[str] | None = None

    def take_over(self, other: "KernelNeeds") -> None:
        """Know what the needs of another world know to be ready."""
        self._features = None if other._features is None else set(other._features)

    def prepare(
        self, detector: Detector, settings: Settings, jointed: bool, loaded: bool, entry: Entry
    ) -> None:
        """Compile what is missing if shapes or settings are others, or joints or loads were added.

        That may take a minute, in which signals of the world's `entry` do not wait.
        """
        needs = detector.table.version, settings, jointed, loaded
        if needs == self._ready_for:
            return
        features = detector.features()
        features |= {name for name, wanted in settings.features().items() if wanted}
        if jointed:
            features.add("joints")
        if loaded:
            features.add("loads")
        if self._features is None or not features <= self._features:
            entry.call((prepare,), needed(features))
            self._features = features | (self._features or set())
        self._ready_for = needs
