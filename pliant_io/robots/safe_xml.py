"""XML from untrusted sources: elements and attributes only. Document types, and with them entities, are refused."""

from __future__ import annotations

import xml.etree.ElementTree as tree
from pathlib import Path
from typing import Any
from xml.parsers import expat

from pliant.errors import FileError

LARGEST = 20_000_000  # bytes
DEEPEST = 100  # levels


def read_xml(path: Path, *roots: str) -> tree.Element:
    """Return the root element of a file, which must have one of these names."""
    try:
        if path.stat().st_size > LARGEST:
            raise FileError(f"{path}: {path.stat().st_size} bytes; a file of more than {LARGEST} bytes is not read")
        content = path.read_bytes()
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    builder, depth = tree.TreeBuilder(), 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise FileError(f"{path}: more than {DEEPEST} elements within each other")
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(*_: Any) -> None:
        raise FileError(f"{path}: has a document type (<!DOCTYPE ...>), which may hide anything and is not read")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
        found = builder.close()
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise FileError(f"{path}: not valid XML, perhaps cut short: {error}") from error
    if found.tag not in roots:
        raise FileError(f"{path}: its root element is <{found.tag[:40]}>, not {' or '.join(f'<{x}>' for x in roots)}")
    return found
