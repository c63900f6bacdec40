"""Sets aside what a pull replaces and nobody else has, as the command line does: in `.bindery/replaced/<time>/`."""

import re
import shlex
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from ._folder import Folder

_PARENT = ".bindery/replaced"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ")
_FORMAT = "%Y-%m-%dT%H-%M-%SZ"
_KEPT_SECONDS = 30 * 86_400

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
