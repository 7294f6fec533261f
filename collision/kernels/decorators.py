"""Two kinds of compiled functions: kernels, and inner functions that are compiled into them.

`@kernel` can be called from Python, and by other kernels. Its annotations are its one signature (see
`types`), so it can be compiled before anything runs. Other kernels call it by its address: its code stands
once, where linking it into its callers, and into theirs, would have LLVM optimise it anew each time. Use it
for what Python calls, and for what is longer than a page and called from more than one place.

`@inner` functions are linked into each kernel that calls them, for whatever types it passes. Called from
Python they run uncompiled.

The address is a word that is 0 until the kernel is ready; a caller that finds 0 asks for it, so nothing has
to be known beforehand (`prepare` compiles ahead, with several processes). The word has a symbol's name, which
stays valid in what lies on disk.

Neither counts references to arrays unless it says `allocates`: numba counts them, with atomic additions, also
for each array that is passed on, which is more than most of them compute. A function that allocates nothing
and returns no array owns none and does not need to; numba refuses to compile one that allocates without.
Divisions by zero follow numpy's rules. All release the interpreter, so that a window goes on beside a long
step.
"""

import ctypes
import functools
import gc
import hashlib
import os
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, get_type_hints

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import event, types
from numba.core.datamodel.models import ExternalFuncPointerModel
from numba.core.imputils import lower_constant
from numba.core.typing import signature
from numba.extending import models, register_model, typeof_impl

from stoss.collision.kernels.addresses import address_of
from stoss.collision.kernels.cache import KernelFiles, code_length
from stoss.collision.kernels.compiler import InnerCompiler, KernelCompiler
from stoss.collision.kernels.types import numba_type

__all__ = [
    "KERNELS",
    "LISTENERS",
    "READY_EVENT",
    "Inner",
    "Kernel",
    "Listener",
    "compiled",
    "inner",
    "kernel",
]

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
_RESOLVE = "stoss.resolve"
# Arguments whose types are looked at in each call.
_LOOKED_AT = (types.Array, types.BaseTuple)

