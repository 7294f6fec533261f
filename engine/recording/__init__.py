"""Record what happens in a world: observables with names and units, recordings, files and pictures of them."""

from stoss.engine.recording.listing import observables
from stoss.engine.recording.observables import Observable
from stoss.engine.recording.observer import Observer
from stoss.engine.recording.recorder import Recorder
from stoss.engine.recording.recording import Recording

__all__ = ["Observable", "Observer", "Recorder", "Recording", "observables"]
