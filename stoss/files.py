"""Files that are whole: each is written beside its place and put there when it is complete.

A full disk, an interrupt or the end of the process at any moment leaves the older file as it was, or the new
one. What is written beside it (`.stoss-...part`, in the same folder) is removed when writing fails; what a
process left that was killed goes when a file of the same name is next written.
"""

import errno
import hashlib
import os
import platform
import secrets
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from stoss.errors import FileError

__all__ = ["Replacement", "check_place", "replaced", "replacing", "write_text", "written_somewhere"]

PROTECTED = errno.EPERM  # of a file, as other programs tell it of one that is immutable

# What the system says, and what can be done about it.
_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space or choose another place"),
    errno.EDQUOT: ("your share of the disk is used up", "free some space or choose another place"),
    errno.EFBIG: ("it would be larger than files may be here", "raise the limit (ulimit -f) or keep less"),
    errno.EACCES: ("its folder may not be written to", "choose another place"),
    errno.EPERM: ("it is write-protected", "allow it (chmod u+w) or choose another place"),
    errno.EROFS: ("its folder is read-only", "choose another place"),
    errno.ENOENT: ("its folder is not there", "make it first"),
    errno.ENOTDIR: ("a part of its path is a file, not a folder", "choose another place"),
    errno.EISDIR: ("there is a folder of that name", "choose another name"),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter one"),
    errno.ELOOP: ("its symbolic links lead in a circle", "choose another place"),
    errno.EIO: ("the disk reports an error", "choose another place"),
}


class Replacement:
    """A file that is written beside its place; it takes the place when it is complete.

    Args:
        path: its place; symbolic links are followed.
        lasting: whether to wait until it is on the disk, so that it outlasts a loss of power too, and to look
            for what killed processes left there of it.

    Attributes:
        part: what to write meanwhile; its name has the same ending.
    """

    def __init__(self, path: str | Path, *, lasting: bool = True) -> None:
        self._path, self._lasting = path, lasting
        with _told(path):
            self._target = _target(path)
            self.part = _beside(self._target)
            if lasting:
                _clear(self.part)

    def put(self) -> None:
        """Let the file take its place, with permissions and owner of the one that was there.

        Raises:
            FileError: it cannot; the older file is as it was.
        """
        try:
            with _told(self._path):
                _put(self.part, self._target, self._lasting)
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Forget what was written; the older file is as it was."""
        self.part.unlink(missing_ok=True)


@contextmanager
def replaced(path: str | Path, *, lasting: bool = True) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place when the block ends without an error.

    Args:
        path: its place; symbolic links are followed, and the permissions of an older file are kept. What is
            no usual file (a pipe, a device) is written as it is.
        lasting: see `Replacement`.

    Raises:
        FileError: it cannot be written; the older file is as it was.
    """
    with _told(path):
        target = _target(path)
        if target.exists() and not (target.is_file() or target.is_dir()):
            with target.open("wb") as stream:
                yield stream
            return
        with replacing(path, lasting=lasting) as part, part.open("xb") as file:
            yield file


@contextmanager
def replacing(path: str | Path, *, lasting: bool = True) -> Iterator[Path]:
    """Give the name of a file to write, by another program too, with the same ending; see `replaced`.

    Raises:
        FileError: it cannot be written; the older file is as it was.
    """
    replacement = Replacement(path, lasting=lasting)
    with _told(path):
        try:
            yield replacement.part
            replacement.put()
        except BaseException:
            replacement.discard()
            raise


def written_somewhere(
    path: str | Path, write: Callable[[Path], None]
) -> tuple[Path | None, FileError | None]:
    """Write a file that must not be lost: by another name where its own place does not take it.

    That is the first that works of: the same name in the present folder, and in the one for temporary files,
    with a number behind it if it is taken.

    Args:
        path: its place.
        write: writes it to a path, as a whole.

    Returns:
        where it is now, nothing if nowhere; and why it is not in its place, nothing if it is.
    """
    path = Path(path)
    try:
        write(path)
        return path, None
    except FileError as error:
        reason = error
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        other = _free(folder / path.name)
        if folder.resolve() == path.resolve().parent or not other:
            continue
        with suppress(OSError):
            write(other)
            return other, FileError(reason.errno, f"{reason}; what was to be there is in {other}")
    return None, reason


