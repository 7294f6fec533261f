"""A motion as a glTF 2.0 binary file (.glb): meshes, colours, and one animation of all bodies."""

import json
import struct
from typing import Any

import numpy as np

from stoss.identity import __version__
from stoss.viewer.drawing.style import to_linear
from stoss.viewer.exporting.motion import Motion
from stoss.viewer.exporting.pieces import Piece, checkered, pieces_of

__all__ = ["glb_bytes"]

# Of the format: component types, targets of buffers, and the two chunks with their names.
_FLOAT, _UNSIGNED_INT = 5126, 5125
_VERTICES, _INDICES = 34962, 34963
_MAGIC, _JSON, _BINARY = b"glTF", b"JSON", b"BIN\0"

# glTF has y up: a quarter turn about x, (x, y, z, w).
_Z_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]

_DARK = 0.6  # of the light of dark fields on round bodies
_GLASS = 0.25  # opacity


class _Buffer:
    """The binary part, and what says where in it an array is."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: np.ndarray, target: int | None = None, bounds: bool = False) -> int:
        """Add an array (n,), (n, 3) or (n, 4), and return the number of its accessor."""
        kind = np.uint32 if values.dtype.kind == "u" else np.float32
        array = np.ascontiguousarray(values, kind)
        view = {"buffer": 0, "byteOffset": len(self.content), "byteLength": array.nbytes}
        self.views.append(view if target is None else {**view, "target": target})
        self.content += array.tobytes()
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": _FLOAT if kind is np.float32 else _UNSIGNED_INT,
            "count": len(array),
            "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[width],
        }
        if bounds:
            flat = array.reshape(len(array), width)
            accessor |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(accessor)
        return len(self.accessors) - 1


class _Surfaces:
    """Meshes and materials; meshes of the same geometry share their arrays."""

    def __init__(self, buffer: _Buffer) -> None:
        self._buffer = buffer
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self._materials: dict[tuple[float, ...], int] = {}
        self._meshes: dict[tuple[Any, ...], int] = {}
        self._arrays: dict[tuple[Any, ...], list[tuple[dict[str, Any], bool]]] = {}

    def mesh(self, number: int, piece: Piece, size: tuple[float, ...], color: tuple[float, ...]) -> int:
        """Return the number of a mesh: of a piece, with what of its sizes is no scale, in a colour."""
        ratio = size[3] / size[2] if size[3] else 0.0
        key = number, ratio, color
        if key not in self._meshes:
            primitives = [
                {**arrays, "material": self._material(color, dark)}
                for arrays, dark in self._geometry(number, piece, ratio)
            ]
            self.meshes.append({"primitives": primitives})
            self._meshes[key] = len(self.meshes) - 1
        return self._meshes[key]

    def _geometry(self, number: int, piece: Piece, ratio: float) -> list[tuple[dict[str, Any], bool]]:
        if (number, ratio) not in self._arrays:
            mesh, add = piece.mesh, self._buffer.add
            attributes = {
                "POSITION": add(mesh.placed((1.0, 1.0, 1.0, ratio)), _VERTICES, bounds=True),
                "NORMAL": add(_normals(mesh.vertices[:, 4:]), _VERTICES),
            }
            fields = checkered(piece)
            self._arrays[number, ratio] = [
                ({"attributes": attributes, "indices": add(triangles.ravel(), _INDICES)}, dark)
                for dark in (False, True)
                if len(triangles := mesh.triangles[fields == dark])
            ]
        return self._arrays[number, ratio]

    def _material(self, color: tuple[float, ...], dark: bool) -> int:
        factor = [*(to_linear(np.array(color[:3])) * (_DARK if dark else 1.0)).round(5).tolist(), color[3]]
        if tuple(factor) not in self._materials:
            surface = {"baseColorFactor": factor, "metallicFactor": 0.0, "roughnessFactor": 0.7}
            material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
            if color[3] < 1.0:
                material["alphaMode"] = "BLEND"
            self.materials.append(material)
            self._materials[tuple(factor)] = len(self.materials) - 1
        return self._materials[tuple(factor)]


def glb_bytes(motion: Motion) -> bytes:
    """Return a motion as a glTF binary file: z is turned up into y, lengths are metres, times seconds."""
    buffer = _Buffer()
    surfaces = _Surfaces(buffer)
    nodes: list[dict[str, Any]] = [{"name": motion.title, "rotation": _Z_UP, "children": []}]
    carriers = _bodies(motion, nodes)
    for number, piece in enumerate(pieces_of(motion)):
        for place, row in enumerate(piece.shapes):
            body = int(motion.description.shape_body[row])
            alpha = _GLASS if body in motion.see_through else 1.0
            size = piece.sizes[place]
            mesh = surfaces.mesh(number, piece, size, (*motion.color_of(row).tolist(), alpha))
            node = {
                "mesh": mesh,
                "translation": piece.positions[place].tolist(),
                "rotation": np.roll(piece.quaternions[place], -1).tolist(),
                "scale": list(size[:3]),
            }
            nodes.append(node)
            carriers[body].setdefault("children", []).append(len(nodes) - 1)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"stoss {__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "animations": _animations(motion, buffer),
        "meshes": surfaces.meshes,
        "materials": surfaces.materials,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": len(buffer.content)}] if buffer.content else [],
    }
    return _container({key: value for key, value in document.items() if value}, bytes(buffer.content))


def _normals(values: np.ndarray) -> np.ndarray:
    return values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-30)


def _bodies(motion: Motion, nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add a node for each body, below the first node, and return them."""
    made = [
        {"name": name, "translation": place.tolist(), "rotation": np.roll(turn, -1).tolist()}
        for name, place, turn in zip(
            motion.description.names, motion.positions[0], motion.quaternions[0], strict=True
        )
    ]
    nodes[0]["children"] = [*range(1, len(made) + 1)]
    if not made:
        del nodes[0]["children"]
    nodes.extend(made)
    return made


def _animations(motion: Motion, buffer: _Buffer) -> list[dict[str, Any]]:
    """Return the one animation: of place and turn of what moves, and of what comes or goes by its scale."""
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    count = len(motion.times)
    if count < 2:
        return []
    times = buffer.add(motion.times - motion.times[0], bounds=True)

    def follow(body: int, path: str, values: np.ndarray, interpolation: str = "LINEAR") -> None:
        samplers.append({"input": times, "output": buffer.add(values), "interpolation": interpolation})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": 1 + body, "path": path}})

    for body in motion.moving.tolist():
        follow(body, "translation", motion.positions[:, body])
        follow(body, "rotation", np.roll(motion.quaternions[:, body], -1, axis=1))
    sample = np.arange(count)
    for body in np.flatnonzero((motion.first > 0) | (motion.last < count - 1)):
        there = (motion.first[body] <= sample) & (sample <= motion.last[body])
        follow(int(body), "scale", np.repeat(there[:, None], 3, axis=1).astype(np.float32), "STEP")
    return [{"name": motion.title, "samplers": samplers, "channels": channels}] if channels else []


def _container(document: dict[str, Any], content: bytes) -> bytes:
    """Return the file: a head, the JSON chunk, the binary chunk, each a multiple of four bytes long."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    parts = [(_JSON, text + b" " * (-len(text) % 4))]
    if content:
        parts.append((_BINARY, content + b"\0" * (-len(content) % 4)))
    chunks = b"".join(struct.pack("<I", len(data)) + name + data for name, data in parts)
    return _MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks
