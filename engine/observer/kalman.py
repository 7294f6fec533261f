"""The square-root central-difference Kalman filter (Specker 2016, section 5.3.1 and appendix B).

It needs no derivatives of the model, which may be stiff or have kinks, and one number to choose, the spread
of its sigma points. Corrected against the thesis: the middle block of the last factorisation is built from
the measurements of the sigma points, not from the points themselves; so it equals Kalman's on linear systems.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from stoss.collision.kernels.decorators import compiled
from stoss.engine import checks
from stoss.names import closed, takes_names

__all__ = ["CentralDifferenceKalmanFilter", "acceleration_noise"]

SPREAD = np.sqrt(3.0)  # of the sigma points: best where errors are normally distributed


@compiled
def _lower(m):
    """Return the lower triangular root (n, n) of m m^T, m (n, k), by Householder's reflections."""
    n, k = m.shape
    out = np.zeros((n, n))
    for i in range(n):
        square = 0.0
        for c in range(i, k):
            square += m[i, c] * m[i, c]
        if square > 0.0:
            end = -np.copysign(np.sqrt(square), m[i, i])
            m[i, i] -= end
            scale = -1.0 / (end * m[i, i])  # 2 / (v v), v the row less what it becomes
            for j in range(i + 1, n):
                along = 0.0
                for c in range(i, k):
                    along += m[i, c] * m[j, c]
                for c in range(i, k):
                    m[j, c] -= scale * along * m[i, c]
            out[i, i] = end
        for j in range(i):
            out[i, j] = m[i, j]
    return out


@compiled
def _gain(s, first, sy):
    """Return K = s first^T (sy sy^T)^-1 (n, m) by forward and backward substitution."""
    n, m = len(s), len(sy)
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            value = 0.0
            for c in range(n):
                value += s[i, c] * first[j, c]
            for c in range(j):
                value -= sy[j, c] * out[i, c]
            out[i, j] = value / sy[j, j]
        for j in range(m - 1, -1, -1):
            value = out[i, j]
            for c in range(j + 1, m):
                value -= sy[c, j] * out[i, c]
            out[i, j] = value / sy[j, j]
    return out


@compiled
def _sigma_points(x, s):
    """Return sigma points (2n + 1, n): the middle, and both ways along each column of the root."""
    n = len(x)
    out = np.empty((2 * n + 1, n))
    out[0] = x
    for j in range(n):
        out[1 + j] = x + SPREAD * s[:, j]
        out[1 + n + j] = x - SPREAD * s[:, j]
    return out


@compiled
def _differences(y, n):
    """Return mean (m,), first and second differences (m, n) of values (2n + 1, m) at sigma points."""
    m = y.shape[1]
    first, second, mean = np.empty((m, n)), np.empty((m, n)), np.empty(m)
    square = SPREAD * SPREAD
    for i in range(m):
        mean[i] = (square - n) / square * y[0, i]
        for j in range(n):
            up, down = y[1 + j, i], y[1 + n + j, i]
            mean[i] += (up + down) / (2.0 * square)
            first[i, j] = (up - down) / (2.0 * SPREAD)
            second[i, j] = np.sqrt(square - 1.0) / (2.0 * square) * (up + down - 2.0 * y[0, i])
    return mean, first, second


def _run(f, measure, x, s, u, y, h, parts, sv, sn):
    """Return states (k, n), last root, and surprises (k, m) over k samples; h = 0: f is a map."""
    n, part = len(x), h / parts
    states, surprises = np.empty((len(y), n)), np.empty(y.shape)
    for k in range(len(y)):
        sigma = _sigma_points(x, s)
        for j in range(len(sigma)):
            z = sigma[j].copy()
            if h == 0.0:
                z = f(z, u[k])
            else:
                for _ in range(parts):
                    a = f(z, u[k])
                    b = f(z + 0.5 * part * a, u[k])
                    c = f(z + 0.5 * part * b, u[k])
                    d = f(z + part * c, u[k])
                    z = z + part / 6.0 * (a + 2.0 * (b + c) + d)
            sigma[j] = z
        x, first, second = _differences(sigma, n)
        s = _lower(np.hstack((first, second, sv)))
        sigma = _sigma_points(x, s)
        seen = np.empty((len(sigma), y.shape[1]))
        for j in range(len(sigma)):
            seen[j] = measure(sigma[j].copy())
        expected, first, second = _differences(seen, n)
        sy = _lower(np.hstack((first, second, sn)))
        gain = _gain(s, first, sy)
        surprises[k] = y[k] - expected
        x = x + gain @ surprises[k]
        s = _lower(np.hstack((s - gain @ first, gain @ second, gain @ sn)))
        states[k] = x
    return states, s, surprises


