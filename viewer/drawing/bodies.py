"""All bodies on the graphics card: their shapes in batches, and the table of their poses and colours.

The poses go to the graphics card once per frame, as one array; shapes, sizes and places in their bodies are
there already. Nothing is done per body in Python.
"""

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing import geometry
from stoss.viewer.drawing.batches import (
    INSTANCE_SIZES,
    LEVELS,
    MESH_SIZES,
    Batch,
    RoundBatch,
    finished,
    instanced,
)
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.colouring import body_colours
from stoss.viewer.drawing.gl import Buffer, Texture, VertexArray, gl
from stoss.viewer.drawing.quality import Quality
from stoss.viewer.drawing.rods import rod_instances, rod_parts, rod_radius
from stoss.viewer.drawing.style import Style, base_colours, to_linear
from stoss.viewer.world.frames import Description, Frame

__all__ = ["Bodies"]

# Opacity of bodies that are seen through.
_GLASS = 0.16

# Numbers per body in the table: position, mark; quaternion; colour, shown; pattern, three unused.
_WIDTH = 16

# Strength of the fields on round bodies.
_PATTERN = 0.42

# The origin of what is drawn is a multiple of that [m], so that single precision suffices everywhere.
_ORIGIN_STEP = 1000.0

# Colour (sRGB) of rods, and of planes that are only drawn and have no colour of their own.
_STEEL, _PLANE = (0.46, 0.49, 0.54), (0.74, 0.74, 0.735)

# Hulls and meshes with at most so many instances are put together into one draw.
_FEW = 2


