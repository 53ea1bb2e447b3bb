"""House rules that a reader relies on: quick import, imports that point one way, every public name explained."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import pliant
from pliant.model import kinds
from pliant.model.parts import Part

PACKAGE = Path(pliant.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
ALL_SOURCES = [path for package in sorted(PACKAGE.parent.glob("pliant*")) for path in sorted(package.rglob("*.py"))]

# What a folder may import, besides itself. Free are four places that know parts of other folders: the door from model
# to formulation, the reader of model files, the model (its way into space) and its picture before anything is solved.
FREE = {"system/compile.py", "model/files/io.py", "model/model.py", "model/sketch.py"}
LIGHT = {"errors", "units", "_frozen", "_lazy", "_libraries", "_spelling", "_threads", "whole_files"}
ARRAYS = LIGHT | {"jit", "kernels", "linalg"}
PARTS = {"model", "elements", "joints", "forces"}
ALLOWED = {
    "jit": LIGHT,
    "kernels": {"jit"},
    "linalg": LIGHT | {"jit"},
    "model": LIGHT,
    "elements": ARRAYS | {"model"},
    "joints": ARRAYS | {"model"},
    "forces": ARRAYS | {"model"},
    "system": ARRAYS | PARTS,
    "solvers": ARRAYS | PARTS | {"system"},
    "formulations": ARRAYS | PARTS | {"solvers", "system"},
    "results": LIGHT,
    "control": ARRAYS | {"model", "solvers"},
    "studies": LIGHT | {"model", "system", "results"},
    "analyses": ARRAYS | PARTS | {"solvers", "system", "results", "control", "studies"},
    "design": ARRAYS | {"model", "solvers", "system", "analyses", "studies", "results"},
}
MOST_FILES = 25  # of a folder
BESIDE = ("cli", "compare", "evidence", "fit", "gallery", "io", "papers", "studio", "testing")
OTHERS = [PACKAGE.parent / f"pliant_{name}" for name in BESIDE]


def place(path: Path) -> str:
    """Return the folder of the package a file belongs to, or its own name at the top: "elements", "jit"."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_free(path: Path) -> bool:
    """Return whether a file may import anything."""
    return path.relative_to(PACKAGE).as_posix() in FREE


class Facts(NamedTuple):
    """Facts of a file that the rules need.

    imported     places of the package that it imports when it runs (not those for type checking only)
    modules      modules that it imports, also for type checking only
    asserts      whether it asserts
    crowded      functions with more arguments than a reader keeps in mind
    unexplained  public functions and classes without a docstring, and "" for the file itself
    """

    imported: frozenset[str]
    modules: frozenset[str]
    asserts: bool
    crowded: frozenset[str]
    unexplained: frozenset[str]


def statements(node: ast.AST) -> list[ast.AST]:
    """Return a node and all statements in it, not their expressions: imports, asserts and functions are among them."""
    found = [node]
    for each in found:
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            found += getattr(each, block, ())
    return found


