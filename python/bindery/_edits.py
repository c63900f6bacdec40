"""A person's own work in a folder: what no pull put there, and where it goes before it is replaced."""

import hashlib
import json
import math
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
# An unfinished pull is continued in its folder for this long, so that nothing is added to one that expires soon.
_CONTINUED_SECONDS = 7 * 86_400
# Clocks that show an earlier time are wrong, as those of small machines are until they have reached a time server.
_EARLIEST = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


class PulledContents:
    """Path and SHA-256 of what pulls of a library left in a folder, those of the command line included."""

    def __init__(self, root: str, server: str, library: str) -> None:
        name = hashlib.sha256("\n".join([os.path.realpath(root), server, library]).encode()).hexdigest()[:32]
        folder = os.path.join(state_folder(), "folders")
        self._file = os.path.join(folder, f"{name}.python.json")
        known = read_record(self._file) or {"pulled": [], "arriving": []}
        others_pulled, others_arriving = _of_command_line(os.path.join(folder, f"{name}.json"))
        self._pulled = {(path, sha256) for path, sha256 in known["pulled"]}
        self._arriving = {(path, sha256) for path, sha256 in known["arriving"]}
        self._others = others_pulled | others_arriving
        self._paths = {path for path, _ in self._pulled | others_pulled}
        # The name of the folder to which an unfinished pull moved files.
        self.set_aside: str | None = known.get("set_aside")

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
        self.set_aside = None
        self._write()

    def record_set_aside(self, name: str) -> None:
        self.set_aside = name
        self._write()

    def _write(self) -> None:
        """Without the record, a later pull at most sets aside more than it has to."""
        try:
            arriving = {"arriving": sorted(self._arriving), "set_aside": self.set_aside}
            write_record(self._file, {"pulled": sorted(self._pulled), **arriving})
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


def state_folder() -> str:
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

    def __init__(self, folder: Folder, is_elsewhere: IsElsewhere, contents: PulledContents) -> None:
        self._folder = folder
        self._contents = contents
        self._is_elsewhere = is_elsewhere
        self._lock = threading.Lock()
        unfinished = contents.set_aside
        self._name = unfinished if unfinished and time.time() - _time_of(unfinished) < _CONTINUED_SECONDS else None
        self.files = [] if self._name is None else _files_below(folder, f"{_PARENT}/{self._name}")

    @property
    def folder(self) -> str | None:
        """Returns the path of the folder that has the files, below the pulled one; None if nothing was set aside."""
        return f"{_PARENT}/{self._name}" if self.files else None

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
                self._contents.record_set_aside(name)
                return name
            at += 1


def remove_expired(folder: Folder) -> None:
    """Deletes what pulls set aside more than 30 days ago."""
    for name in folder.names_in(_PARENT):
        at = _time_of(name)
        if at >= _EARLIEST and time.time() - at > _KEPT_SECONDS:
            folder.remove_folder(f"{_PARENT}/{name}")


def _files_below(folder: Folder, path: str) -> list[str]:
    """Returns the paths of the files in a folder, relative to it."""
    found = []
    for name in folder.names_in(path):
        below = _files_below(folder, f"{path}/{name}")
        found += [f"{name}/{file}" for file in below] or [name]
    return found


def _time_of(name: str) -> float:
    """Returns seconds since 1970; NaN for a name that no pull gave."""
    try:
        return datetime.strptime(name, _FORMAT).replace(tzinfo=UTC).timestamp() if _TIME.fullmatch(name) else math.nan
    except ValueError:
        return math.nan