class Bodies:
    """What a description holds, ready to be drawn.

    Args:
        description: what there is.

    Attributes:
        description: the same.
        batches: shapes that are drawn together.
        finite: (n,) whether a body has a shape that is not a half-space.
        radii: (n,) [m] of balls about the centres that hold those shapes.
        size: diameter of a typical body that moves [m].

    The table has a row for each body, then one for each shape that is drawn in a colour of its own, at the
    pose of its body, and one for all rods, at the origin.
    """

    def __init__(self, description: Description) -> None:
        self.batches: list[Batch | RoundBatch] = []
        self._table = Buffer(None, gl.GL_TEXTURE_BUFFER)
        self._table.fill(np.zeros(_WIDTH, np.float32))
        self._texture = Texture(gl.GL_RGBA32F, buffer=self._table)
        self.set_description(description)

    def set_description(self, description: Description) -> None:
        """Hold other bodies from now on."""
        for batch in self.batches:
            batch.delete()
        self.description = description
        self._base_colours: dict[bool, np.ndarray] = {}
        self.finite, self.radii = _extents(description)
        tints = _tints(description)
        count = len(description.names)
        rows = np.array(description.shape_body, np.int64)  # of the table, for each shape
        rows[list(tints)] = count + np.arange(len(tints))
        self._tints = to_linear(np.array(list(tints.values())).reshape(-1, 3))
        self._owners = np.concatenate(
            [np.arange(count), description.shape_body[list(tints)].astype(np.int64)]
        )
        self.batches = _build_batches(description, rows)
        self._moving = np.array([kind != "static" for kind in description.kinds], bool)
        moving = self._moving & self.finite
        sizes = self.radii[moving if moving.any() else self.finite]
        self.size = 2.0 * float(np.median(sizes)) if len(sizes) else 1.0
        self._parts, self._rods = rod_parts(description), None
        if len(self._parts):
            self._rods = RoundBatch("cylinder", np.zeros((len(self._parts), 13), np.float32), np.zeros(0))
            self._rods.bodies = description.joint_parts.bodies[self._parts].max(axis=1)
            self._rods.radii = np.full(len(self._parts), rod_radius(self.size))
            self._rods.pickable = False
            self.batches.insert(0, self._rods)

    def choose_levels(self, frame: Frame, camera: Camera, size: Size, quality: Quality) -> None:
        """Give round shapes the corners that their size on the screen asks for."""
        round_batches = [batch for batch in self.batches if isinstance(batch, RoundBatch)]
        if not round_batches:
            return
        depth = (camera.eye - frame.positions) @ camera.axes[2] - self.radii
        depth = np.maximum(depth, 0.05 * camera.distance)
        scale = np.full(len(depth), 1.0 / camera.metres_per_pixel(size))
        if not camera.orthographic:
            scale *= camera.distance / depth
        wanted = []
        for batch in round_batches:
            pixels = float((batch.radii * scale[self._owners[batch.bodies]]).max())
            # A side deviates from the circle by radius (1 - cos(pi / corners)).
            corners = np.pi / np.sqrt(2.0 * min(1.0, quality.deviation / max(pixels, 1e-9)))
            wanted.append(int(np.searchsorted(LEVELS, min(corners, quality.segments))))
        for highest in range(len(LEVELS) - 1, -1, -1):
            for batch, level in zip(round_batches, wanted, strict=True):
                batch.segments = LEVELS[min(level, highest)]
            if sum(batch.triangles(batch.segments) for batch in round_batches) <= quality.triangles:
                break

    def upload(self, frame: Frame, camera: Camera, style: Style) -> np.ndarray:
        """Send poses and colours of the bodies; return the origin that they are relative to."""
        count = len(self.description.names)
        if len(frame.positions) != count:
            raise ValueError(
                f"the frame has {len(frame.positions)} bodies, the description {count}; "
                "call set_description first"
            )
        origin = np.round(camera.target / _ORIGIN_STEP) * _ORIGIN_STEP
        table = np.zeros((len(self._owners) + 1, _WIDTH), np.float32)
        table[:count, :3] = frame.positions - origin
        table[:count, 4:8] = frame.quaternions
        vary = style.colour_by != "group"
        if vary not in self._base_colours:
            self._base_colours[vary] = base_colours(self.description, vary)
        table[:count, 8:11] = to_linear(
            body_colours(self.description, frame, style, self._base_colours[vary])
        )
        table[:, 11] = 1.0
        table[list(style.highlighted), 3] = 1.0
        table[list(style.selected), 3] = 2.0
        table[list(style.see_through), 11] = _GLASS
        for row, opacity in style.opacity.items():
            table[row, 11] = opacity
        table[list(style.hidden), 11] = 0.0
        if style.pattern:
            table[:count, 12][self._moving] = _PATTERN
        own = len(self._owners)
        table[count:own] = table[self._owners[count:]]
        table[count:own, 8:11] = self._tints
        table[own, 4], table[own, 8:11], table[own, 11] = 1.0, to_linear(np.array(_STEEL)), 1.0
        self._table.fill(table)
        self.bind()
        if self._rods is not None:
            parts, size = self._parts, self.size
            self._rods.fill(rod_instances(self.description, frame, parts, origin, size, own))
        return origin

    def bind(self) -> None:
        """Let programs read the table as texture 0."""
        self._texture.bind(0)

    def delete(self) -> None:
        """Free everything that was made on the graphics card."""
        for thing in (*self.batches, self._texture, self._table):
            thing.delete()


def _extents(description: Description) -> tuple[np.ndarray, np.ndarray]:
    """Return which bodies (n,) have shapes with an end, and the radii (n,) [m] of balls that hold those."""
    count = len(description.names)
    finite, radii = np.zeros(count, bool), np.zeros(count)
    for row, shape in enumerate(description.shapes):
        low, high = geometry.local_bounds(shape)
        if np.isfinite(low).all():
            body = int(description.shape_body[row])
            reach = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)))
            far = float(np.linalg.norm(description.shape_position[row]) + reach)
            finite[body] = True
            radii[body] = max(radii[body], far)
    return finite, radii


