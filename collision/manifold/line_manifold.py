"""Contacts without a face: two lines meet, or lie along each other, or a curved surface touches."""

from stoss.collision.contacts import NORMAL_FIXED, ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.manifold.clipping import LINES, feature_number
from stoss.collision.manifold.scratch import ManifoldScratch
from stoss.collision.shapes.edge_feature import edge_feature
from stoss.collision.shapes.features import FLAT_NONE, support
from stoss.collision.shapes.shape_pair import ShapePair, put_contact

__all__ = ["line_manifold"]

# A line counts as perpendicular to the normal, or lines as parallel, within this angle [rad].
LINE_SINE = 0.02


@inner
def _middle(p, q, n, shift):
    """Return the point on b that lies under the middle of two points of the cores."""
    mx, my, mz = 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])
    return mx + shift * n[0], my + shift * n[1], mz + shift * n[2]


@inner
def _direction(edges, k):
    return (
        edges[k, 1, 0] - edges[k, 0, 0],
        edges[k, 1, 1] - edges[k, 0, 1],
        edges[k, 1, 2] - edges[k, 0, 2],
    )


@inner
def _on_line(edges, k, u, s):
    """Return the point of line k at the share s of its length."""
    return edges[k, 0, 0] + s * u[0], edges[k, 0, 1] + s * u[1], edges[k, 0, 2] + s * u[2]


@inner
def _dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@inner
def _project(edges, k, u, uu, q):
    """Return the point of line k that is nearest to q."""
    rest = (q[0] - edges[k, 0, 0]) * u[0] + (q[1] - edges[k, 0, 1]) * u[1] + (q[2] - edges[k, 0, 2]) * u[2]
    return _on_line(edges, k, u, min(max(rest / uu, 0.0), 1.0))


@kernel
def line_manifold(
    pair: ShapePair,
    nx: float,
    ny: float,
    nz: float,
    margin: float,
    scratch: ManifoldScratch,
    out: ContactArrays,
    count: int,
) -> int:
    """Write the contact of the support points or the lines through them, or both of parallel lines.

    Inputs and result are those of `contact_manifold`.
    """
    n, edges, features = (nx, ny, nz), scratch.edges, scratch.features
    reach_a, reach_b = pair.rounding[0], pair.rounding[1]
    lean_a, edge_a = edge_feature(0, pair, -nx, -ny, -nz, edges[0])
    lean_b, edge_b = edge_feature(1, pair, nx, ny, nz, edges[1])
    radius_a = features.corners[0, 0, 3] if features.kind[0] == FLAT_NONE else 0.0
    radius_b = features.corners[1, 0, 3] if features.kind[1] == FLAT_NONE else 0.0
    radii = (radius_a, radius_b)
    p, q = support(0, pair, -nx, -ny, -nz), support(1, pair, nx, ny, nz)
    gap = nx * (p[0] - q[0]) + ny * (p[1] - q[1]) + nz * (p[2] - q[2]) - reach_a - reach_b
    if gap > margin:
        return count
    line_a, line_b = lean_a <= LINE_SINE, lean_b <= LINE_SINE
    u, v = _direction(edges, 0), _direction(edges, 1)
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    if line_a and line_b and uu > 0.0 and vv > 0.0:
        w = (
            edges[1, 0, 0] - edges[0, 0, 0],
            edges[1, 0, 1] - edges[0, 0, 1],
            edges[1, 0, 2] - edges[0, 0, 2],
        )
        wu, wv = _dot(w, u), _dot(w, v)
        det = uu * vv - uv * uv
        if det < LINE_SINE * LINE_SINE * uu * vv:
            # parallel: where they lie side by side, in the parameter of the first line
            s0, s1 = wu / uu, (wu + uv) / uu
            low, high = max(0.0, min(s0, s1)), min(1.0, max(s0, s1))
            if high - low > 1e-6:
                for end in range(2):
                    s = low if end == 0 else high
                    p = _on_line(edges, 0, u, s)
                    q = _on_line(edges, 1, v, min(max((s * uv - wv) / vv, 0.0), 1.0))
                    gap = nx * (p[0] - q[0]) + ny * (p[1] - q[1]) + nz * (p[2] - q[2]) - reach_a - reach_b
                    if gap <= margin:
                        number = feature_number(True, LINES, edge_a * 2 + end, edge_b)
                        point = _middle(p, q, n, 0.5 * (reach_b - reach_a - gap))
                        put_contact(out, count, pair, number, NORMAL_FIXED, point, n, gap, radii)
                        count += 1
                return count
            line_a = line_b = False
        else:
            s = min(max((wu * vv - wv * uv) / det, 0.0), 1.0)
            p = _on_line(edges, 0, u, s)
            q = _on_line(edges, 1, v, min(max((s * uv - wv) / vv, 0.0), 1.0))
    elif line_a and uu > 0.0:
        p = _project(edges, 0, u, uu, q)
    elif line_b and vv > 0.0:
        q = _project(edges, 1, v, vv, p)
    # the gap is that of the supports; the lines only say where along them the contact lies
    number = feature_number(True, LINES, edge_a if line_a else 0, edge_b if line_b else 0)
    point = _middle(p, q, n, 0.5 * (reach_b - reach_a - gap))
    put_contact(out, count, pair, number, NORMAL_FIXED, point, n, gap, radii)
    return count + 1
