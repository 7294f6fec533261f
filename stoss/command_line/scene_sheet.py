"""Make the small pictures of the window's list of scenes: `python -m stoss.command_line.scene_sheet`.

They are made from `scenes/pictures`, and kept in one file of plain arrays, with one palette, so that the
window needs no reader of pictures.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

__all__ = ["main", "make_sheet"]

_ROOT = Path(__file__).resolve().parents[2]
_SIZE = 160, 90  # [pixels] of a small picture
_COLOURS = 224
_SAMPLES = 20_000  # pixels from which the palette is chosen


def main() -> int:
    """Make the file and tell how large it is."""
    path = make_sheet(_ROOT / "scenes" / "pictures", _ROOT / "viewer" / "widgets" / "scene_sheet.npz")
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")
    return 0


def make_sheet(folder: Path, path: Path) -> Path:
    """Write small copies of all .jpg pictures of a folder to an .npz file, and return its path."""
    from scipy.cluster.vq import kmeans2
    from scipy.spatial import cKDTree

    pictures = sorted(folder.glob("*.jpg"))
    pixels = np.array([_small(picture) for picture in pictures])  # (n, height, width, 3)
    flat = pixels.reshape(-1, 3).astype(float)
    some = flat[np.random.default_rng(0).integers(0, len(flat), _SAMPLES)]
    palette = np.unique(kmeans2(some, _COLOURS, minit="++", seed=0)[0].round().astype(np.uint8), axis=0)
    index = cKDTree(palette).query(flat)[1].astype(np.uint8).reshape(pixels.shape[:3])
    names = np.array([picture.stem for picture in pictures])
    np.savez_compressed(path, names=names, palette=palette, pictures=index)
    return path


def _small(path: Path) -> np.ndarray:
    """Return a picture from a file, made smaller: (height, width, 3) uint8."""
    import imageio_ffmpeg

    width, height = _SIZE
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path)]
    command += ["-vf", f"scale={width}:{height}:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    return np.frombuffer(done.stdout, np.uint8).reshape(height, width, 3)


if __name__ == "__main__":
    sys.exit(main())
