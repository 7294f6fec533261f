"""Which kernels a world needs: they are compiled together before its first step, not one by one in it."""

from stoss.collision import Detector
from stoss.collision.kernels.prepare import needed, prepare
from stoss.engine.settings import Settings

__all__ = ["KernelNeeds"]


class KernelNeeds:
    """Have the kernels of a world ready, and remember for what they are."""

    def __init__(self) -> None:
        self._ready_for: tuple[int, Settings, bool] | None = None
        self._features: set[str] | None = None

    def prepare(self, detector: Detector, settings: Settings, jointed: bool) -> None:
        """Compile what is missing if shapes or settings are other ones than before, or joints were added."""
        needs = detector.table.version, settings, jointed
        if needs == self._ready_for:
            return
        features = detector.features()
        features |= {name for name, wanted in settings.features().items() if wanted}
        if jointed:
            features.add("joints")
        if self._features is None or not features <= self._features:
            prepare(needed(features))
            self._features = features | (self._features or set())
        self._ready_for = needs
