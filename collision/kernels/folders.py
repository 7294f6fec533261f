"""Where compiled kernels lie: the folders in which they are looked for, and the one that takes new ones.

What is read there is executed. So a folder is used only if it belongs to the user (or, to read from, to the
superuser), and if nobody else may write in it.
"""

import functools
import hashlib
import os
import platform
import stat
import sys
import tempfile
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target

__all__ = ["cache_folder", "cache_folders", "environment", "warn"]

_PROBE = 1 << 16  # bytes that a folder must take to be of use: a kernel has about as many


def warn(message: str) -> None:
    """Tell the user something in one line."""
    print(f"stoss: {' '.join(message.split())}", file=sys.stderr, flush=True)


@functools.cache
def environment() -> str:
    """Return what machine code depends on besides its source: a name for people, then a digest."""
    codegen = cpu_target.target_context.codegen().magic_tuple()
    settings = [getattr(numba.config, name) for name in ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")]
    told = repr((codegen, settings, sys.version, numba.__version__, llvmlite.__version__, np.__version__))
    python = f"py{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha1(told.encode()).hexdigest()[:10]
    return f"{python}-numba{numba.__version__}-{platform.machine()}-{digest}"


def cache_folder() -> Path | None:
    """Return where new kernels are kept, None if nothing can be written anywhere.

    That is `STOSS_CACHE_DIR`, else `stoss` in the user's cache folder, else one for temporary files.
    """
    return _folders()[0]


def cache_folders() -> tuple[Path, ...]:
    """Return where kernels are looked for, in this order: what cannot be written may have some too."""
    return _folders()[1]


@functools.cache
def _folders() -> tuple[Path | None, tuple[Path, ...]]:
    chosen, readable, reasons = None, [], []
    wanted = _wanted()
    for folder in (wanted, _spare()):
        if folder is None:
            continue
        mine = folder / environment()
        reason = _why_not(mine) if chosen is None else ""
        if _may_be_read(mine):
            readable.append(mine)
        if reason:
            reasons.append(f"{folder} {reason}")
        elif chosen is None:
            chosen = mine
    if chosen is None:
        told = " and ".join(reasons) or "there is no folder for files"
        warn(f"{told}: every run compiles kernels anew; set STOSS_CACHE_DIR")
    elif reasons:
        warn(f"{reasons[0]}; kernels are kept in {chosen.parent} (or set STOSS_CACHE_DIR)")
    elif chosen.parent == wanted and os.environ.get("STOSS_WORKER") is None:
        _tell_of_others(chosen)
    return chosen, tuple(readable)


def _wanted() -> Path | None:
    """Return the folder that the user or the system asks for; nothing if there is no home."""
    told = os.environ.get("STOSS_CACHE_DIR")
    if told:
        return Path(os.path.abspath(told))
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "stoss") if os.path.isabs(home) else None


def _spare() -> Path | None:
    """Return a folder for temporary files, of this user; nothing if there is none."""
    try:
        return Path(tempfile.gettempdir()) / f"stoss-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    except OSError:
        return None


def _why_not(folder: Path) -> str:
    """Return why a folder cannot take kernels; empty if it can. It is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE))
            file.flush()
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return "belongs to another user"
        return "may be written by others" if _open_to_others(folder) else ""
    except OSError as error:
        return f"cannot be written ({error.strerror or error})"


def _may_be_read(folder: Path) -> bool:
    """Return whether what lies in a folder can be trusted."""
    try:
        owner = folder.stat().st_uid
        return folder.is_dir() and (
            not hasattr(os, "getuid") or (owner in (0, os.getuid()) and not _open_to_others(folder))
        )
    except OSError:
        return False


def _open_to_others(folder: Path) -> bool:
    return os.name == "posix" and bool(folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _tell_of_others(mine: Path) -> None:
    """Say why kernels are compiled again if they were, elsewhere or with other versions."""
    others = [other for other in mine.parent.iterdir() if other.is_dir() and other != mine]
    if others and not any(mine.glob("*.kernel")):
        warn(f"kernels on disk are for another processor, Python or numba ({others[0].name}): compiling anew")
