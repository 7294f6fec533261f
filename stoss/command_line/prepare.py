"""`stoss prepare`: compile kernels ahead, so that the first run does not wait for them."""

import argparse

from stoss.collision.kernels.folders import cache_folder
from stoss.collision.kernels.prepare import all_kernels, prepare
from stoss.collision.kernels.progress import KernelProgress

__all__ = ["prepare_kernels"]


def prepare_kernels(options: argparse.Namespace) -> int:
    """Carry out `stoss prepare` and return the exit code."""
    folder = cache_folder()
    with KernelProgress(not options.quiet, folder) as progress:
        report = prepare(all_kernels() if options.all else None, workers=options.workers, progress=progress)
    print(
        f"{report.compiled + report.loaded} kernels are ready after {report.seconds:.1f} s "
        f"({report.cpu_seconds:.1f} s of processor time): {report.compiled} compiled, {report.loaded} found"
    )
    if folder is not None:
        print(f"kept in {folder}")
    return 0
