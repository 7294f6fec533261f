"""Call a compiled function of a user by its address, which is a number among others."""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

__all__ = ["call_curve"]


@intrinsic
def call_curve(typing_context: Any, address: Any, speed: Any, numbers: Any) -> Any:
    """Return f(speed, numbers) of the C function float64(float64, float64*) at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        where, at, array = arguments
        data = make_array(signature.args[2])(context, builder, array).data
        number = ir.DoubleType()
        kind = ir.FunctionType(number, [number, data.type]).as_pointer()
        return builder.call(builder.inttoptr(where, kind), [at, data])

    return types.float64(types.int64, types.float64, numbers), generate
