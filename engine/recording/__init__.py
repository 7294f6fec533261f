"""Observables of a world, with names and units; recordings, their files and pictures."""

from stoss.engine.recording.audit import AngularMomentumAudit
from stoss.engine.recording.listing import observables
from stoss.engine.recording.observable import Observable
from stoss.engine.recording.observer import Observer
from stoss.engine.recording.recorder import Recorder
from stoss.engine.recording.recording import Recording

__all__ = ["AngularMomentumAudit", "Observable", "Observer", "Recorder", "Recording", "observables"]
