"""Files are whole: the older one or the new one, whatever happens while it is written."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stoss import files
from stoss.errors import FileError
from stoss.files import Replacement, check_place, replaced, replacing, write_text

OLD, NEW = b"the older content", b"the new content"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a file with older content."""
    path = tmp_path / "motion.npz"
    path.write_bytes(OLD)
    return path


def only(path: Path, content: bytes) -> bool:
    """Return whether a folder holds this file with this content, and nothing else."""
    return path.read_bytes() == content and [*path.parent.iterdir()] == [path]


def full_disk(*_: object) -> None:
    """Fail as a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_takes_the_place_of_an_older_file(place: Path) -> None:
    """Show the older content until the new one is complete, and leave nothing beside it."""
    with replaced(place) as file:
        file.write(NEW)
        file.flush()
        assert place.read_bytes() == OLD
    assert only(place, NEW)


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(1), MemoryError()])
def test_an_error_while_writing_leaves_the_older_file(place: Path, error: BaseException) -> None:
    """Keep the older file and nothing beside it, whatever is raised; it is raised as it is."""
    with pytest.raises(type(error)), replaced(place) as file:
        file.write(NEW[:4])
        raise error
    assert only(place, OLD)
    with pytest.raises(type(error)), replacing(place) as part:
        part.write_bytes(NEW)
        raise error
    assert only(place, OLD)


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_the_older_file(place: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Say in one line that the disk is full, and with what cure; keep the older file."""
    monkeypatch.setattr(os, where, full_disk)
    with pytest.raises(FileError) as caught:
        write_text(place, "new")
    assert caught.value.errno == errno.ENOSPC
    assert (
        str(caught.value)
        == f"{place} cannot be written: the disk is full; free some space or choose another place"
    )
    assert only(place, OLD)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_device_is_written_as_it_is() -> None:
    """Write to what is no usual file, and tell its errors alike; it stays what it is."""
    with pytest.raises(FileError, match="/dev/full cannot be written: the disk is full"):
        write_text("/dev/full", "x" * 100_000)
    write_text(os.devnull, "x")
    assert not Path("/dev/full").is_file() and not Path(os.devnull).is_file()


def test_permissions_of_the_older_file_are_kept(tmp_path: Path) -> None:
    """Give a file the permissions of the one it replaces, and a new one those that are usual."""
    for mode in (0o600, 0o644, 0o664, 0o755):
        path = tmp_path / f"{mode:o}.json"
        path.write_bytes(OLD)
        path.chmod(mode)
        write_text(path, "new")
        assert path.stat().st_mode & 0o777 == mode and path.read_text() == "new"
    plain = tmp_path / "plain.json"
    plain.touch()
    write_text(tmp_path / "new.json", "new")
    assert (tmp_path / "new.json").stat().st_mode == plain.stat().st_mode


def test_write_protected_files_are_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to write over a file that may not be written, though its folder might be."""
    place.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # the superuser may do anything
    with pytest.raises(FileError, match="it is write-protected; allow it"):
        check_place(place, (".npz",))
    with pytest.raises(FileError, match="it is write-protected; allow it"):
        write_text(place, "new")
    assert only(place, OLD)


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    """Write to where a link leads, also where there is nothing yet; the link stays one."""
    store = tmp_path / "store"
    store.mkdir()
    link = tmp_path / "motion.npz"
    for step in range(2):
        if step == 0:
            link.symlink_to(store / "motion.npz")
        write_text(link, f"new {step}")
        assert link.is_symlink() and only(store / "motion.npz", f"new {step}".encode())
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(FileError, match=r"cannot be written"):
        write_text(circle, "new")


def test_long_names(tmp_path: Path) -> None:
    """Write a file whose name is as long as names may be, and refuse a longer one in words."""
    path = tmp_path / ("n" * 251 + ".npz")
    write_text(path, "new")
    assert only(path, b"new")
    with pytest.raises(FileError, match="the name is too long"):
        write_text(tmp_path / ("n" * 300 + ".npz"), "new")


def test_places_where_nothing_can_be_written(tmp_path: Path, place: Path) -> None:
    """Say what is wrong with a place, beforehand and when writing."""
    (tmp_path / "folder.npz").mkdir()
    for path, told in (
        (tmp_path / "missing" / "motion.npz", "folder"),
        (place / "motion.npz", "folder"),
        (tmp_path / "folder.npz", "there is a folder of that name"),
    ):
        with pytest.raises(FileError, match=told):
            check_place(path, (".npz",))
        with pytest.raises(FileError, match="cannot be written"), replaced(path) as file:
            file.write(NEW)
        assert place.read_bytes() == OLD
    with pytest.raises(ValueError, match=r"does not end in .npz; name it motion.npz"):
        check_place(tmp_path / "motion.dat", (".npz",))
    assert check_place(place, (".npz",)) == place and place.read_bytes() == OLD


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_a_folder_that_cannot_be_written_is_found_beforehand(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Refuse a place beforehand if its folder is read-only, though the file itself might be written."""

    def refuse(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FileError, match=rf"cannot be written: {files._REASONS[number][0]}"):
        check_place(place, (".npz",))


def test_what_a_killed_process_left_goes_with_the_next_file(place: Path) -> None:
    """Remove what was left beside a file by a process that is gone, not what a running one writes."""
    code = f"""
import os, signal
from stoss.files import replaced
with replaced({str(place)!r}) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    assert place.read_bytes() == OLD and len([*place.parent.iterdir()]) == 2
    mine = Replacement(place)
    mine.part.write_bytes(NEW)
    write_text(place, "new")
    assert sorted(place.parent.iterdir()) == sorted([place, mine.part])
    mine.put()
    assert only(place, NEW)


def test_two_writers_of_one_file(place: Path) -> None:
    """Let the one that is complete last have the place; both are whole."""
    with replaced(place) as first, replaced(place) as second:
        first.write(b"first")
        second.write(b"second")
    assert only(place, b"first")