def _tints(description: Description) -> dict[int, tuple[float, float, float]]:
    """Return the colours (sRGB) of shapes, by their rows, that have another one than their body."""
    planes = {row: _PLANE for row in description.drawn if isinstance(description.shapes[row], HalfSpace)}
    return planes | {row: own for row, own in description.drawn.items() if own is not None}


def _build_batches(description: Description, bodies: np.ndarray) -> list[Batch | RoundBatch]:
    """Return the shapes in batches, by their meshes; half-spaces come last.

    Args:
        description: the shapes.
        bodies: (m,) rows of the table that say where they are and how they look.
    """
    meshes: dict[object, geometry.Mesh] = {}
    members: dict[object, list[int]] = {}
    known: dict[int, object] = {}  # keys of shapes that occur more than once, by identity
    for row, shape in enumerate(description.shapes):
        key = known.get(id(shape))
        if key is None:
            key, mesh = geometry.shape_mesh(shape, 24)
            known[id(shape)] = key
            meshes.setdefault(key, mesh)
        members.setdefault(key, []).append(row)
    batches: list[Batch | RoundBatch] = []
    few: dict[str, list[tuple[geometry.Mesh, int]]] = {"hull": [], "mesh": []}
    for key, rows in members.items():
        if isinstance(key, tuple) and len(rows) <= _FEW:
            few[key[0]] += [(meshes[key], row) for row in rows]
            continue
        instances = _instances(description, rows, bodies)
        if key in ("sphere", "capsule", "cylinder", "cone"):
            batches.append(RoundBatch(str(key), instances, instances[:, 8:10].max(axis=1)))
            continue
        half_space = key == "half-space"
        batch = instanced(meshes[key], Buffer(instances), INSTANCE_SIZES, len(rows), half_space)
        batch.open = isinstance(key, tuple) and key[0] == "mesh"
        batches.append(batch)
    for kind, of_kind in few.items():
        if of_kind:
            batch = _merged(description, of_kind, bodies)
            batch.open = kind == "mesh"
            batches.append(batch)
    # Planes come last: most of them is hidden by then.
    return sorted(batches, key=lambda batch: batch.half_space)


def _merged(description: Description, few: list[tuple[geometry.Mesh, int]], bodies: np.ndarray) -> Batch:
    """Return one batch of hulls or meshes that occur seldom: their vertices carry the instances."""
    instances = _instances(description, [row for _, row in few], bodies)
    vertices = np.concatenate(
        [
            np.hstack([mesh.vertices, np.tile(instance, (len(mesh.vertices), 1))])
            for (mesh, _), instance in zip(few, instances, strict=True)
        ]
    )
    first = np.cumsum([0] + [len(mesh.vertices) for mesh, _ in few])
    triangles = np.concatenate(
        [mesh.triangles + np.uint32(k) for (mesh, _), k in zip(few, first, strict=False)]
    )
    buffer, array = Buffer(vertices.astype(np.float32)), VertexArray()
    array.attach(buffer, MESH_SIZES + INSTANCE_SIZES, 0, per_instance=False)
    return finished(array, [buffer], triangles, 0)


def _instances(description: Description, rows: list[int], bodies: np.ndarray) -> np.ndarray:
    """Return a row (13) per shape: place in the body, row of the table, quaternion, sizes, own row."""
    table = np.empty((len(rows), 13), np.float32)
    table[:, :3] = description.shape_position[rows]
    table[:, 3] = bodies[rows]
    table[:, 4:8] = description.shape_quaternion[rows]
    table[:, 8:12] = [geometry.instance_size(description.shapes[row]) for row in rows]
    table[:, 12] = rows
    for place, row in enumerate(rows):
        shape = description.shapes[row]
        if isinstance(shape, HalfSpace):
            turn = description.shape_quaternion[row]
            table[place, :3] += geometry.rotate(turn, np.array(shape.normal) * shape.offset)
            table[place, 4:8] = geometry.product(turn, geometry.fitting_quaternion(np.array(shape.normal)))
    return table
