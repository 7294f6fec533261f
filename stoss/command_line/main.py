"""The command `stoss`: list scenes, run one, look at it, measure speed, run the cases.

Exit codes: 0 done; 1 the simulation had to stop, or a case failed; 2 the command was wrong (one line says
what and how to mend it); 130 interrupted.

The engine is imported only by the commands that run a world, so that help and lists come at once.
"""

import os
import sys
from collections.abc import Sequence

from stoss.command_line.options import UsageError, parse
from stoss.scenes.registry import SCENES

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        arguments: the words after `stoss`; None takes those of the process.
    """
    try:
        exit_code = _carry_out(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return exit_code
    except UsageError as error:
        print(f"stoss: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough; keep Python from complaining when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _carry_out(words: list[str]) -> int:
    options = parse(words)
    if options.command == "list":
        print(_scene_table())
        return 0
    if options.command == "run":
        from stoss.command_line.run import run

        return run(options)
    if options.command == "view":
        from stoss.command_line.view import view

        return view(options)
    if options.command == "render":
        from stoss.command_line.render import render

        return render(options)
    if options.command == "replay":
        from stoss.command_line.view import replay

        return replay(options)
    if options.command == "cases":
        from stoss.command_line.cases import run_cases

        return run_cases(options)
    from stoss.command_line.bench import bench

    return bench(options)


def _scene_table() -> str:
    """Return the table of scenes."""
    rows = [("scene", "bodies", "seconds", "what it shows")]
    rows += [
        (scene.name, str(scene.body_count), f"{scene.duration:g}", scene.summary) for scene in SCENES.values()
    ]
    name_width, count_width, time_width = (max(len(row[column]) for row in rows) for column in range(3))
    lines = [
        f"{name:<{name_width}}  {count:>{count_width}}  {seconds:>{time_width}}  {summary}"
        for name, count, seconds, summary in rows
    ]
    lines += ["", "stoss run SCENE runs one; stoss run SCENE --help shows what can be varied."]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