# For models and measurements that are numba functions: called by address, so that it compiles once for all.
_VECTOR, _MATRIX = types.float64[::1], types.float64[:, ::1]
_ARGUMENTS = types.FunctionType(_VECTOR(_VECTOR, _VECTOR)), types.FunctionType(_VECTOR(_VECTOR))
_SIGNATURE = types.Tuple((_MATRIX, _MATRIX, _MATRIX))(
    *_ARGUMENTS, _VECTOR, *[_MATRIX] * 3, types.float64, types.int64, *[_MATRIX] * 2
)


@cache
def _run_by_address() -> Callable[..., Any]:
    run = compiled(_run)
    run.compile(_SIGNATURE)
    run.disable_compile()
    return run


@takes_names
def acceleration_noise(time_step: float, deviations: Any) -> np.ndarray:
    """Return the covariance of process noise by accelerations that are not modelled (Specker 2016, 5.39).

    For states in the order (place, speed, place, speed, ...): T^4/4 sigma^2 and T^2 sigma^2 of each pair. The
    couplings are left out, since the full matrix has no root of full rank.

    Args:
        time_step: T, from one sample to the next [s].
        deviations: standard deviations (k,) of the accelerations [m/s^2 or rad/s^2].

    Raises:
        TypeError, ValueError: a value that makes no sense.
    """
    h = checks.positive("time_step", time_step, "s")
    sigma = checks.array("deviations", deviations, (-1,))
    if (sigma <= 0.0).any():
        raise ValueError(f"deviations = {checks.shown(deviations)} must be above zero")
    out = np.empty(2 * len(sigma))
    out[0::2], out[1::2] = 0.25 * h**4 * sigma**2, h**2 * sigma**2
    return np.diag(out)


