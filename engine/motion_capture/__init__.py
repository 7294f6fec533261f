"""Motion capture: recordings of markers, models that follow them, and motions in generalised coordinates."""

from stoss.engine.motion_capture.bvh import load_bvh
from stoss.engine.motion_capture.bvh_writing import save_bvh
from stoss.engine.motion_capture.files import load_markers
from stoss.engine.motion_capture.fitted_joint import FittedJoint
from stoss.engine.motion_capture.identified import IdentifiedModel, identify_model
from stoss.engine.motion_capture.joint_fits import fit_joint
from stoss.engine.motion_capture.library import MotionLibrary
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.mechanism_fits import fit_curves, fit_ellipsoid, fit_rods
from stoss.engine.motion_capture.mechanisms import FittedCurves, FittedEllipsoid, FittedMechanism, FittedRods
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.motion_capture.playing import MotionPlayer, contact_loads
from stoss.engine.motion_capture.retargeting import record_markers, retarget
from stoss.engine.motion_capture.segments import Segments, fit_segments
from stoss.engine.motion_capture.tracking import calibrate_markers, track_markers

FEATURE = "motion capture"  # see `kernels.prepare`

__all__ = [
    "FittedCurves",
    "FittedEllipsoid",
    "FittedJoint",
    "FittedMechanism",
    "FittedRods",
    "IdentifiedModel",
    "MarkerData",
    "Motion",
    "MotionLibrary",
    "MotionPlayer",
    "Segments",
    "calibrate_markers",
    "contact_loads",
    "fit_curves",
    "fit_ellipsoid",
    "fit_joint",
    "fit_rods",
    "fit_segments",
    "identify_model",
    "load_bvh",
    "load_markers",
    "record_markers",
    "retarget",
    "save_bvh",
    "track_markers",
]
