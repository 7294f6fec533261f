"""Compiled kernels on disk, shared by all installations and checkouts of one user.

A kernel is kept under a digest of all that its machine code depends on: its bytecode, the constants and inner
functions that it names, its signature, how kernels are compiled, numba, Python, and the processor. So nothing
stale is ever found, whatever file was edited; a file that is damaged is compiled anew; and two processes may
write the same one, since it appears whole.
"""

import dis
import functools
import hashlib
import inspect
import os
import pickle
import stat
import sys
import threading
import types as python_types
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import serialize
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

from stoss.collision.kernels.compiler import KernelCompiler, kept_form, made_again
from stoss.collision.kernels.folders import cache_folder, cache_folders, warn
from stoss.errors import FileError
from stoss.files import replaced

__all__ = ["KernelFiles", "code_length", "digest_of"]

_MAGIC = b"stoss kernel 1\n"
_HEAD = len(_MAGIC) + hashlib.sha1().digest_size
_LARGEST = 1 << 28  # bytes of a kernel that is no damage
_VERSIONS_KEPT = 8  # of each kernel, the newest ones

_READING = threading.RLock()
_read_now: list[Any] = []  # functions that are being read, callers first
_whole: set[Path] = set()  # files that were whole when they were looked at
_told: set[str] = set()  # what need not be said again in this process


@functools.cache
def _code_of(function: Any) -> bytes:
    """Return a digest of a function: its code, and what it names.

    Raises:
        TypeError: an inner function calls itself.
    """
    digest = hashlib.sha1()
    with _READING:
        if function in _read_now:
            circle = [_place(one) for one in _read_now[_read_now.index(function) :]]
            calls = f"{circle[0]} calls itself" + f", over {' and '.join(circle[1:])}" * (len(circle) > 1)
            raise TypeError(
                f"{calls}: an inner function is part of its callers; write a loop, or make it a kernel"
            )
        _read_now.append(function)
        try:
            _add_code(digest, _plain_code(function), function.__globals__)
        finally:
            _read_now.pop()
    digest.update(repr((function.__defaults__, function.__closure__)).encode())
    return digest.digest()


def _place(function: Any) -> str:
    return f"{function.__qualname__} ({function.__code__.co_filename}:{function.__code__.co_firstlineno})"


def _plain_code(function: Any) -> python_types.CodeType:
    """Return the bytecode of a function as it is where Python keeps docstrings: one kernel serves both.

    With -OO constants are numbered otherwise.
    """
    code: python_types.CodeType = function.__code__
    if sys.flags.optimize < 2:
        return code
    return _codes(code.co_filename).get((code.co_qualname, code.co_firstlineno), code)


# Operations that read a global name, and how far its number is shifted in their argument: the lowest bit says
# whether it is called.
_READS = {dis.opmap["LOAD_GLOBAL"]: 1, dis.opmap["LOAD_NAME"]: 0}


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
    if dis.opmap["RAISE_VARARGS"] in code.co_code[::2]:  # what is raised tells the place
        digest.update(repr((code.co_filename, code.co_firstlineno, code.co_linetable)).encode())
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
    """Return the global names that a code reads, as `dis` tells them, which takes twenty times as long."""
    operations, arguments, found = code.co_code[::2], code.co_code[1::2], set()
    for operation, shift in _READS.items():
        at = operations.find(operation)
        while at >= 0:
            argument, before = arguments[at], at - 1
            while operations[before] == dis.EXTENDED_ARG and before >= 0:
                argument |= arguments[before] << 8 * (at - before)
                before -= 1
            found.add(code.co_names[argument >> shift])
            at = operations.find(operation, at + 1)
    return found


def _value(value: Any) -> bytes:
    """Return what of a global value a kernel's code depends on."""
    declared = getattr(value, "declaration", None)  # a kernel that is called by address
    if declared is not None:
        return str(declared).encode()
    dispatcher = getattr(value, "dispatcher", value)  # an inner function
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
    """Return the length of a function's bytecode and of the inner functions below it, each counted once."""
    found: set[Any] = set()

    def visit(one: Any) -> None:
        found.add(one)
        for name in _globals_of(one.__code__):
            value = one.__globals__.get(name)
            dispatcher = getattr(value, "dispatcher", None)
            if isinstance(dispatcher, Dispatcher) and not hasattr(value, "declaration"):
                if dispatcher.py_func not in found:
                    visit(dispatcher.py_func)

    visit(function)
    return sum(len(one.__code__.co_code) for one in found)


