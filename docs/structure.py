"""Measure how a checkout is built: rooms, floors, arrows between them, circles, and what has grown too large.

    python docs/structure.py                 the figures of this checkout
    python docs/structure.py ../old .        two checkouts side by side, "before > after"
    python docs/structure.py --map           rooms floor by floor, and what each imports
    python docs/structure.py ../old . --write docs/structure.md    put both between the marks of that page

A *package* is a folder at the top that has an `__init__.py`. A *room* is a folder within it; a file that lies
directly in a package is a room of its own. An *arrow* leads from one room to another that it imports, within
functions too; imports under TYPE_CHECKING are counted apart. A *circle* is a strongly connected set of rooms
or of files. *Arrows up* are the fewest whose removal leaves no circle of rooms; without them, the *floor* of
a room is 1 above the highest one it imports. Only the standard library is needed, and nothing is imported.
"""

import argparse
import ast
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

MOST_LINES_OF_FILE = 400
MOST_LINES_OF_FUNCTION = 100
MOST_PARAMETERS_OF_KERNEL = 10
KERNELS = {"kernel", "inner", "inlined", "allocating", "allocating_kernel", "njit"}
FRONT = "stoss"  # whose name the other packages have in front of theirs once they are installed
LARGEST_EXACT_CIRCLE = 12  # rooms; in larger ones arrows up are found by a rule of thumb

_Node = TypeVar("_Node", bound=Hashable)
Graph = dict[_Node, set[_Node]]


@dataclass
class Source:
    """One file.

    Attributes:
        path: within the checkout.
        tree: its syntax.
        lines: how many it has.
        imports: files that it imports when it runs.
        typing_imports: files that it imports for type checkers alone.
    """

    path: Path
    tree: ast.Module
    lines: int
    imports: set[Path] = field(default_factory=set)
    typing_imports: set[Path] = field(default_factory=set)

    @property
    def package(self) -> str:
        """Return the folder at the top."""
        return self.path.parts[0]

    @property
    def room(self) -> str:
        """Return the room, for instance `engine/stages`, `engine/settings` or `engine`."""
        folder, name = self.path.parent, self.path.stem
        if len(folder.parts) > 1 or name == "__init__":
            return folder.as_posix()
        return (folder / name).as_posix()


