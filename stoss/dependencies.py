"""What stoss needs from others: checked when a sub-package is loaded, so that one line says what is missing.

Without it, a numba that is too old fails with an error from deep within a kernel. The numbers are those of
pyproject.toml; a test compares them.
"""

import functools
import re
from importlib import metadata, util

__all__ = ["DependencyError", "require"]

# Distribution: the module that it brings, the lowest version, and the first that is too new, if any.
_VERSIONS: dict[str, tuple[str, str, str]] = {
    "numpy": ("numpy", "2.4", ""),
    "numba": ("numba", "0.68", "0.69"),
    "scipy": ("scipy", "1.17", ""),
    "trimesh": ("trimesh", "5.2", ""),
    "python-fcl": ("fcl", "0.7.0.11", ""),
    "pyglet": ("pyglet", "2.1.19", "3"),
    "imgui-bundle": ("imgui_bundle", "1.93", ""),
    "PyOpenGL": ("OpenGL", "3.1.10", ""),
    "tqdm": ("tqdm", "4.70", ""),
    "msgspec": ("msgspec", "0.22", ""),
}

_ENGINE = ("numpy", "numba", "scipy", "trimesh", "python-fcl")
_NEEDED_BY = {
    "stoss.collision": _ENGINE,
    "stoss.engine": _ENGINE,
    "stoss.engine.model": ("msgspec",),
    "stoss.scenes": ("numpy",),
    "stoss.viewer.drawing": ("pyglet",),
    "stoss.viewer.window": ("pyglet", "imgui-bundle", "PyOpenGL"),
    "stoss.command_line": ("tqdm",),
}


class DependencyError(ImportError):
    """A package that stoss needs is missing or of another version; the message is one line with the cure."""


@functools.cache
def require(package: str) -> None:
    """Raise unless what a sub-package needs is installed.

    Args:
        package: its full name, `__name__` within it.

    Raises:
        DependencyError: names all that is missing, too old or too new, what was found, and the command that
            installs it.
    """
    found = {name: _installed(name) for name in _NEEDED_BY[package]}
    wrong = {name: version for name, version in found.items() if not _fits(name, version)}
    if wrong:
        told = " and ".join(
            f"{_requirement(name)} ({f'{version} is' if version else 'not'} installed)"
            for name, version in wrong.items()
        )
        words = " ".join(f'"{_requirement(name)}"' for name in wrong)
        raise DependencyError(f"{package} needs {told}; install with: python -m pip install {words}")


def _installed(name: str) -> str | None:
    """Return the version of a distribution that is installed, nothing if it is not."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        # A frozen program may hold the module without saying its version: that of who froze it.
        module, lowest, _ = _VERSIONS[name]
        return lowest if util.find_spec(module) is not None else None


def _fits(name: str, version: str | None) -> bool:
    if version is None:
        return False
    _, lowest, too_new = _VERSIONS[name]
    return _numbers(lowest) <= _numbers(version) and not (too_new and _numbers(version) >= _numbers(too_new))


def _requirement(name: str) -> str:
    _, lowest, too_new = _VERSIONS[name]
    return f"{name}>={lowest}" + (f",<{too_new}" if too_new else "")


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: 2.4.0rc1 is (2, 4, 0)."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(number) for number in match[0].split(".")) if match else ()
