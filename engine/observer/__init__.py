"""Observers: states that are not measured, estimated from those that are; independent of worlds."""

from stoss.engine.observer.identify import StopFit, fit_stop
from stoss.engine.observer.kalman import CentralDifferenceKalmanFilter, acceleration_noise

__all__ = ["CentralDifferenceKalmanFilter", "StopFit", "acceleration_noise", "fit_stop"]
