"""Script of a session: the functions of its mechanism, copied, and the steps to the present state."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any

import pliant
from pliant_studio.session.mechanism import Mechanism
from pliant_studio.session.session import BRANCHED, CHANGED, SNAPPED, STEP, TOPPLED, Session, Step

COMPILED = "from pliant_studio.session.mechanism import compiled"
TURNING = "from pliant_studio.session.session import turning_point"
LOADS = "from pliant.model.files.io import loads"


def script(session: Session, *, end_time: float | None = None, choice: str | None = None) -> str:
    """Return a Python program that computes the equilibrium, the modes and the motion of a session, and prints them."""
    used, snapped = session.mechanism, any(step.how == SNAPPED for step in session.steps)
    given = used.given()
    lines = [
        f'"""{used.name} as set up in the studio of pliant {pliant.__version__}."""',
        "",
        sources(used, [COMPILED, *([TURNING] if snapped else []), *([LOADS] if given else [])]),
        "",
        *(["", given] if given else []),
        "",
        "values = {",
        *(f"    {slider.name!r}: {session.begin[slider.name]!r},  # {slider.label}" for slider in used.sliders),
        "}",
        f"system = compiled({used.model.__name__}(values), values)",
        f"rest = {used.rest.__name__}(system, values)",
        *(line for step in session.steps for line in _step(session, step)),
        "",
        "modes = pl.modal(system, at=rest)",
        f"let_go = {used.release.__name__}(system, rest, values, {choice or session.choices[0]!r})",
        "motion = pl.transient(",
        "    let_go.system,",
        "    start=let_go.start,",
        f"    end_time={used.end_time if end_time is None else end_time!r},",
        f"    step={used.step!r},",
        "    controller=let_go.controller,",
        "    partial=True,",
        ")",
        "",
        'if __name__ == "__main__":',
        "    print(rest)",
        "    print(modes.frequency_hz.values)",
        "    print(motion)",
        "",
    ]
    return "\n".join(lines)


def _step(session: Session, step: Step) -> list[str]:
    """Return the lines of one move of a slider, as `Session` performs it."""
    used = session.mechanism
    slider = used.slider(step.name)
    said = f"# {slider.label}: {slider.written(step.begin)} to {slider.written(step.to)}"
    if step.how == CHANGED:
        return [
            "",
            said,
            f"for value in {Session.pieces(slider, step.begin, step.to)!r}:",
            f"    values[{slider.name!r}] = value",
            f"    system = compiled({used.model.__name__}(values), values)",
            "    rest = pl.statics(system, start=rest)",
        ]
    signals, at = dict(slider.signals), {name: factor * step.to for name, factor in slider.signals.items()}
    walk = f"begin={step.begin!r}, to={step.to!r}, until='limit point', step={STEP}"
    lines = ["", said, f"path = pl.path(system, {signals!r}, start=rest, {walk})"]
    if step.how in (BRANCHED, TOPPLED):
        lines += [
            "bifurcation = path.event_kind.values.tolist().index('bifurcation')",
            "path = pl.branch(system, path, bifurcation, until='limit point')",
        ]
    lines += [f"system = system.with_signals({at!r})", f"values[{slider.name!r}] = {step.to!r}"]
    if step.how == SNAPPED:
        return [
            *lines,
            "turn = turning_point(path.parameter.values)",
            "rest = pl.statics(system, start=path.equilibrium(turn))",
        ]
    if step.how == TOPPLED:
        return [*lines, "rest = pl.statics(system, start=path.equilibrium())"]
    return [*lines, "rest = path.equilibrium()"]


def sources(mechanism: Mechanism, more: list[str]) -> str:
    """Return the source of a mechanism's functions, functions of their module that they call, imports, and more."""
    module = sys.modules[mechanism.model.__module__]
    text = inspect.getsource(module)
    tree = ast.parse(text)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    roots = [each.__name__ for each in (mechanism.model, mechanism.rest, mechanism.release)]
    needed: set[str] = set()
    while roots:
        name = roots.pop()
        if name not in needed:
            needed.add(name)
            roots += [each for each in _names(defined[name]) if each in defined]
    bodies = [ast.get_source_segment(text, node) or "" for name, node in defined.items() if name in needed]
    used = {name for each in needed for name in _names(defined[each])} - {"compiled"} | {"pl"}
    return "\n\n\n".join(["\n".join([*_imports(tree, used), *more]), *bodies])


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _imports(tree: ast.Module, used: set[str]) -> list[str]:
    """Return import statements of the names used."""
    lines = ["from __future__ import annotations", ""]
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom) or getattr(node, "module", "") == "__future__":
            continue
        kept: list[Any] = [alias for alias in node.names if (alias.asname or alias.name) in used]
        if kept:
            node.names = kept
            lines.append(ast.unparse(node))
    return lines