def _free(path: Path) -> Path | None:
    """Return a path, or one with a number, that nothing has yet."""
    names = [path.name, *(f"{path.stem}-{number}{path.suffix}" for number in range(1, 1000))]
    return next((path.with_name(name) for name in names if not path.with_name(name).exists()), None)


def write_text(path: str | Path, text: str) -> None:
    """Write a text as UTF-8; see `replaced`."""
    content = text.encode("utf-8")
    with replaced(path) as file:
        file.write(content)


def check_place(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    """Return a path as such, when a file can be written there: before hours are spent on what goes into it.

    Args:
        path: the file.
        suffixes: endings that its name may have, in small letters.

    Raises:
        ValueError: another ending.
        FileError: it cannot be written, as far as can be known beforehand.
    """
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        name = f"{path.stem or 'motion'}{suffixes[0]}"
        raise ValueError(f"{path} does not end in {' or '.join(suffixes)}; name it {name}")
    if not path.parent.is_dir():
        raise FileError(errno.ENOENT, f"there is no folder {path.parent}; make it first")
    with _told(path):
        target = _target(path)
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.exists() and not target.is_file():
            return path
        part = _beside(target)
        try:
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        finally:
            part.unlink(missing_ok=True)
    return path


@contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """Raise what the system says of a file as one line with the cure."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        reason, cure = _REASONS.get(error.errno or 0, (error.strerror or str(error), "choose another place"))
        raise FileError(error.errno, f"{path} cannot be written: {reason}; {cure}") from error


def _target(path: str | Path) -> Path:
    """Return the file that a path leads to, past symbolic links.

    Raises:
        PermissionError: it is there and may not be written, though its folder might be.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not os.access(target, os.W_OK):
        if hasattr(os, "statvfs") and os.statvfs(target).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        raise PermissionError(PROTECTED, os.strerror(errno.EACCES))
    return target


def _beside(target: Path) -> Path:
    """Return a free name in the folder of a file."""
    # Not the name itself, which may be as long as names can be; the machine, since folders are shared.
    owner = hashlib.sha1(f"{platform.node()}/{target.name}".encode()).hexdigest()[:12]
    return target.with_name(f".stoss-{owner}-{os.getpid()}-{secrets.token_hex(4)}.part{target.suffix}")


def _clear(part: Path) -> None:
    """Remove what killed processes of this machine left of the file of which this is to be a part."""
    stem = part.name.split("-")[1]
    for left in part.parent.glob(f".stoss-{stem}-*-*.part*"):
        process = left.name.split("-")[2]
        if process.isdecimal() and not _runs(int(process)):
            with suppress(OSError):  # somebody else's, or gone meanwhile: none of our business
                left.unlink()


def _runs(process: int) -> bool:
    """Return whether there is a process of that number."""
    if sys.platform == "win32":
        return True  # no harmless signal to ask with
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _put(part: Path, target: Path, lasting: bool) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with suppress(FileNotFoundError):
        old = target.stat()
        part.chmod(stat.S_IMODE(old.st_mode))
        if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
            with suppress(PermissionError):  # only the superuser gives files to others
                os.chown(part, old.st_uid, old.st_gid)
    if lasting:
        with part.open("rb+") as file:
            os.fsync(file.fileno())
    os.replace(part, target)
    if lasting and hasattr(os, "O_DIRECTORY"):
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with suppress(OSError):  # some file systems cannot, and do it at once by themselves
                os.fsync(folder)
        finally:
            os.close(folder)