@cache
def facts(path: Path) -> Facts:
    """Return the facts of a file, which is read once."""
    tree = ast.parse(path.read_text())
    nodes = statements(tree)
    checking = [n for n in nodes if isinstance(n, ast.If) and "TYPE_CHECKING" in vars(n.test).values()]
    skipped = {id(inner) for node in checking for body in node.body for inner in statements(body)}
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    public = [
        node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    missing = {node.name for node in public if ast.get_docstring(node) is None}
    return Facts(
        frozenset(name for node in imports if id(node) not in skipped for name in _places(node)),
        frozenset(name for node in imports for name in _modules(node)),
        any(isinstance(node, ast.Assert) for node in nodes),
        frozenset(n.name for n in nodes if isinstance(n, ast.FunctionDef) and positional(n) > MOST_ARGUMENTS),
        frozenset(missing if ast.get_docstring(tree) else missing | {""}),
    )


def _places(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield places of the package that a statement imports."""
    if isinstance(node, ast.ImportFrom) and node.module == "pliant":
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pliant."):
        yield str(node.module).split(".")[1]
    elif isinstance(node, ast.Import):
        yield from (a.name.split(".")[1] for a in node.names if a.name.startswith("pliant."))


def _modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield modules that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    else:
        yield from (alias.name for alias in node.names)


MOST_ARGUMENTS = 8  # by position; options behind a star have names where they are given


def positional(function: ast.FunctionDef) -> int:
    """Return the number of arguments that are given by position."""
    return len([each for each in function.args.args if each.arg not in ("self", "cls")])


def test_analyses_know_systems_by_what_they_offer() -> None:
    """An analysis asks `can(system, Capability)`; the class of a system is nothing that it knows."""
    analyses = [path for path in SOURCES if place(path) == "analyses"]
    assert [path.name for path in analyses if "pliant.system.system.System" in facts(path).modules] == []
    tests = re.compile(r"isinstance\([^()]*\bSystem\b")
    assert [path.name for path in ALL_SOURCES if tests.search(path.read_text())] == []


def test_import_is_light() -> None:
    heavy = "numba", "scipy", "xarray", "matplotlib", "rich", "typer", "pandas", "viser"
    program = f"import sys, pliant; print([name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_describing_a_model_is_light() -> None:
    heavy = "numba", "scipy", "xarray", "matplotlib"
    words = "pliant.Model, pliant.Beam, pliant.Revolute, pliant.Spring, pliant.Exact"
    program = f"import sys, pliant; {words}; print([name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_a_motion_imports_no_library_that_it_does_not_use() -> None:
    program = """
import sys, pliant as pl
m = pl.Model("pendulum")
ground, arm = m.add(pl.Ground(), pl.Link("arm", length=1.0, mass=1.0))
m.add(pl.Revolute(ground.at(0, 0), arm.at(s=0)), pl.Gravity())
run = pl.transient(pl.compile(m), end_time=1e-2, step=1e-3)
assert run.raw("position").shape[0] == 11
heavy = "xarray", "pandas", "scipy.sparse", "scipy.linalg", "scipy.interpolate", "scipy.optimize", "matplotlib"
print([name for name in heavy if name in sys.modules], run.position.dims)
"""
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, capture_output=True)  # compiles what is missing, for which Numba imports more
    assert subprocess.check_output(command, text=True).strip() == "[] ('time', 'marker', 'axis')"


@pytest.mark.parametrize("folder", ALLOWED)
def test_imports_point_one_way(folder: str) -> None:
    files = [path for path in SOURCES if place(path) == folder and not is_free(path)]
    wrong = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in files
        for name in facts(path).imported
        if name not in ALLOWED[folder] | {folder}
    }
    assert wrong == set()


def test_mechanics_imports_no_other_package_of_the_distribution() -> None:
    """Names, formulations and commands of the packages beside pliant are found by entry points."""
    others = tuple(path.name for path in OTHERS)
    assert sorted(path.name for path in PACKAGE.parent.glob("pliant_*")) == sorted(others)
    importing = {
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if any(name.startswith(others) for name in facts(path).modules)
    }
    assert importing == {"__init__.py"}  # for type checkers only:
    program = "import sys, pliant; print([name for name in sys.modules if name.startswith('pliant_')])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_names_for_type_checkers_are_those_of_the_entry_points() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    listed = re.findall(r"^    from (pliant_[\w.]+) import (\w+) as (\w+)$", text, re.M)
    assert {name: f"{home}:{own}" for home, own, name in listed} == project["entry-points"]["pliant.names"]


@pytest.mark.parametrize("package", [PACKAGE, *OTHERS], ids=lambda path: path.name)
def test_no_folder_is_crowded(package: Path) -> None:
    folders = {path.parent for path in package.rglob("*.py")}
    counts = {str(folder.relative_to(package)): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_cases_and_benchmarks_are_evidence() -> None:
    engine = [path for path in ALL_SOURCES if "pliant_evidence" not in path.parts and "pliant_cli" not in path.parts]
    assert [path for path in engine if path.name in ("validate.py", "bench.py")] == []
    assert [path for path in engine if re.search(r"^@(case|benchmark)\(", path.read_text(), re.M)] == []


def test_formulations_are_known_to_the_door_and_the_public_names_only() -> None:
    doors = {"system/compile.py", "__init__.py"}
    others = [p for p in SOURCES if place(p) != "formulations" and p.relative_to(PACKAGE).as_posix() not in doors]
    assert [p for p in others if any(name.startswith("pliant.formulations") for name in facts(p).modules)] == []


def test_formulations_do_not_know_each_other() -> None:
    for path in SOURCES:
        if place(path) == "formulations" and path.name != "__init__.py":
            own = f"pliant.formulations.{path.relative_to(PACKAGE).parts[1]}"
            others = {
                name for name in facts(path).modules if name.startswith("pliant.formulations") and own not in name
            }
            assert others == set(), path


def test_numba_is_used_through_kernel_only() -> None:
    others = [
        path for path in ALL_SOURCES if path.parent.name != "jit" and path.name not in ("array_views.py", "buffers.py")
    ]
    assert [path for path in others if "njit" in path.read_text() or "import numba" in path.read_text()] == []


def test_validation_is_by_exception() -> None:
    assert [path for path in ALL_SOURCES if facts(path).asserts] == []


@pytest.mark.parametrize("name", pliant._names())
def test_public_name_exists_and_is_explained(name: str) -> None:
    value = getattr(pliant, name)
    if callable(value) or inspect.ismodule(value):
        explained = inspect.getdoc(value) or ""
        assert len(explained) > 10
        assert not explained.startswith(f"{name}(")  # what dataclass writes when nobody else does


def test_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean .*Revolute"):
        _ = pliant.Revolut
    assert set(dir(pliant)) == set(pliant.__all__)


def test_names_are_listed_once() -> None:
    text = (PACKAGE / "__init__.py").read_text()
    assert len(pliant._names()) > 90
    assert [name for name in pliant._names() if len(re.findall(rf"\bas {name}$", text, re.M)) != 1] == []


def test_every_part_of_the_package_can_be_had_by_its_name() -> None:
    kinds.load_all()
    parts = [kind for kind in kinds.kinds_of(Part) if kind.__module__.startswith("pliant.")]
    assert [kind for kind in parts if getattr(pliant, kind.__name__) is not kind] == []


def test_no_file_is_long() -> None:
    assert [str(path) for path in ALL_SOURCES if len(path.read_text().splitlines()) > 450] == []


def test_functions_take_few_arguments() -> None:
    assert {path.relative_to(PACKAGE).as_posix() for path in SOURCES if facts(path).crowded} == set()


ANY = {  # what public signatures leave open, and why
    "compile": "which questions a system answers depends on the formulation; they are asked for at run time",
    "refine": "the same",
    "Model.add": "a tuple of several parts is as they were given",
    "Model.part": "its kind depends on the name",
    "Beam.__init__": "a section is given in several forms and kept in one",
    "Link.__init__": "so is an inertia",
    "Body.__init__": "so is an inertia",
    "PointMass.__init__": "so is an inertia",
    "Superelement.__init__": "so are matrices",
    "LinearModel.from_second_order": "fields of the class itself",
}


def signatures() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield functions that can be had by name from the package, and public methods of such classes."""
    for value in (getattr(pliant, name) for name in pliant._names()):
        if inspect.isclass(value):
            kinds_of_ours = [kind for kind in value.__mro__ if kind.__module__.startswith("pliant.")]
            for kind in kinds_of_ours:
                for name, member in vars(kind).items():
                    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                    if inspect.isfunction(function) and (name == "__init__" or not name.startswith("_")):
                        yield f"{kind.__name__}.{name}", function
        elif inspect.isfunction(value):
            yield value.__name__, inspect.unwrap(value)


def test_public_signatures_say_what_they_take_and_give() -> None:
    found = {
        name
        for name, function in signatures()
        if any(re.search(r"\bAny\b", str(kind)) for kind in getattr(function, "__annotations__", {}).values())
    }
    assert found == set(ANY)


def test_every_file_and_public_function_is_explained() -> None:
    unexplained = {str(path.relative_to(PACKAGE.parent)): set(facts(path).unexplained) for path in ALL_SOURCES}
    assert {path: names for path, names in unexplained.items() if names} == {}
