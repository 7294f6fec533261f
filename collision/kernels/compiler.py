"""How kernels are compiled: by numba's compiler, without what they never need.

numba makes a library with machine code of each function, and links all that it calls into it, where LLVM
optimises it once more, level by level. An inner function is of use within kernels alone: here its library
holds what it was translated to, and each kernel links all that is below it once, and has LLVM optimise the
whole. A kernel is called by its address, so nothing ever links it: machine code is all that is kept of it.

Of numba's passes those are left that loops over numbers, arrays and structs need: no closures, `with`, arrays
as wholes in expressions, indices that vary and count from the end, or errors with arguments that are
computed. What numba finds out anew at each place, such as the type of the sum of two numbers, is kept.
"""

import functools
from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import (
    codegen,
    compiler,
    cpu,
    errors,
    interpreter,
    lowering,
    typed_passes,
    types,
    untyped_passes,
)
from numba.core.analysis import dead_branch_prune, rewrite_semantic_constants
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor
from numba.core.registry import cpu_target
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.targetconfig import ConfigStack
from numba.np import arrayobj

__all__ = ["InnerCompiler", "KernelCompiler", "kept_form", "made_again"]


class InnerLibrary(codegen.JITCodeLibrary):
    """Code of an inner function, to be linked."""

    def finalize(self) -> None:
        """Let others link it: nothing else is to be done."""
        module = self._final_module
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return its code with all that is below it: for what is compiled in numba's way."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            _link(self._shared_module, self)
        return self._shared_module


class KernelLibrary(codegen.JITCodeLibrary):
    """Machine code of a kernel."""

    def finalize(self) -> None:
        """Link all that is below it, and optimise the whole."""
        _link(self._final_module, self)
        self._optimize_final_module()
        self._finalize_final_module()


def _link(module: Any, library: Any) -> None:
    """Link all libraries below one into a module, callers first: what nobody called by then is left out."""
    found: dict[Any, None] = {}

    def visit(one: Any) -> None:
        for lower in one._linking_libraries:
            if lower not in found:
                if isinstance(lower, InnerLibrary):
                    visit(lower)
                found[lower] = None

    visit(library)
    for lower in reversed(found):
        library._reload_init.update(lower._reload_init)
        inner = isinstance(lower, InnerLibrary)
        code = lower._final_module if inner else lower._get_module_for_linking()
        module.link_in(code, preserve=True)


class _Flags(compiler.Flags):
    """Options that do not change any more: numba looks them up with each function it resolves."""

    __slots__ = ("_known",)

    def __init__(self, copied: compiler.Flags) -> None:
        super().__init__(copied)
        self._known = super().values()

    def values(self) -> dict[str, Any]:
        """Return all options by name."""
        return self._known


# Options that make a difference to numba's own functions, as far as they are kept for all who call them.
_SHARED = ("nrt", "boundscheck", "error_model", "release_gil", "fastmath")
_flags: dict[tuple[Any, ...], _Flags] = {}


def _shared_flags(flags: compiler.Flags) -> _Flags:
    """Return the options of kernels and inner functions alike that numba's own functions inherit."""
    key = tuple(repr(getattr(flags, name)) for name in _SHARED)
    if key not in _flags:
        shared = compiler.Flags()
        for name in _SHARED:
            setattr(shared, name, getattr(flags, name))
        _flags[key] = _Flags(shared)
    return _flags[key]


