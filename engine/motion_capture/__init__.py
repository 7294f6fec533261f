"""Motion capture: recordings of markers, models that follow them, and motions in generalised coordinates."""

from stoss.engine.motion_capture.files import load_markers
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.motion_capture.tracking import calibrate_markers, track_markers

__all__ = ["MarkerData", "Motion", "calibrate_markers", "load_markers", "track_markers"]