# One thread at a time makes kernels ready; within that, it may come to another one.
_MAKING = threading.RLock()
# All kernels of the modules that are loaded, by module and name.
KERNELS: dict[str, "Kernel"] = {}
_BY_CELL: dict[int, "Kernel"] = {}
# Called as kernels are compiled: how many are done, of how many, and the name of the last one.
Listener = Callable[[int, int, str], None]
LISTENERS: list[Listener] = []
# The event of numba that goes on while a kernel is made ready: looked for, loaded or compiled, and linked.
READY_EVENT = "stoss:ready"


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Return a function that compiles when it is called, for each kind of arguments, and is kept on disk."""
    dispatcher = njit(**_OPTIONS, **options)(function)
    dispatcher._cache = KernelFiles(dispatcher)
    return dispatcher


class Kernel:
    """A compiled function with one signature, called from Python or by address.

    Attributes:
        module: where it is defined.
        name: module and name.
        feature: "" if every world needs it, see `prepare`.
        signature: numba's form of the annotations.
        declaration: name and signature: all that its callers depend on.
    """

    def __init__(self, function: Callable[..., Any], allocates: bool) -> None:
        functools.update_wrapper(self, function)
        hints = get_type_hints(function, include_extras=True)
        code = function.__code__
        missing = [name for name in (*code.co_varnames[: code.co_argcount], "return") if name not in hints]
        if missing:
            raise TypeError(f"kernel {function.__qualname__}: annotate {', '.join(missing)}")
        result = numba_type(hints.pop("return"))
        self.function = function
        self.module = function.__module__
        self.name = f"{function.__module__}.{function.__qualname__}"
        package = sys.modules.get(self.module.rpartition(".")[0])
        self.feature = str(function.__globals__.get("FEATURE") or getattr(package, "FEATURE", ""))
        self.signature = signature(result, *(numba_type(hint) for hint in hints.values()))
        self.dispatcher = compiled(function, _nrt=allocates, pipeline_class=KernelCompiler)
        self.declaration = f"{self.name}{self.signature}"
        digest = hashlib.sha1(str(self.signature).encode()).hexdigest()[:8]
        self._type = KernelType(self.signature, f"{self.name}.{digest}")
        self.symbol = f"stoss.{self.name}"
        self._cell = np.zeros(1, np.int64)
        self._run: Callable[..., Any] | None = None
        self._has_arrays = any(isinstance(kind, _LOOKED_AT) for kind in self.signature.args)
        address = address_of(self._cell)
        llvm.add_symbol(self.symbol, address)
        _BY_CELL[address] = KERNELS[self.name] = self

    def __call__(self, *arguments: Any) -> Any:
        """Call it from Python."""
        run = self._run
        if run is None:
            self.make_ready()
            run = self._run or self._run_first
        return run(*arguments)

    def _run_first(self, *arguments: Any) -> Any:
        """Look at the types of the arguments of the first call; later ones come from the same lines.

        The look costs a microsecond. Arrays are always looked at: their layout depends on who made them;
        structs have seen to theirs.
        """
        result = self.dispatcher(*arguments)
        if not self._has_arrays:
            self._run = self.dispatcher.overloads[self.signature.args].entry_point
        return result

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def __reduce__(self) -> str:
        return self.function.__name__

    @property
    def is_ready(self) -> bool:
        """Return whether it can run at once."""
        return self._run is not None

    @property
    def is_kept(self) -> bool:
        """Return whether its compiled form lies on disk."""
        return bool(self.dispatcher._cache.is_kept(self.signature))

    @property
    def cost(self) -> int:
        """Return the length of all code that is compiled for it: about what it costs."""
        return code_length(self.function)

    def make_ready(self, tell: bool = True) -> None:
        """Load it from disk, or compile it.

        Args:
            tell: whether to call the `LISTENERS` if it has to be compiled.
        """
        with _MAKING:
            if not self.is_ready:  # another thread may have made it so meanwhile
                with event.trigger_event(READY_EVENT):
                    self._make_ready(tell)

    def _make_ready(self, tell: bool) -> None:
        told = [*LISTENERS] if tell and LISTENERS and not self.is_kept else []
        for listener in told:
            listener(0, 1, self.name)
        collecting = gc.isenabled()
        gc.disable()  # compiling makes millions of small objects that live
        try:
            self.dispatcher.compile(self.signature)
        finally:
            if collecting:
                gc.enable()
        compiled = self.dispatcher.overloads[self.signature.args]
        name = compiled.fndesc.llvm_cfunc_wrapper_name
        self.dispatcher.disable_compile()
        self._cell[0] = compiled.library.get_pointer_to_function(name)
        self._run = self._run_first
        for listener in told:
            listener(1, 1, self.name)


class Inner:
    """A function that is compiled into the kernels that call it; from Python it runs uncompiled."""

    def __init__(self, function: Callable[..., Any], allocates: bool, always: bool) -> None:
        functools.update_wrapper(self, function)
        options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        if always:
            options["forceinline"] = True
        self.function = function
        self.dispatcher = compiled(function, _nrt=allocates, pipeline_class=InnerCompiler, **options)

    def __call__(self, *arguments: Any) -> Any:
        """Run it in Python: for tests, and where one vector is not worth compiling."""
        return self.function(*arguments)


class InnerType(types.Dispatcher):
    """An inner function in the eyes of its callers: compiled for types, not once more for each literal."""

    def get_call_type(self, context: Any, arguments: Any, named: Any) -> Any:
        """Return the signature for arguments of these types (called by numba)."""
        plain = tuple(types.unliteral(argument) for argument in arguments)
        return super().get_call_type(context, plain, {k: types.unliteral(v) for k, v in named.items()})


register_model(InnerType)(models.OpaqueModel)


@typeof_impl.register(Inner)
def _typeof_inner(value: Inner, context: Any) -> InnerType:
    return InnerType(value.dispatcher)


class KernelType(types.ExternalFunctionPointer):
    """A kernel in the eyes of those that call it."""

    def __init__(self, declared: Any, name: str) -> None:
        super().__init__(declared, _no_fixed_address)
        self.name = name

    @property
    def key(self) -> Any:
        """Return what makes it equal to another."""
        return self.name


def _no_fixed_address(kernel: Kernel) -> int:
    raise NotImplementedError(f"the address of {kernel} is read where it is called")


register_model(KernelType)(ExternalFuncPointerModel)


@typeof_impl.register(Kernel)
def _typeof(value: Kernel, context: Any) -> KernelType:
    return value._type


@lower_constant(KernelType)
def _address(context: Any, builder: Any, kind: KernelType, kernel: Kernel) -> Any:
    """Read the address of a kernel, and have it made ready if there is none yet."""
    integer = ir.IntType(64)
    module = builder.module
    cell = module.globals.get(kernel.symbol)
    if cell is None:
        cell = ir.GlobalVariable(module, integer, kernel.symbol)
    resolve = module.globals.get(_RESOLVE)
    if resolve is None:
        resolve = ir.Function(module, ir.FunctionType(ir.VoidType(), [integer]), _RESOLVE)
    unknown = builder.icmp_unsigned("==", builder.load(cell), ir.Constant(integer, 0))
    with builder.if_then(unknown, likely=False):
        builder.call(resolve, [builder.ptrtoint(cell, integer)])
    return builder.inttoptr(builder.load(cell), context.get_value_type(kind))


@ctypes.CFUNCTYPE(None, ctypes.c_int64)
def _resolve(cell: int) -> None:
    """Make a kernel ready that another one is about to call."""
    try:
        _BY_CELL[cell].make_ready(tell=False)
    except BaseException as error:
        # There is no way back into Python past the kernel that waits; so nobody is told, who might raise.
        if not isinstance(error, KeyboardInterrupt):
            traceback.print_exc()
        print(f"stoss: {_BY_CELL[cell].name} could not be made ready", file=sys.stderr, flush=True)
        os._exit(130 if isinstance(error, KeyboardInterrupt) else 1)


llvm.add_symbol(_RESOLVE, ctypes.cast(_resolve, ctypes.c_void_p).value)


def kernel(function: Callable[..., Any] | None = None, *, allocates: bool = False) -> Any:
    """Make a function a kernel; see the module.

    Args:
        function: annotated for all arguments and the result.
        allocates: whether it makes arrays or returns one.
    """
    if function is None:
        return lambda f: Kernel(f, allocates)
    return Kernel(function, allocates)


def inner(
    function: Callable[..., Any] | None = None, *, allocates: bool = False, always: bool = False
) -> Any:
    """Make a function part of the kernels that call it; see the module.

    Args:
        function: plain arguments.
        allocates: whether it makes arrays or returns one.
        always: whether LLVM must dissolve it in its callers, instead of judging by its length: for the body
            of an innermost loop that is called at one place or two.
    """
    if function is None:
        return lambda f: Inner(f, allocates, always)
    return Inner(function, allocates, always)
