"""Places in arrays: reading or writing one takes a handful of instructions, where numba writes some forty.

Numba copies all it knows about an array for every single place, and leaves it to LLVM to find out that it need not.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from numba.core import ir, types
from numba.core.analysis import must_use_alloca
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering
from numba.np.arrayobj import fix_integer_index, load_item, store_item


class _Lower(Lower):
    def _find_singly_assigned_variable(self) -> None:
        """What is assigned once, before all else, needs no place in memory: arguments, and arrays taken out of them."""
        super()._find_singly_assigned_variable()
        times = Counter(
            one.target.name for block in self.blocks.values() for one in block.find_insts(ir.Assign)
        )
        first = {one.target.name for one in self.blocks[self.firstblk].find_insts(ir.Assign)}
        self._singly_assigned_vars |= {name for name in first if times[name] == 1} - must_use_alloca(
            self.blocks
        )

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Nothing that was there before has to be let go."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def delvar(self, name: str) -> None:
        """Nor afterwards."""

    def lower_getitem(self, result: Any, expression: Any, array: Any, index: Any, signature: Any) -> Any:
        kind, places = signature.args
        if not _is_place(kind, places):
            return super().lower_getitem(result, expression, array, index, signature)
        item = load_item(self.context, self.builder, kind, self._place(array, index, kind, places))
        return self.context.cast(self.builder, item, signature.return_type, result)

    def lower_setitem(self, array: Any, index: Any, value: Any, signature: Any) -> Any:
        kind, places, given = signature.args
        if not _is_place(kind, places):
            return super().lower_setitem(array, index, value, signature)
        place = self._place(array, index, kind, places)
        item = self.context.cast(self.builder, self.loadvar(value.name), self.typeof(value.name), given)
        item = self.context.cast(self.builder, item, given, kind.dtype)
        return store_item(self.context, self.builder, kind, item, place)

    def _place(self, array: Any, index: Any, kind: Any, places: Any) -> Any:
        """Where in memory it is; places before the first count from the end, as everywhere."""
        context, builder = self.context, self.builder
        model = context.data_model_manager[kind]
        value = self.loadvar(array.name)
        shape = model.get(builder, value, "shape")
        given = context.cast(builder, self.loadvar(index.name), self.typeof(index.name), places)
        offset = None
        for axis, one in enumerate([places] if kind.ndim == 1 else places):
            size = builder.extract_value(shape, axis)
            at = given if kind.ndim == 1 else builder.extract_value(given, axis)
            at = fix_integer_index(context, builder, one, at, size)
            offset = at if offset is None else builder.add(builder.mul(offset, size), at)
        return builder.gep(model.get(builder, value, "data"), [offset])


def _is_place(kind: Any, places: Any) -> bool:
    """One number of an array that lies in memory row by row."""
    if not isinstance(kind, types.Array) or kind.layout != "C" or not kind.ndim:
        return False
    if not isinstance(kind.dtype, types.Number | types.Boolean):
        return False
    if kind.ndim == 1:
        return isinstance(places, types.Integer)
    return (
        isinstance(places, types.BaseTuple)
        and len(places) == kind.ndim
        and all(isinstance(one, types.Integer) for one in places)
    )


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(BaseNativeLowering):
    """Numba's step from typed code to LLVM's language."""

    _name = "lookalike_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """Who lowers."""
        return _Lower
