"""Machine code of kernels from the cache, loaded without reading the LLVM code beside it.

Numba stores two forms: machine code, and LLVM code for callers that are compiled later and inline it. It reads both,
the second to find the names that the first defines. Here these names are stored too, and the second form is read only
for such a caller.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cached_property
from typing import Any

codegen: Any = importlib.import_module("numba.core.codegen")
llvm: Any = importlib.import_module("llvmlite.binding")

FORM = "object"  # numba's word for machine code


def defined_names(library: Any) -> list[str]:
    """Return the names that the code of a library defines."""
    module = library._get_module_for_linking()
    every = (each for part in (module.functions, module.global_variables) for each in part)
    return [each.name for each in every if not each.is_declaration]


class Loaded(codegen.JITCodeLibrary):
    """A library of stored machine code, which defines these names."""

    def __init__(self, owner: Any, kept: Any, names: Iterable[str]) -> None:
        name, _, (machine_code, self._bitcode) = kept
        super().__init__(owner, name)
        del self.__dict__["_shared_module"]
        self.enable_object_caching()
        self._set_compiled_object(machine_code)
        self._finalize_final_module()
        owner._engine._defined_symbols.update(names)

    @cached_property
    def _shared_module(self) -> Any:
        """LLVM code for callers that inline it."""
        return llvm.parse_bitcode(self._bitcode)
