"""Surveys in a process of their own: other engines end the process now and then, or never come back."""

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from stoss.benchmarks.robots.survey import Row, survey

__all__ = ["surveyed"]

_CONTEXT = multiprocessing.get_context("spawn")


def surveyed(
    files: Iterable[tuple[Path, list[Path]]], duration: float, poses: int, time_limit: float
) -> Iterator[Row]:
    """Yield what becomes of files.

    Args:
        files: each with the folders from which it may read meshes.
        duration: simulated time of each [s].
        poses: in which accelerations are compared.
        time_limit: of one file [s]; then its process is ended.
    """
    worker: _Worker | None = None
    for path, folders in files:
        worker = worker or _Worker()
        row = worker.row((path, folders, duration, poses), time_limit)
        if row is None:
            worker.end()
            told = "more time than allowed" if worker.alive_at_end else "the process died"
            row = Row(str(path), why_not="", end=told)
            worker = None
        yield row
    if worker is not None:
        worker.end()


class _Worker:
    """A process that makes one survey after the other."""

    def __init__(self) -> None:
        self._connection, inner = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(inner,), daemon=True)
        self._process.start()
        inner.close()
        self.alive_at_end = False

    def row(self, task: tuple[Any, ...], time_limit: float) -> Row | None:
        """Return the row of a task, None if it does not come."""
        try:
            self._connection.send(task)
            if not self._connection.poll(time_limit):
                return None
            row: Row = self._connection.recv()
        except (EOFError, OSError):
            return None
        return row

    def end(self) -> None:
        """End the process."""
        self.alive_at_end = self._process.is_alive()
        self._process.kill()
        self._process.join()


def _work(connection: Connection) -> None:
    # what the engines in C print is no part of the table
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    while True:
        try:
            path, folders, duration, poses = connection.recv()
        except EOFError:
            return
        try:
            row = survey(path, folders, duration, poses)
        except Exception as error:  # a fault of ours: it is a line of the table, and the next file is tried
            row = Row(str(path), end=f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
        connection.send(row)
