"""Robots of others: `python -m stoss.benchmarks.robots --wheels`, or with folders of your own."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from stoss.benchmarks.robots.files import robot_files, wheel_folders
from stoss.benchmarks.robots.page import page
from stoss.benchmarks.robots.survey import POSES, Row
from stoss.benchmarks.robots.worker import surveyed
from stoss.benchmarks.tables import format_cells, machine_load
from stoss.files import write_text

__all__ = ["main"]

HEADER = ("file", "dof", "left out", "accelerations", "steps/s", "peer", "joint error", "")


def cells(row: Row, name: str) -> tuple[str, ...]:
    """Return the cells of a row of the table."""
    if row.why_not:
        return (name, "", "", "", "", "", "", row.why_not[:100])
    return (
        name,
        f"{row.degrees_of_freedom}",
        f"{len(row.left_out)}",
        "" if row.accelerations is None else f"{row.accelerations:.1e}",
        "" if row.steps_per_second is None else f"{row.steps_per_second:.0f}",
        "" if row.peer_speed is None else f"{row.peer_speed:.0f}",
        "" if row.joint_error is None else f"{row.joint_error:.1e}",
        row.end[:100],
    )


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.robots",
        description="Load robots of others, compare with judges, and run beside MuJoCo or PyBullet.",
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="with .urdf, .xml, .xacro")
    parser.add_argument("--wheels", action="store_true", help="those of the wheels that are installed")
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument("--skip", default="\0", help="no files whose path has this in it")
    parser.add_argument("--duration", type=float, default=10.0, help="[s] of each run (default: %(default)s)")
    parser.add_argument("--poses", type=int, default=POSES, help="to compare in (default: %(default)s)")
    limit = "[s] of one file (default: %(default)s)"
    parser.add_argument("--time-limit", type=float, default=300.0, help=limit)
    parser.add_argument("--json", type=Path, help="file for all that was found")
    parser.add_argument("--page", type=Path, help="file for the short table in Markdown")
    parser.add_argument("--kept", type=Path, nargs="*", default=(), help="make the page of what --json kept")
    options = parser.parse_args(arguments)
    wheels = {folder.resolve(): name for name, folder in wheel_folders().items()}
    places = {wheels.get(folder.resolve(), str(folder)): folder for folder in options.folders}
    if options.wheels or not (places or options.kept):
        places |= wheel_folders()
    rows: dict[str, list[Row]] = {}
    for file in options.kept:
        for name, kept in json.loads(file.read_text()).items():
            known = wheels.get(Path(name).resolve(), name)
            rows.setdefault(known, []).extend(
                Row(**{**row, "left_out": tuple(row["left_out"])}) for row in kept
            )
            places.setdefault(known, wheel_folders().get(known, Path(name)))
    for name, folder in () if options.kept else places.items():
        files = [
            (path, [folder, *folder.parents[:2]])
            for path in robot_files(folder)
            if options.only in str(path) and options.skip not in str(path)
        ]
        rows[name] = []
        for row in surveyed(files, options.duration, options.poses, options.time_limit):
            rows[name].append(row)
            print("  ".join(cells(row, str(Path(row.path).relative_to(folder)))), file=sys.stderr)
            if options.json is not None:
                write_text(options.json, json.dumps({k: [asdict(one) for one in v] for k, v in rows.items()}))
    for name, folder in places.items():
        table = [cells(row, str(Path(row.path).relative_to(folder))) for row in rows[name]]
        print(f"\n{name}: {len(table)} files")
        print(format_cells([HEADER, *table], left=(0, 7)))
    print(f"\n{machine_load()}")
    if options.page is not None:
        folders = {name: str(folder) for name, folder in places.items()}
        write_text(options.page, page(rows, folders))
    return 0


if __name__ == "__main__":
    sys.exit(main())
