"""Runs on a cluster of Dask, which schedules them, and begins those of workers that are gone elsewhere."""

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stoss.dependencies import DependencyError
from stoss.errors import UsageError
from stoss.scenes.experiments.plan import Plan, Point
from stoss.scenes.experiments.work import LOST, Outcome
from stoss.scenes.experiments.workers import end_beside, outcome_beside
from stoss.scenes.running.report import versions

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["cluster_outcomes", "connected"]

_PATIENCE = 10  # [s] for the scheduler to answer, and to have a worker


def connected(scheduler: "str | Client") -> "tuple[Client, bool]":
    """Return a client of a cluster whose workers have this stoss, and whether it is to be closed.

    Args:
        scheduler: its address, such as tcp://127.0.0.1:8786, or a client.

    Raises:
        DependencyError: `distributed` is not installed.
        UsageError: nobody answers there, or the workers have other versions.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise DependencyError(
            "a Dask cluster needs distributed (not installed); "
            'install with: python -m pip install "stoss[sweep]"'
        ) from error
    if isinstance(scheduler, Client):
        client, own = scheduler, False
    elif isinstance(scheduler, str):
        try:
            client, own = Client(scheduler, timeout=_PATIENCE), True
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(
                f"scheduler = {scheduler!r}: no Dask scheduler answers there ({_line(error)}); "
                "`dask scheduler` starts one and tells its address"
            ) from error
    else:
        raise TypeError(
            f"scheduler = {scheduler!r}: give the address of a Dask scheduler, such as "
            "'tcp://127.0.0.1:8786', or a distributed.Client"
        )
    try:
        _check(client)
    except BaseException:
        if own:
            client.close()
        raise
    return client, own


def _check(client: "Client") -> None:
    """Raise UsageError unless there are workers and all have the versions of this process."""
    address = client.scheduler.address if client.scheduler is not None else "the scheduler"
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError as error:
        raise UsageError(
            f"{address} has no workers; start some: dask worker {address} --nthreads 1"
        ) from error
    try:
        found = client.run(versions)
    except ImportError as error:
        raise UsageError(
            f"a worker of {address} has no stoss that fits ({_line(error)}); install this version there"
        ) from error
    here = versions()
    for worker, there in found.items():
        if there != here:
            raise UsageError(f"worker {worker}: {_difference(there, here)}; install the same there")


def cluster_outcomes(plan: Plan, points: Sequence[Point], client: "Client") -> Iterator[tuple[int, Outcome]]:
    """Carry out runs on a cluster, and give number and outcome of each as it ends.

    Args:
        plan: what they have in common.
        points: one for each run.
        client: of the cluster.
    """
    from distributed import as_completed

    # A task rather than scattered data: it is made anew when the workers that hold it are gone.
    common = client.submit(_same, pickle.dumps(plan), pure=False)
    here = versions()
    numbers = {client.submit(outcome_beside, common, point, pure=False): i for i, point in enumerate(points)}
    suspects: list[int] = []
    try:
        for future, result in as_completed([*numbers], with_results=True, raise_errors=False):
            outcome, number = _outcome(future, result, here), numbers.pop(future)
            future.release()
            if outcome is None:
                suspects.append(number)
            else:
                yield number, outcome
        # Dask blames all runs that a worker had when it ended: alone, each answers for itself.
        for number in suspects:
            future = client.submit(outcome_beside, common, points[number], pure=False)
            ((future, result),) = as_completed([future], with_results=True, raise_errors=False)
            yield number, _outcome(future, result, here) or _lost(_ENDED)
    finally:
        client.cancel([*numbers, common])
        client.run(end_beside)


_ENDED = "its worker ended, several times (killed, as when the memory is used up)"


def _outcome(future: Any, result: Any, here: dict[str, str]) -> Outcome | None:
    """Return what came of a run, also if no worker could tell; None if its worker ended too often."""
    from distributed import KilledWorker

    if future.status == "error":  # whatever Dask, or reading the plan on a worker, raised
        error = future.exception()
        if isinstance(error, KilledWorker):
            return None
        return _lost(f"no worker could make it: {type(error).__name__}: {_line(error)}")
    if not isinstance(result, Outcome):
        return _lost(f"no worker could make it: it was {future.status}")
    if result.versions != here:  # of a worker that came later
        return _lost(f"a worker came with {_difference(result.versions, here)}")
    return result


def _lost(reason: str) -> Outcome:
    return Outcome(LOST, reason, log=f"{reason}\n")


def _same(content: bytes) -> bytes:
    return content


def _difference(there: dict[str, str], here: dict[str, str]) -> str:
    return ", ".join(
        f"{name} {there.get(name, 'not')} there and {here.get(name, 'not')} here"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    )


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
