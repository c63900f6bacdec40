"""What pulls have put into a folder: the contents that are not a person's own work."""

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from ._manifest import WantedFile
from ._records import read_record, write_record


class PulledContents:
    """Path and SHA-256 of what pulls of a library left in a folder, those of the command line included."""

    def __init__(self, root: str, server: str, library: str) -> None:
        name = hashlib.sha256("\n".join([os.path.realpath(root), server, library]).encode()).hexdigest()[:32]
        folder = os.path.join(_state_folder(), "folders")
        self._file = os.path.join(folder, f"{name}.python.json")
        known = read_record(self._file) or {"pulled": [], "arriving": []}
        others_pulled, others_arriving = _of_command_line(os.path.join(folder, f"{name}.json"))
        self._pulled = {(path, sha256) for path, sha256 in known["pulled"]}
        self._arriving = {(path, sha256) for path, sha256 in known["arriving"]}
        self._others = others_pulled | others_arriving
        self._paths = {path for path, _ in self._pulled | others_pulled}

    def had(self, path: str) -> bool:
        """Whether a pull has put a file at the path before."""
        return path in self._paths

    def has(self, path: str, sha256: str) -> bool:
        pair = (path, sha256)
        return pair in self._pulled or pair in self._arriving or pair in self._others

    def begin(self, files: Iterable[WantedFile]) -> None:
        """Records what a pull is about to put in place, in case that it is interrupted."""
        self._arriving |= {(file.path, file.sha256) for file in files}
        self._write()

    def end(self, files: Iterable[WantedFile]) -> None:
        pulled = {file.path: file.sha256 for file in files}
        self._pulled = {pair for pair in self._pulled if pair[0] not in pulled} | set(pulled.items())
        self._arriving = set()
        self._write()

    def _write(self) -> None:
        """Without the record, a later pull at most sets aside more than it has to."""
        try:
            write_record(self._file, {"pulled": sorted(self._pulled), "arriving": sorted(self._arriving)})
        except OSError:
            pass


def _of_command_line(file: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Returns what the command line pulled, and what it was pulling. A record that is missing, damaged or of another
    format has nothing."""
    try:
        with open(file, "rb") as content:
            head, _, body = content.read().partition(b"\n")
        if head != f"bindery-base 1 {hashlib.sha256(body).hexdigest()}".encode():
            return set(), set()
        record = json.loads(body)
        base = record["base"]
        files = [*base.get("rootFiles", ()), *(file for _, _, files in base["assets"] for file in files)]
        return _pairs(files), _pairs(record.get("arriving", ()))
    except (OSError, ValueError, KeyError, TypeError):
        return set(), set()


def _pairs(files: Any) -> set[tuple[str, str]]:
    return {(path, sha256) for path, sha256 in files}


def _state_folder() -> str:
    """Returns the folder of what pushes and pulls record: `$XDG_STATE_HOME/bindery`, else `~/.local/state/bindery`."""
    if folder := os.environ.get("XDG_STATE_HOME"):
        return os.path.join(folder, "bindery")
    if sys.platform == "win32" and (folder := os.environ.get("LOCALAPPDATA")):
        return os.path.join(folder, "bindery", "state")
    return os.path.join(os.path.expanduser("~"), ".local", "state", "bindery")
