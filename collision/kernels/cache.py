"""Compiled kernels on disk, shared by all installations and checkouts of one user.

A kernel is kept under a digest of all that its machine code depends on: its bytecode, the constants and inner
functions that it names, its signature, numba, Python, and the processor. So nothing stale is ever found,
whatever file was edited; a file that is damaged is compiled anew; and two processes may write the same one,
since it appears whole.
"""

import dis
import functools
import hashlib
import inspect
import os
import pickle
import platform
import sys
import tempfile
import types as python_types
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import compiler, serialize
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.extending import _Intrinsic

__all__ = ["KernelFiles", "cache_folder", "code_length", "digest_of", "warn"]

_MAGIC = b"stoss kernel 1\n"
_VERSIONS_KEPT = 8  # of each kernel, the newest ones


def warn(message: str) -> None:
    """Tell the user something in one line."""
    print(f"stoss: {message}", file=sys.stderr, flush=True)


@functools.cache
def environment() -> str:
    """Return what machine code depends on besides its source: a name for people, then a digest."""
    codegen = cpu_target.target_context.codegen().magic_tuple()
    settings = [getattr(numba.config, name) for name in ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT")]
    told = repr((codegen, settings, sys.version, numba.__version__, llvmlite.__version__, np.__version__))
    python = f"py{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha1(told.encode()).hexdigest()[:10]
    return f"{python}-numba{numba.__version__}-{platform.machine()}-{digest}"


@functools.cache
def cache_folder() -> Path | None:
    """Return where kernels are kept, None if nothing can be written anywhere.

    That is `STOSS_CACHE_DIR`, else `stoss` in the user's cache folder, else one for temporary files.
    """
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    wanted = Path(os.environ.get("STOSS_CACHE_DIR") or os.path.join(home, "stoss"))
    spare = Path(tempfile.gettempdir()) / f"stoss-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    for folder in (wanted, spare):
        if _usable(folder / environment()):
            if folder is not wanted:
                warn(f"{wanted} cannot be written; kernels are kept in {folder} (or set STOSS_CACHE_DIR)")
            elif os.environ.get("STOSS_WORKER") is None:
                _tell_of_others(folder)
            return folder / environment()
    warn(f"{wanted} and {spare} cannot be written: every run compiles kernels anew; set STOSS_CACHE_DIR")
    return None


def _usable(folder: Path) -> bool:
    """Return whether a folder can be written, and belongs to the user: what is read from it is executed."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder):
            return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def _tell_of_others(folder: Path) -> None:
    """Say why kernels are compiled again if they were, elsewhere or with other versions."""
    mine = folder / environment()
    others = [other for other in folder.iterdir() if other.is_dir() and other != mine]
    if others and not any(mine.glob("*.kernel")):
        warn(f"kernels on disk are for another processor, Python or numba ({others[0].name}): compiling anew")


@functools.cache
def _code_of(function: Any) -> bytes:
    """Return a digest of a function: its code, and what it names."""
    digest = hashlib.sha1()
    _add_code(digest, _plain_code(function), function.__globals__)
    digest.update(repr((function.__defaults__, function.__closure__)).encode())
    return digest.digest()


def _plain_code(function: Any) -> python_types.CodeType:
    """Return the bytecode of a function as it is where Python keeps docstrings: -OO numbers constants otherwise.

    So one compiled kernel serves both.
    """
    code: python_types.CodeType = function.__code__
    if sys.flags.optimize < 2:
        return code
    return _codes(code.co_filename).get((code.co_qualname, code.co_firstlineno), code)


@functools.cache
def _codes(path: str) -> dict[tuple[str, int], python_types.CodeType]:
    """Return all functions of a source file, compiled as with -O, by name and line."""
    try:
        source = Path(path).read_bytes()
    except OSError:  # installed without sources
        return {}
    found: dict[tuple[str, int], python_types.CodeType] = {}
    left = [compile(source, path, "exec", dont_inherit=True, optimize=1)]
    while left:
        code = left.pop()
        found[code.co_qualname, code.co_firstlineno] = code
        left += [constant for constant in code.co_consts if isinstance(constant, python_types.CodeType)]
    return found


def _add_code(digest: Any, code: python_types.CodeType, names: dict[str, Any]) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_varnames, code.co_names)).encode())
    docstring = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else None
    for constant in code.co_consts:
        if isinstance(constant, python_types.CodeType):
            _add_code(digest, constant, names)
        elif constant is not docstring:
            digest.update(repr(constant).encode())
    for name in sorted(_globals_of(code)):
        if name in names:
            digest.update(name.encode())
            digest.update(_value(names[name]))


def _globals_of(code: python_types.CodeType) -> set[str]:
    return {
        str(instruction.argval)
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }


def _value(value: Any) -> bytes:
    """Return what of a global value a kernel's code depends on."""
    declared = getattr(value, "declaration", None)  # a kernel that is called by address
    if declared is not None:
        return str(declared).encode()
    dispatcher = getattr(value, "dispatcher", None)  # an inner function
    if isinstance(dispatcher, Dispatcher):
        return digest_of(dispatcher, "")
    if isinstance(value, np.ndarray):
        return repr((value.dtype, value.shape)).encode() + value.tobytes()
    if isinstance(value, python_types.ModuleType):
        return value.__name__.encode()
    if isinstance(value, _Intrinsic):  # what LLVM is told: all that its module makes of it
        return _source(value._defn.__module__)
    if inspect.isroutine(value) or isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}".encode()
    return repr(value).encode()


