"""Large libraries, each imported at its first use: ``from pliant._libraries import sparse``.

A run whose results are not read as xarray does not import xarray and pandas, a run without sparse matrices not
scipy.sparse. Modules that need one of these during their own import import it as usual.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class LazyModule(ModuleType):
    """A module that is imported when one of its names is first used.

    >>> LazyModule("math").pi, hasattr(LazyModule("math"), "unheard_of")
    (3.141592653589793, False)
    """

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(import_module(self.__name__), name)
        except AttributeError:
            try:
                value = import_module(f"{self.__name__}.{name}")
            except ModuleNotFoundError:
                raise AttributeError(f"Module {self.__name__!r} has no name {name!r}.") from None
        setattr(self, name, value)  # later reads do not come here
        return value


if TYPE_CHECKING:
    import xarray as xarray
    from scipy import integrate as integrate
    from scipy import interpolate as interpolate
    from scipy import linalg as linalg
    from scipy import optimize as optimize
    from scipy import sparse as sparse
    from scipy import spatial as spatial_geometry
else:
    xarray = LazyModule("xarray")
    integrate = LazyModule("scipy.integrate")
    interpolate = LazyModule("scipy.interpolate")
    linalg = LazyModule("scipy.linalg")
    optimize = LazyModule("scipy.optimize")
    sparse = LazyModule("scipy.sparse")
    spatial_geometry = LazyModule("scipy.spatial")
