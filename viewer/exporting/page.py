"""A motion as a web page (.html): one file with shapes, poses and the script that plays them; no network."""

import base64
import html
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from stoss.identity import __version__
from stoss.viewer.drawing.style import to_linear
from stoss.viewer.exporting.motion import Motion
from stoss.viewer.exporting.pieces import Piece, ground_radius, motion_bounds, pieces_of

__all__ = ["page_bytes"]

_FOLDER = Path(__file__).parent
_GLASS = 0.12  # opacity

# Poses are kept as whole numbers of 16 bits: places within the range of the body, quaternions within -1 to 1.
_LEVELS = 65535


def page_bytes(motion: Motion) -> bytes:
    """Return a motion as a web page that plays it, for any browser with WebGL 2.

    Places are kept to the range of each body over 131070 (0.1 mm in 13 m), quaternions to 1.6e-5.
    """
    head, content = _data(motion)
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(content) + packer.flush()
    page = (_FOLDER / "page.html").read_text(encoding="utf-8")
    for mark, text in {
        "TITLE": html.escape(motion.title),
        "VERSION": html.escape(__version__),
        "HEAD": json.dumps(head, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
        "DATA": base64.b64encode(packed).decode(),
        "SHADERS": (_FOLDER / "shaders.js").read_text(encoding="utf-8"),
        "PLAYER": (_FOLDER / "player.js").read_text(encoding="utf-8"),
    }.items():
        # Once each, in the order of the page: what is put in is not looked at again.
        before, _, after = page.partition(f"@{mark}@")
        page = before + text + after
    return page.encode("utf-8")


def _data(motion: Motion) -> tuple[dict[str, Any], bytes]:
    """Return what the page reads: a head with names and sizes, and arrays one after the other."""
    bounds = motion_bounds(motion)
    origin = bounds.mean(axis=0)
    made, moving = motion.description, motion.moving
    pieces = pieces_of(motion)
    places, turns = motion.positions - origin, motion.quaternions
    low = places[:, moving].min(axis=0) if len(moving) else np.zeros((0, 3))
    span = np.maximum((places[:, moving].max(axis=0) if len(moving) else low) - low, 1e-12)
    head = {
        "title": motion.title,
        "times": (motion.times - motion.times[0]).round(6).tolist(),
        "begin": float(motion.times[0]),
        "origin": origin.tolist(),
        "radius": 0.5 * float(np.linalg.norm(bounds[1] - bounds[0])),
        "ground": ground_radius(motion),
        "view": list(motion.view),
        "bodies": [
            {"name": name, "kind": kind, "first": int(first), "last": int(last)}
            for name, kind, first, last in zip(made.names, made.kinds, motion.first, motion.last, strict=True)
        ],
        "moving": moving.tolist(),
        "pieces": [
            {
                "kind": piece.kind,
                "vertices": len(piece.mesh.vertices),
                "triangles": len(piece.mesh.triangles),
                "bodies": made.shape_body[piece.shapes].tolist(),
            }
            for piece in pieces
        ],
    }
    alpha = np.ones(len(made.names))
    alpha[list(motion.see_through)] = _GLASS
    still = np.concatenate([places[0], turns[0], to_linear(motion.colors), alpha[:, None]], axis=1)
    parts = [_floats(still), _floats(low), _floats(span)]
    parts += [part for piece in pieces for part in _piece(piece)]
    poses = np.concatenate([(places[:, moving] - low) / span, 0.5 + 0.5 * turns[:, moving]], axis=2)
    return head, b"".join([*parts, _packed(poses)])


def _floats(values: np.ndarray) -> bytes:
    return np.ascontiguousarray(values, np.float32).tobytes()


def _piece(piece: Piece) -> list[bytes]:
    """Return vertices (7 numbers each), triangles (3), and instances (11: sizes, place, turn)."""
    triangles = np.ascontiguousarray(piece.mesh.triangles, np.uint32).tobytes()
    instances = np.concatenate([piece.sizes, piece.positions, piece.quaternions], axis=1)
    return [_floats(piece.mesh.vertices), triangles, _floats(instances)]


def _packed(poses: np.ndarray) -> bytes:
    """Return numbers from 0 to 1 (k, m, 7) as differences in time, low bytes first, then high ones.

    A difference d of 16 bits becomes 2 d, or -2 d - 1 if it is negative, so that small ones have small bytes.
    """
    levels = np.rint(poses * _LEVELS).astype(np.int64).astype(np.uint16)
    change = np.diff(levels, axis=0, prepend=np.zeros_like(levels[:1])).view(np.int16)
    folded = ((change << 1) ^ (change >> 15)).view(np.uint16)
    return (folded & 0xFF).astype(np.uint8).tobytes() + (folded >> 8).astype(np.uint8).tobytes()