def read(checkout: Path) -> list[Source]:
    """Return the files of all packages of a checkout, and whom they import."""
    sources = []
    for top in sorted(path.parent for path in checkout.glob("*/__init__.py")):
        for path in sorted(top.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            sources.append(Source(path.relative_to(checkout), ast.parse(text), text.count("\n")))
    modules = {_module(source.path): source.path for source in sources}
    modules |= {
        f"{FRONT}.{name}": path for name, path in modules.items() if not f"{name}.".startswith(f"{FRONT}.")
    }
    for source in sources:
        for node, for_types in _imports(source.tree):
            wanted = source.typing_imports if for_types else source.imports
            wanted.update(_targets(node, source.path, modules))
        source.imports.discard(source.path)
        source.typing_imports -= source.imports | {source.path}
    return sources


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(node: ast.AST, for_types: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the imports below a node, and whether they are for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, for_types
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for part in child.body:
                yield from _imports(ast.Module([part], []), True)
            for part in child.orelse:
                yield from _imports(ast.Module([part], []), for_types)
        else:
            yield from _imports(child, for_types)


def _targets(node: ast.Import | ast.ImportFrom, importer: Path, modules: dict[str, Path]) -> Iterator[Path]:
    """Yield the files of the checkout that an import names."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
        yield from (modules[name] for name in names if name in modules)
        return
    base = node.module or ""
    if node.level:
        folder = importer.parents[node.level - 1]
        base = ".".join([*folder.parts, *filter(None, [node.module])])
    for alias in node.names:
        for name in (f"{base}.{alias.name}", base):  # a module of a package, else something within it
            if name in modules:
                yield modules[name]
                break


def circles(graph: Graph[_Node]) -> list[list[_Node]]:
    """Return the strongly connected sets of more than one node (Tarjan 1972)."""
    number: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    stack: list[_Node] = []
    found = []

    def visit(node: _Node) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(graph[node], key=str):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            members = stack[at:]
            del stack[at:]
            if len(members) > 1:
                found.append(sorted(members, key=str))

    for start in sorted(graph, key=str):
        if start not in number:
            visit(start)
    return found


def arrows_up(graph: Graph[str]) -> set[tuple[str, str]]:
    """Return the fewest arrows without which there is no circle."""
    out = set()
    for members in circles(graph):
        order = _best_order(members, graph)
        height = {room: k for k, room in enumerate(order)}
        out |= {(a, b) for a in members for b in graph[a] if b in height and height[b] > height[a]}
    return out


def _best_order(members: list[str], graph: Graph[str]) -> list[str]:
    """Return the members of a circle from the lowest to the highest, with as few arrows up as can be."""
    if len(members) > LARGEST_EXACT_CIRCLE:
        # rule of thumb: those that import least of the others, compared with how much they are imported
        inside = set(members)
        imported = {room: sum(room in graph[other] for other in members) for room in members}
        return sorted(members, key=lambda room: (len(graph[room] & inside) - imported[room], room))
    places = {room: k for k, room in enumerate(members)}
    imports = [sum(1 << places[other] for other in graph[room] if other in places) for room in members]
    # for each set of rooms that are placed already, lowest first: fewest arrows up, and the last one placed
    best: dict[int, tuple[int, int]] = {0: (0, -1)}
    for placed in range(1, 1 << len(members)):
        options = []
        for last in range(len(members)):
            if placed >> last & 1:
                before = placed & ~(1 << last)
                options.append((best[before][0] + (imports[last] & ~placed).bit_count(), last))
        best[placed] = min(options)
    order, placed = [], (1 << len(members)) - 1
    while placed:
        last = best[placed][1]
        order.append(members[last])
        placed &= ~(1 << last)
    return order[::-1]


def floors(graph: Graph[str]) -> dict[str, int]:
    """Return the floor of each room, from 1, arrows up left out."""
    ignored = arrows_up(graph)
    known: dict[str, int] = {}

    def floor(room: str) -> int:
        if room not in known:
            below = (floor(other) for other in graph[room] if (room, other) not in ignored)
            known[room] = 1 + max(below, default=0)
        return known[room]

    return {room: floor(room) for room in sorted(graph)}


def rooms(sources: Iterable[Source], *, for_types: bool = False) -> Graph[str]:
    """Return which rooms import which others; `for_types`: for type checkers alone."""
    sources = list(sources)
    home = {source.path: source.room for source in sources}
    graph: Graph[str] = {room: set() for room in home.values()}
    for source in sources:
        for path in source.typing_imports if for_types else source.imports:
            if path in home and home[path] != source.room:
                graph[source.room].add(home[path])
    return graph


def figures(sources: list[Source]) -> dict[str, int]:
    """Return the figures of these files and of the arrows among them."""
    graph, typing = rooms(sources), rooms(sources, for_types=True)
    paths = {source.path for source in sources}
    files = {source.path: source.imports & paths for source in sources}
    functions = [
        node
        for source in sources
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    kernels = [node for node in functions if any(_is_kernel(mark) for mark in node.decorator_list)]
    return {
        "rooms": len(graph),
        "floors": max(floors(graph).values(), default=0),
        "arrows between rooms": sum(map(len, graph.values())),
        "more arrows for types alone": sum(len(typing[room] - graph[room]) for room in graph),
        "arrows up": len(arrows_up(graph)),
        "circles of rooms": len(circles(graph)),
        "circles of rooms, arrows for types too": len(circles({a: graph[a] | typing[a] for a in graph})),
        "circles of files": len(circles(files)),
        "files": len(sources),
        f"files above {MOST_LINES_OF_FILE} lines": sum(s.lines > MOST_LINES_OF_FILE for s in sources),
        f"functions above {MOST_LINES_OF_FUNCTION} lines": sum(
            node.end_lineno - node.lineno >= MOST_LINES_OF_FUNCTION
            for node in functions
            if node.end_lineno is not None
        ),
        "kernels": len(kernels),
        f"kernels with more than {MOST_PARAMETERS_OF_KERNEL} parameters": sum(
            len(node.args.args) > MOST_PARAMETERS_OF_KERNEL for node in kernels
        ),
        "lines": sum(source.lines for source in sources),
    }


def _is_kernel(decorator: ast.expr) -> bool:
    name = ast.unparse(decorator).split("(")[0].rpartition(".")[2]
    return name.removesuffix("_numpy") in KERNELS


def table(checkouts: list[list[Source]]) -> str:
    """Return the figures as a table of Markdown: a column for each package, and one for all."""
    packages = sorted({source.package for sources in checkouts for source in sources})
    columns = [
        [figures([s for s in sources if s.package in chosen]) for sources in checkouts]
        for chosen in (*([package] for package in packages), packages)
    ]
    lines = [["", *packages, "all"], ["---"] * (len(packages) + 2)]
    for name in columns[0][0]:
        lines.append([name, *(" > ".join(str(one[name]) for one in column) for column in columns)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def floor_plan(sources: list[Source]) -> str:
    """Return the rooms floor by floor, the highest first, each with what it imports, and the circles."""
    graph = rooms(sources)
    floor, up = floors(graph), arrows_up(graph)
    lines = []
    for level in range(max(floor.values(), default=0), 0, -1):
        lines.append(f"floor {level}")
        for room in (room for room in floor if floor[room] == level):
            told = [f"{other} (up)" if (room, other) in up else other for other in sorted(graph[room])]
            lines.append(f"    {room}: {', '.join(told) or 'nothing of ours'}")
    known = {source.path for source in sources}
    paths = {s.path.as_posix(): {path.as_posix() for path in s.imports & known} for s in sources}
    for what, members in [("rooms", m) for m in circles(graph)] + [("files", m) for m in circles(paths)]:
        lines.append(f"circle of {what}: {', '.join(members)}")
    return "\n".join(lines)


def fill(page: str, checkouts: list[list[Source]]) -> str:
    """Return a page with the table, and floors of packages of the last checkout, between its marks."""

    def content(mark: re.Match[str]) -> str:
        what, _, package = mark[1].partition(" ")
        if what == "TABLE":
            text = table(checkouts)
        else:
            plan = floor_plan([source for source in checkouts[-1] if source.package == package])
            text = f"```text\n{plan}\n```"
        return f"<!-- {mark[1]} -->\n{text}\n<!-- END -->"

    return re.sub(r"<!-- (TABLE|FLOORS \w+) -->\n.*?<!-- END -->", content, page, flags=re.DOTALL)


def main() -> None:
    """Read the command line and print."""
    parser = argparse.ArgumentParser(description="Measure how a checkout is built.")
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    parser.add_argument("--map", action="store_true", help="print rooms floor by floor")
    parser.add_argument("--package", help="of this package alone")
    parser.add_argument("--write", type=Path, help="a page whose figures are brought up to date")
    options = parser.parse_args()
    checkouts = [
        [source for source in read(path) if options.package in (None, source.package)]
        for path in options.checkouts
    ]
    if options.write is not None:
        part = options.write.with_name(options.write.name + ".part")
        part.write_text(fill(options.write.read_text("utf-8"), checkouts), "utf-8")
        part.replace(options.write)
        return
    print("\n\n".join(map(floor_plan, checkouts)) if options.map else table(checkouts))


if __name__ == "__main__":
    main()
