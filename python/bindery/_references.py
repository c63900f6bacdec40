"""What models refer to, among the files of their asset."""

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

_PACKAGE_SCHEMES = ("package", "model")


class References:
    """Resolves the references in one file of an asset, whose files are below `root`."""

    def __init__(self, root: Path, source: str, files: Sequence[str]) -> None:
        self._root = root
        self._folder = posixpath.dirname(source)
        self._files = frozenset(files)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        own = source.split("/")
        for file in sorted(files, key=lambda file: (-_common_steps(file.split("/"), own), len(file), file)):
            self._by_name[posixpath.basename(file).casefold()].append(file)

    def resolve(self, reference: str) -> str:
        """Returns the absolute path of the file that is meant, or the reference itself if the asset has no such file.

        A relative reference is first tried as written. A package or model is a folder of its author's machine, and
        relative ones also go wrong, so it otherwise means the file that ends with most of it, the nearest of several.
        """
        scheme, found, rest = reference.partition("://")
        in_package = bool(found) and scheme.lower() in _PACKAGE_SCHEMES
        meant = (rest if in_package else reference).replace("\\", "/")
        path = posixpath.normpath(posixpath.join(self._folder, meant))
        if in_package or path not in self._files:
            end = meant.casefold().split("/")[::-1]
            named = self._by_name.get(end[0], [])
            path = max(named, key=lambda file: _common_steps(file.casefold().split("/")[::-1], end), default="")
        return str(self._root / path) if path else reference


def missing_references(file: Path, references: References) -> list[str]:
    """Returns what an XML model refers to and its asset does not have, each once; nothing for what is no XML."""
    try:
        elements = list(ElementTree.parse(file).iter())
    except (ElementTree.ParseError, OSError):
        return []
    named = dict.fromkeys(text for element in elements for key in ("filename", "file") if (text := element.get(key)))
    # A package of its author's machine that is not a file of the asset, or a plugin, which is no file at all.
    return [text for text in named if "." in posixpath.basename(text) and not text.endswith(".so") and references.resolve(text) == text]


def resolved_urdf(file: Path, references: References) -> ElementTree.Element:
    """Returns a URDF in which every file that the asset has is named by its absolute path."""
    robot = ElementTree.parse(file).getroot()
    for element in robot.iter():
        named = element.get("filename")
        if named is not None:
            element.set("filename", references.resolve(named))
    return robot


def _common_steps(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
