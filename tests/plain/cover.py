"""Coverage of the kernels in runs without compilation: `coverage`'s data in, lines in per cent out.

A kernel is a function of pliant under one of the decorators of `pliant.jit`. Its lines are those that have bytecode;
the line of `def` and the docstring are excluded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import coverage

from pliant import jit

LEAST = 0.90
SHOWN = 12  # files that are named
ROOT = Path(__file__).resolve().parents[2]
SOURCES = tuple(ROOT / name for name in ("pliant", "pliant_papers"))  # packages with kernels
DECORATORS = {name for name in jit.__all__ if name.endswith("kernel")}


@dataclass(frozen=True)
class File:
    """Lines of the kernels of one file: all of them, and those that were run."""

    path: Path
    lines: frozenset[int]
    run: frozenset[int]

    @property
    def missed(self) -> list[int]:
        """Lines that nothing went through."""
        return sorted(self.lines - self.run)


def kernel_lines(path: Path) -> frozenset[int]:
    """Return lines with code in the kernels of a file.

    >>> [bool(kernel_lines(SOURCES[0] / name)) for name in ("linalg/ldl.py", "errors.py")]
    [True, False]
    """
    text = path.read_text()
    starts = {
        node.decorator_list[0].lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and any(_name(each) in DECORATORS for each in node.decorator_list)
    }
    if not starts:
        return frozenset()
    codes = (each for each in _codes(compile(text, str(path), "exec")) if each.co_firstlineno in starts)
    return frozenset(line for code in codes for each in _codes(code) for line in _lines(each))


def _name(decorator: ast.expr) -> str:
    while isinstance(decorator, ast.Call):
        decorator = decorator.func
    return decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all that are within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line and line != code.co_firstlineno}


def measure(data_files: list[str]) -> list[File]:
    """Return all files with kernels."""
    data = [coverage.CoverageData(each) for each in data_files]
    for each in data:
        each.read()
    files = []
    for path in sorted(path for source in SOURCES for path in source.rglob("*.py")):
        if lines := kernel_lines(path):
            run = {line for each in data for line in each.lines(str(path)) or ()}
            files.append(File(path, lines, lines & run))
    return files


def ranges(lines: list[int]) -> str:
    """Return numbers in short.

    >>> ranges([1, 2, 3, 7])
    '1-3, 7'
    """
    groups: list[list[int]] = []
    for line in lines:
        if groups and line == groups[-1][-1] + 1:
            groups[-1].append(line)
        else:
            groups.append([line])
    return ", ".join(str(each[0]) if len(each) == 1 else f"{each[0]}-{each[-1]}" for each in groups)


def covered(data_files: list[str]) -> bool:
    """Return whether enough lines were run; print how many, and the files with most that were not."""
    files = measure(data_files)
    lines, run = (sum(len(getattr(each, name)) for each in files) for name in ("lines", "run"))
    for each in sorted(files, key=lambda each: -len(each.missed))[:SHOWN]:
        if each.missed:
            share, name = len(each.run) / len(each.lines), each.path.relative_to(ROOT)
            print(f"{share:7.1%}  {name}: not run {ranges(each.missed)}")
    print(f"{run / lines:7.1%}  of {lines} lines of kernels in {len(files)} files; at least {LEAST:.0%} wanted")
    return run >= LEAST * lines