class _Typing:
    """numba's context of types, which knows what functions return that it was asked for before."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._signatures: dict[Any, Any] = {}
        self._flags: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def under(self, flags: _Flags) -> "_Typing":
        """Return it for functions with these options."""
        if flags is not self._flags:
            self._flags = flags
            self._signatures.clear()
        return self

    def resolve_getattr(self, kind: Any, name: str) -> Any:
        """Return the type of an attribute (called by numba)."""
        key = kind, name
        found = self._signatures.get(key)
        if found is None:
            try:
                found = self._context.resolve_getattr(kind, name)
            except AttributeError:  # of a module that says so itself: numba tells where it is asked for
                return None
            if found is not None:
                self._signatures[key] = found
        return found

    def resolve_function_type(self, function: Any, args: Any, named: Any) -> Any:
        """Return the signature of a function for arguments (called by numba)."""
        kind = self._context._lookup_global(function) or function
        if not isinstance(kind, types.Function):
            return self._context.resolve_function_type(function, args, named)
        key = kind, args, tuple(named.items())
        found = self._signatures.get(key)
        if found is None:
            found = self._context.resolve_function_type(function, args, named)
            if found is not None:
                self._signatures[key] = found
        return found


_typing: dict[int, _Typing] = {}


class _Lower(lowering.Lower):
    """Translation of what counts no references: a value is written over as it is."""

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store the value of a variable (called by numba)."""
        if self.context.enable_nrt:
            super().storevar(value, name, argidx)
            return
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))


class _Lowering(typed_passes.BaseNativeLowering):
    lowering_class = _Lower

    def run_pass(self, state: Any) -> bool:
        """Translate a function, whose indices that vary do not count from the end (called by numba)."""
        usual = arrayobj.fix_integer_index
        arrayobj.fix_integer_index = _place_of_index
        try:
            return bool(super().run_pass(state))
        finally:
            arrayobj.fix_integer_index = usual


def _place_of_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return which entry an index means: a constant below 0 one from the end, all others what they say.

    To look at each whether it is below 0 costs as much as the arithmetic that most kernels do.
    """
    known = _put_into_tuple(index)
    index = context.cast(builder, index, kind, types.intp)
    return builder.add(index, size) if isinstance(known, ir.Constant) and known.constant < 0 else index


def _put_into_tuple(value: Any) -> Any:
    """Return what was put where a value is taken from a tuple, or else the value."""
    if not isinstance(value, ir.instructions.ExtractValue):
        return value
    whole = value.operands[0]
    while isinstance(whole, ir.instructions.InsertValue):
        if whole.indices == value.indices:
            return whole.operands[1]
        whole = whole.operands[0]
    return value


class _Context(cpu.CPUContext):
    """numba's target, without detours that are taken anew for each array and variable."""

    def get_function(self, function: Any, signature: Any, _firstcall: bool = True) -> Any:
        """Return how to translate a function (called by numba)."""
        if isinstance(function, str) and function == "__array__" and type(signature.args[0]) is types.Array:
            raise NotImplementedError  # it is one: numba looks through all registries to find nothing
        return super().get_function(function, signature, _firstcall)

    def get_abi_sizeof(self, kind: Any) -> int:
        """Return the size of a type [bytes], for which numba makes a module each time."""
        return _size(kind)


@functools.cache
def _size(kind: Any) -> int:
    return int(kind.get_abi_size(cpu_target.target_context.target_data))


class _Compiler(compiler.CompilerBase):
    """The passes of numba's compiler that plain loops over numbers and arrays need."""

    def _compile_core(self) -> Any:
        try:
            return self._compiled()
        except Exception as error:
            _tell_where(error, self.state)
            raise

    def _compiled(self) -> Any:
        state = self.state
        flags = _shared_flags(state.flags)
        own = state.typingctx
        state.targetctx.__class__ = _Context
        with ConfigStack().enter(flags):
            state.typingctx = _typing.setdefault(id(own), _Typing(own)).under(flags)
            state.func_ir = interpreter.Interpreter(state.func_id).interpret(state.bc)
            untyped_passes.FixupArgs().run_pass(state)
            rewrite_semantic_constants(state.func_ir, state.args)
            dead_branch_prune(state.func_ir, state.args)
            _rewrite(state)
            _define(state, reconstruct_ssa(state.func_ir))
            typed_passes.NopythonTypeInference().run_pass(state)
            _define(state, typed_passes.PreLowerStripPhis()._strip_phi_nodes(state.func_ir))
            PostProcessor(state.func_ir).run(emit_dels=state.flags.nrt)
            self._translate()
            state.typingctx = own
            typed_passes.NoPythonBackend().run_pass(state)
        return state.cr

    def _translate(self) -> None:
        raise NotImplementedError


