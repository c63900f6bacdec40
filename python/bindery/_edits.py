"""A person's own work in a folder: what no pull put there, and where it goes before it is replaced."""

import hashlib
import json
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from ._asset_cache import read_record, write_record
from ._folder import Folder
from ._manifest import WantedFile

_PARENT = ".bindery/replaced"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_FORMAT = "%Y-%m-%dT%H-%M-%SZ"
_KEPT_SECONDS = 30 * 86_400


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


# Whether the content at a path, its size and SHA-256, is also elsewhere, or was put there by a pull.
IsElsewhere = Callable[[str, tuple[int, str]], bool]


class SettingAside:
    """Moves files out of the way of a pull. Thread-safe."""

    def __init__(self, folder: Folder, is_elsewhere: IsElsewhere) -> None:
        self._folder = folder
        self._is_elsewhere = is_elsewhere
        self._lock = threading.Lock()
        self._name: str | None = None
        self.files: list[str] = []

    @property
    def folder(self) -> str | None:
        """Returns the path of the folder that has the files, below the pulled one; None if nothing was set aside."""
        return None if self._name is None else f"{_PARENT}/{self._name}"

    def set_aside(self, path: str) -> None:
        """Called before something else is moved to the path."""
        found = self._folder.digest(path)
        if found is not None and self._is_elsewhere(path, found):
            return
        with self._lock:
            if self._name is None:
                self._name = self._begin()
            target = f"{_PARENT}/{self._name}/{path}"
            free, nth = target, 2
            while self._folder.exists(free):
                free, nth = f"{target}.{nth}", nth + 1
            self._folder.move(path, free)
            self.files.append(path)

    def describe(self) -> str:
        """Returns a sentence with the command that puts the files back."""
        root = self._folder.root
        command = f"cp -R {shlex.quote(f'{root}/{self.folder}/.')} {shlex.quote(f'{root}/')}"
        some = ", ".join(sorted(self.files)[:3])
        more = f" and {len(self.files) - 3} more" if len(self.files) > 3 else ""
        return f"{some}{more} differed from the library and was moved to {root}/{self.folder}; {command} restores it."

    def _begin(self) -> str:
        at = time.time()
        while True:
            name = datetime.fromtimestamp(at, UTC).strftime(_FORMAT)
            if self._folder.create_folder(f"{_PARENT}/{name}"):
                return name
            at += 1


def remove_expired(folder: Folder) -> None:
    """Deletes what pulls set aside more than 30 days ago."""
    for name in folder.names_in(_PARENT):
        if _TIME.fullmatch(name):
            at = datetime.strptime(name, _FORMAT).replace(tzinfo=UTC).timestamp()
            if time.time() - at > _KEPT_SECONDS:
                folder.remove_folder(f"{_PARENT}/{name}")