@closed
class CentralDifferenceKalmanFilter:
    """Estimate the state of any model from measurements, sample by sample.

        observer = CentralDifferenceKalmanFilter(f, measure, 0.01, state, covariance, process, measurement)
        for u, y in samples:
            x = observer.update(y, u)

    Friction that holds at rest is a disturbance that does not change: a state with noise of its own follows
    the load (Specker 2016, section 5.3.2). If model and measurement are both numba functions of float64
    arrays the whole filter is compiled, once for all models.

    Args:
        model: f(x, u), the rate (n,) of the state (n,) for an input (k,); with time_step None the next state.
        measure: the measurement (m,) that is expected in a state (n,).
        time_step: from one sample to the next [s]; None where the model is a map.
        state: the first estimate (n,).
        covariance: of its error (n, n).
        process: covariance of what the model leaves out, per sample (n, n); see `acceleration_noise`.
        measurement: covariance of the noise of the measurement (m, m).
        parts: steps of the model from one sample to the next, by Runge-Kutta of order 4.

    Attributes:
        surprise: (m,) of the last sample: what was measured less what was expected.

    Raises:
        TypeError, ValueError: a value that makes no sense, or covariances that are not positive definite.
    """

    surprise: np.ndarray

    def __init__(
        self,
        model: Callable[..., Any],
        measure: Callable[..., Any],
        time_step: float | None,
        state: Any,
        covariance: Any,
        process: Any,
        measurement: Any,
        *,
        parts: int = 1,
    ) -> None:
        for name, function in (("model", model), ("measure", measure)):
            if not callable(function):
                raise TypeError(f"{name} = {checks.shown(function)} must be a function")
        self._model, self._measure = model, measure
        self._h = 0.0 if time_step is None else checks.positive("time_step", time_step, "s")
        self._parts = checks.whole("parts", parts, least=1)
        self._x = checks.array("state", state, (-1,)).copy()
        n = len(self._x)
        self._s = _root("covariance", covariance, n)
        self._sv = _root("process", process, n)
        self._sn = _root("measurement", measurement, None)
        self.surprise = np.zeros(len(self._sn))
        self._run = _run
        if isinstance(model, Dispatcher) and isinstance(measure, Dispatcher):
            for name, function, takes in (("model", model, 2), ("measure", measure, 1)):
                _check_compiled(name, function, takes)
            self._run = _run_by_address()
        for name, found, size in (
            ("model(state, input)", None, n),
            ("measure(state)", measure(self._x.copy()), len(self._sn)),
        ):
            if found is not None and np.shape(found) != (size,):
                raise ValueError(f"{name} has shape {np.shape(found)}, not ({size},)")

    @property
    def state(self) -> np.ndarray:
        """Return the estimate (n,)."""
        return self._x.copy()

    @property
    def covariance(self) -> np.ndarray:
        """Return the covariance (n, n) of its error."""
        return np.asarray(self._s @ self._s.T)

    def update(self, measured: Any, inputs: Any = ()) -> np.ndarray:
        """Go on by one sample and return the estimate (n,).

        Args:
            measured: (m,).
            inputs: (k,) of the time up to the measurement, constant; none by default.

        Raises:
            TypeError, ValueError: no such numbers, or the model returned something that is not finite.
        """
        y = checks.array("measured", measured, (len(self._sn),))
        return np.asarray(self.run(y[np.newaxis], [np.asarray(inputs, float).reshape(-1)])[0])

    def run(self, measured: Any, inputs: Any = None) -> np.ndarray:
        """Go on by many samples and return the estimates (k, n).

        Args:
            measured: (k, m).
            inputs: (k, inputs), those of the time up to each measurement; none by default.

        Raises:
            TypeError, ValueError: no such numbers, or the model returned something that is not finite.
        """
        y = checks.array("measured", measured, (-1, len(self._sn)))
        u = np.zeros((len(y), 0)) if inputs is None else checks.array("inputs", inputs, (len(y), -1))
        given = self._x, self._s, np.ascontiguousarray(u), y
        settings = self._h, self._parts, self._sv, self._sn
        with np.errstate(all="ignore"):  # what is not finite is named below
            states, s, surprises = self._run(self._model, self._measure, *given, *settings)
        if not (np.isfinite(states).all() and np.isfinite(s).all()):
            first = int(np.flatnonzero(~np.isfinite(states).all(axis=1))[0]) if len(states) else 0
            raise ValueError(
                f"the estimate at sample {first} is not finite; shorten time_step or raise parts"
            )
        if len(states):
            self._x, self._s, self.surprise = states[-1].copy(), s, surprises[-1].copy()
        return np.asarray(states)


def _check_compiled(name: str, function: Any, takes: int) -> None:
    """Refuse a numba function that cannot be called by address."""
    function.compile((_VECTOR,) * takes)
    found = function.overloads[(_VECTOR,) * takes].signature.return_type
    if found != _VECTOR:
        raise TypeError(
            f"{name} returns {found} where it is compiled; return a contiguous array of float64, "
            "as np.array([...]) or x[:1].copy()"
        )


def _root(name: str, value: Any, size: int | None) -> np.ndarray:
    """Return the lower Cholesky root of a covariance."""
    matrix = checks.array(name, value, (-1, -1) if size is None else (size, size))
    if matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ValueError(f"{name} of shape {matrix.shape} must be a symmetric matrix")
    try:
        return np.ascontiguousarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise ValueError(
            f"{name} must be positive definite; its eigenvalues are {np.linalg.eigvalsh(matrix)}"
        ) from None