def _tell_where(error: Exception, state: Any) -> None:
    """Have an error say what was compiled, and whether it lacks leave to allocate."""
    function = state.func_id
    told = f"compiling {function.func_qualname} at {function.filename} ({function.firstlineno})"
    words = str(error)
    if not state.flags.nrt and _CURE not in words and any(one in words for one in _ALLOCATES):
        told += _CURE
    if isinstance(error, errors.NumbaError):
        error.add_context(told)
    else:
        error.add_note(f"During: {told}")


# What numba says of functions that allocate and may not.
_ALLOCATES = "NRT required", "Only accept returning of array"
_CURE = ", which makes arrays, strings, lists, sets or dicts without allocates=True"


def _rewrite(state: Any) -> None:
    """Have constant indices, powers and errors named as such."""
    blocks = state.func_ir.blocks
    for kind in rewrite_registry.rewrites["before-inference"]:
        one, left = kind(state), list(blocks)
        while left:
            label = left.pop()
            if one.match(state.func_ir, blocks[label], state.typemap, state.calltypes):
                blocks[label] = one.apply()
                left.append(label)


def _define(state: Any, changed: Any) -> None:
    """Take over a changed function, and note where its variables are defined."""
    state.func_ir = changed
    changed._definitions = build_definitions(changed.blocks)


class InnerCompiler(_Compiler):
    """Compiler of inner functions."""

    def _translate(self) -> None:
        state = self.state
        library = state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        _Lowering().run_pass(state)
        lowered = state["cr"]
        entry = _uncallable(lowered.fndesc, lowered.env, library)
        state.targetctx.insert_user_function(entry, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=entry)


class KernelCompiler(_Compiler):
    """Compiler of kernels."""

    def _translate(self) -> None:
        state = self.state
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        _Lowering().run_pass(state)

    def _compiled(self) -> Any:
        result = super()._compiled()
        _give_environments(result.library, result._find_referenced_environments())
        return result


def _give_environments(library: Any, environments: Iterable[Any]) -> None:
    """Give the functions of a library what they call Python with, as `print` does."""
    for one in environments:
        library.codegen.set_env(one.env_name, one)


def kept_form(result: Any) -> tuple[Any, ...]:
    """Return what is kept of a compiled function."""
    library, description = result.library, result.fndesc
    description.typemap = description.calltypes = None
    module = library._final_module
    if isinstance(library, InnerLibrary):
        code: Any = library._get_module_for_linking().as_bitcode()
    elif isinstance(library, KernelLibrary):
        names = [
            one.name
            for kind in (module.functions, module.global_variables)
            for one in kind
            if not one.is_declaration
        ]
        code = library._get_compiled_object(), names
    else:
        return tuple(result._reduce())
    environments = tuple(result._find_referenced_environments())
    return (
        type(library).__name__,
        (library.name, code),
        (description, result.environment, result.signature, result.reload_init, environments),
    )


def made_again(context: Any, form: tuple[Any, ...]) -> Any:
    """Return the compiled function of which `form` was kept."""
    kind = form[0]
    if kind not in (InnerLibrary.__name__, KernelLibrary.__name__):
        return compiler.CompileResult._rebuild(context, *form)
    (name, code), (description, environment, signature, reload_init, environments) = form[1:]
    for function in reload_init:
        function()
    own = context.codegen()
    if kind == InnerLibrary.__name__:
        library: Any = InnerLibrary(own, name)
        library._final_module = llvm.parse_bitcode(code)
        library.finalize()
        entry = _uncallable(description, environment, library)
    else:
        library = KernelLibrary(own, name)
        library.enable_object_caching()
        library._set_compiled_object(code[0])
        library._finalize_final_module()
        own._engine._defined_symbols.update(code[1])
        entry = context.get_executable(library, description, environment)
        _give_environments(library, environments)
    return compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=entry,
        fndesc=description,
        type_annotation="",
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=reload_init,
    )


def _uncallable(description: Any, environment: Any, library: Any) -> Any:
    """Return what stands for an inner function where numba looks for one that Python calls."""
    return _dynfunc.make_function(
        description.lookup_module(), description.qualname, "", 0, environment, (library,)
    )