def digest_of(dispatcher: Any, signature: Any) -> bytes:
    """Return a digest of all that the code of a kernel depends on, but for the environment."""
    options = sorted((k, v) for k, v in dispatcher.targetoptions.items() if k != "cache")
    told = repr((str(signature), options, dispatcher._compiler.pipeline_class.__name__)).encode()
    return hashlib.sha1(told + _source(KernelCompiler.__module__) + _code_of(dispatcher.py_func)).digest()


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
        """Return where the form for this signature is to be kept; None if nothing can be kept."""
        folder = cache_folder()
        return None if folder is None else folder / self._file_name(signature)

    def is_kept(self, signature: Any) -> bool:
        """Return whether the form for this signature lies on disk, whole: that is looked at once."""
        name = self._file_name(signature)
        for folder in cache_folders():
            path = folder / name
            if path in _whole or _read(path) is not None:
                _whole.add(path)
                return True
            if _length(path) >= 0:
                _forget_damaged(path, "is damaged")
        return False

    def _file_name(self, signature: Any) -> str:
        return f"{self._name}-{digest_of(self._dispatcher, signature).hex()[:20]}.kernel"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled form, None if it is not there or damaged (called by numba)."""
        name = self._file_name(signature)
        for folder in cache_folders():
            path = folder / name
            payload = _read(path)
            if payload is not None:
                target_context.refresh()
                try:
                    return made_again(target_context, pickle.loads(payload))
                except Exception as error:  # whatever it is: to compile it anew is always right
                    _forget_damaged(path, f"cannot be loaded ({type(error).__name__})")
            elif _length(path) >= 0:
                _forget_damaged(path, "is damaged")
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled form (called by numba)."""
        path = self.path(signature)
        if path is None or result.library.has_dynamic_globals:
            return
        payload = serialize.dumps(kept_form(result))
        try:
            with replaced(path, lasting=False) as file:
                file.write(_MAGIC + hashlib.sha1(payload).digest() + payload)
            self._forget_old(path)
        except FileError as error:
            _warn_once("unwritten", f"{error}; what is compiled now is compiled anew in the next run")

    def _forget_old(self, path: Path) -> None:
        """Remove all but the newest versions of this kernel, as long as no other process does."""
        try:
            versions = sorted(path.parent.glob(f"{self._name}-*.kernel"), key=lambda p: p.stat().st_mtime)
            for old in versions[:-_VERSIONS_KEPT]:
                old.unlink(missing_ok=True)
        except OSError:
            return  # the next one that is kept sees to it

    def enable(self) -> None:
        """Do nothing: it is always on (called by numba)."""

    def disable(self) -> None:
        """Do nothing (called by numba)."""

    def flush(self) -> None:
        """Do nothing (called by numba)."""


def _length(path: Path) -> int:
    """Return the length of a file [bytes], -1 if there is none; what is no file has no length."""
    try:
        found = path.stat()
    except OSError:
        return -1
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def _read(path: Path) -> bytes | None:
    """Return the content of a file, None if it is not there or not whole."""
    if not _HEAD < _length(path) < _LARGEST:
        return None
    try:
        content = path.read_bytes()
    except OSError:
        return None
    payload = content[_HEAD:]
    head = _MAGIC + hashlib.sha1(payload).digest()
    return payload if content[:_HEAD] == head else None


def _forget_damaged(path: Path, what: str) -> None:
    """Remove a file that is of no use, and say so once."""
    _warn_once("damaged", f"{path} {what}; it and others like it are compiled anew")
    try:
        path.unlink(missing_ok=True)
    except OSError:  # a folder, or not ours: another one is kept elsewhere, or it is compiled each time
        return


def _warn_once(kind: str, message: str) -> None:
    if kind not in _told and os.environ.get("STOSS_WORKER") is None:  # whoever started it has told
        _told.add(kind)
        warn(message)
