"""Transfer of jobs to other processes: functions of scripts and notebooks too, and compiled systems by their recipes.

Addresses of compiled kernels are valid in one process only, so a system is compiled again where it arrives; its kernels
come from the cache.
"""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from pliant.errors import OptionError

if TYPE_CHECKING:
    from pliant.system.compile import Recipe


def pack(job: Any) -> bytes:
    """Return the job as bytes."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc, name-defined, unused-ignore]
        """Pickler of jobs with compiled systems."""

        def reducer_override(self, thing: Any) -> Any:
            """Return the recipe of a system; other objects are pickled as usual."""
            system = hasattr(type(thing), "with_signals") and hasattr(type(thing), "observed")
            return _recipe(thing) if system else super().reducer_override(thing)

    content = io.BytesIO()
    try:
        Pickler(content).dump(job)
    except OptionError:
        raise
    except Exception as error:  # picklers raise many kinds
        raise OptionError(
            f"study: the function cannot be sent to other processes ({type(error).__name__}: {error}). Make what it "
            'needs inside of it, or compute in this process: on="threads".'
        ) from error
    return content.getvalue()


def unpack(content: bytes) -> Any:
    """Return the job from bytes, sent by this program's own study."""
    return pickle.loads(content)


def _recipe(system: Any) -> Any:
    from pliant.system.compile import RECIPE

    observed = getattr(system, "observed", None)
    recipe = getattr(observed, "notes", {}).get(RECIPE)
    if recipe is None:
        raise OptionError(
            f"study: {system!r:.60} was not made by compile, or was bent since (imperfect): make it inside a function, "
            'or compute in this process: on="threads".'
        )
    layout: Any = observed.layout  # type: ignore[union-attr]
    return compile_recipe, (recipe, {named.name: named.signal for named in layout.named_signals})


def compile_recipe(recipe: Recipe, signals: dict[str, Any]) -> Any:
    """Return the system of a recipe, with these signals."""
    from pliant.system.compile import compile

    found = compile(recipe.model, formulation=recipe.formulation, **recipe.options)
    return found.with_signals(signals) if signals else found