@functools.cache
def _source(module: str) -> bytes:
    """Return a digest of the source of a module."""
    return hashlib.sha1(inspect.getsource(sys.modules[module]).encode()).digest()


def code_length(function: Any) -> int:
    """Return the length of a function's bytecode and of the inner functions it names."""
    length = len(function.__code__.co_code)
    for name in _globals_of(function.__code__):
        value = function.__globals__.get(name)
        if isinstance(getattr(value, "dispatcher", None), Dispatcher) and not hasattr(value, "declaration"):
            length += code_length(value.dispatcher.py_func)
    return length


def digest_of(dispatcher: Dispatcher, signature: Any) -> bytes:
    """Return a digest of all that the code of a kernel depends on, but for the environment."""
    options = sorted((k, v) for k, v in dispatcher.targetoptions.items() if k != "cache")
    told = repr((str(signature), options)).encode()
    return hashlib.sha1(told + _code_of(dispatcher.py_func)).digest()


class KernelFiles:
    """The compiled forms of one kernel, in the interface of numba's caches."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        function = dispatcher.py_func
        module = function.__module__.removeprefix("stoss.")
        self._name = f"{module}.{function.__qualname__}".replace("<", "").replace(">", "")

    @property
    def cache_path(self) -> str:
        """Return the folder."""
        return str(cache_folder())

    def path(self, signature: Any) -> Path | None:
        """Return the file of the form for this signature, there or not; None if nothing can be kept."""
        folder = cache_folder()
        if folder is None:
            return None
        return folder / f"{self._name}-{digest_of(self._dispatcher, signature).hex()[:20]}.kernel"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled form, None if it is not there or damaged (called by numba)."""
        path = self.path(signature)
        if path is None:
            return None
        try:
            content = path.read_bytes()
        except OSError:
            return None
        head = len(_MAGIC) + 20
        payload = content[head:]
        if content[: len(_MAGIC)] == _MAGIC and content[len(_MAGIC) : head] == hashlib.sha1(payload).digest():
            target_context.refresh()
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        warn(f"{path} is damaged: compiling {self._name} anew")
        path.unlink(missing_ok=True)
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled form (called by numba)."""
        path = self.path(signature)
        if path is None or result.library.has_dynamic_globals:
            return
        payload = serialize.dumps(result._reduce())
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(_MAGIC + hashlib.sha1(payload).digest() + payload)
            os.replace(file.name, path)
            self._forget_old(path)
        except OSError as error:
            warn(
                f"{path} cannot be written ({error.strerror}); {self._name} is compiled anew in the next run"
            )

    def _forget_old(self, path: Path) -> None:
        """Remove all but the newest versions of this kernel."""
        versions = sorted(path.parent.glob(f"{self._name}-*.kernel"), key=lambda p: p.stat().st_mtime)
        for old in versions[:-_VERSIONS_KEPT]:
            old.unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: it is always on (called by numba)."""

    def disable(self) -> None:
        """Do nothing (called by numba)."""

    def flush(self) -> None:
        """Do nothing (called by numba)."""
