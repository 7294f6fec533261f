"""`stoss plot FILE... CHANNEL...`: draw what was recorded, or list the channels."""

import argparse
import sys
from pathlib import Path

from stoss.engine.recording import Recording
from stoss.engine.recording.plotting import check_picture, picture_of
from stoss.errors import UsageError
from stoss.scenes.experiments.work import CHANNELS

__all__ = ["plot"]


def plot(options: argparse.Namespace) -> int:
    """Carry out `stoss plot` and return the exit code.

    Raises:
        UsageError: no such file or channel, nothing to draw, or a picture that cannot be written.
        FileError: the picture could not be written after all.
    """
    files = [word for word in options.words if _is_file(word)]
    channels = [word for word in options.words if word not in files]
    if not files:
        raise UsageError(f"{channels[0]} is no recording; name the file first: stoss plot run.npz energy.*")
    runs = _load(files)
    if not channels and not options.histogram:
        for run, recording in runs.items():
            _list(run, recording)
        return 0
    out = options.out or str(Path(files[0]).with_suffix(".png"))
    try:
        place = check_picture(out)
        picture_of(
            runs, channels, out=place, phase=options.phase, histogram=options.histogram, title=options.title
        )
    except KeyError as error:
        raise UsageError(str(error.args[0])) from error
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    if not options.quiet:
        print(f"written to {place}", file=sys.stderr)
    return 0


def _is_file(word: str) -> bool:
    return Path(word).suffix.lower() == ".npz" or Path(word).is_file()


def _load(files: list[str]) -> dict[str, Recording]:
    """Return recordings by what they are called: the titles if these differ, or else the files."""
    found = []
    for file in files:
        try:
            found.append(Recording.load(file))
        except (ValueError, OSError) as error:
            raise UsageError(str(error)) from error
    # those that runs have kept are called as the folders of these
    stems = [path.parent.name if path.name == CHANNELS else path.stem for path in map(Path, files)]
    names = stems if len(set(stems)) == len(stems) else files
    if len(set(names)) < len(names):
        raise UsageError("a recording is named twice")
    return dict(zip(names, found, strict=True))


def _list(run: str, recording: Recording) -> None:
    reason = f" ({recording.reason})" if recording.reason else ""
    print(f"{run}: {len(recording)} samples up to {recording.t_end:g} s, {recording.status}{reason}")
    width = max((len(name) for name in recording.channels), default=0)
    for name in recording.channels:
        unit = recording.unit(name)
        print(f"  {name:<{width}}  {f'[{unit}]' if unit else ''}".rstrip())
