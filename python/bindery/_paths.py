"""Rules for the paths of a library, and for names that collide in a folder."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from ._errors import IntegrityError
from ._text import describe

MAX_PATH_BYTES = 1_024
MAX_SEGMENT_BYTES = 255
RESERVED_FOLDER = ".bindery"

_FORBIDDEN = re.compile(r"[\0-\x1f\x7f-\x9f\\]")


def path_problem(path: str) -> str | None:
    """Returns why a path is not canonical, as the end of a sentence; None if it is."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if _FORBIDDEN.search(path):
        return "has a backslash or a control character"
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return 'has an empty, "." or ".." segment'
    if len(encoded) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if len(encoded) > MAX_SEGMENT_BYTES and any(len(part) > MAX_SEGMENT_BYTES for part in encoded.split(b"/")):
        return f"has a segment longer than {MAX_SEGMENT_BYTES} bytes"
    return None


def user_path_problem(path: str) -> str | None:
    """Like `path_problem`, for a user's file: not in the reserved folder, in any letter case."""
    problem = path_problem(path)
    if problem is None and path.split("/", 1)[0].lower() == RESERVED_FOLDER:
        return f'is inside "{RESERVED_FOLDER}/", which is reserved'
    return problem


def artifact_path_problem(path: str) -> str | None:
    """Like `path_problem`, for a platform artifact: in the reserved folder, and not the manifest itself."""
    problem = path_problem(path)
    if problem is not None:
        return problem
    if not path.startswith(f"{RESERVED_FOLDER}/"):
        return f'is not inside "{RESERVED_FOLDER}/"'
    return "is the manifest itself" if path == f"{RESERVED_FOLDER}/manifest.json" else None


def folders_of(path: str) -> Iterable[str]:
    """Yields every folder of a file's path, the outermost first."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def file_in_file(paths: Iterable[str]) -> tuple[str, str] | None:
    """Returns a path and a prefix of it that is itself a file; None if there is no such pair."""
    files = set(paths)
    for path in files:
        for folder in folders_of(path):
            if folder in files:
                return path, folder
    return None


class NameRules(NamedTuple):
    """How a file system compares names: whether `a` and `A`, and both forms of `é`, are the same file."""

    folds_case: bool
    folds_normalization: bool


STRICTEST = NameRules(folds_case=True, folds_normalization=True)


def collision(paths: Iterable[str], rules: NameRules) -> tuple[str, str] | None:
    """Returns two paths, of files or folders, that are the same under these rules; None if there are none."""
    seen: dict[str, str] = {}
    for path in paths:
        for name in (*folders_of(path), path):
            first = seen.setdefault(_fold(name, rules), name)
            if first != name:
                return first, name
    return None


def refuse_meeting_names(paths: Iterable[str], library: str, rules: NameRules) -> None:
    """Refuses names that collide in a folder with these rules. Called before anything is written."""
    met = collision(paths, rules)
    if met is not None:
        one, other = map(describe, met)
        raise IntegrityError(f"{library} holds {one} and {other}, which are one file in this folder.")


def _fold(name: str, rules: NameRules) -> str:
    normal = unicodedata.normalize("NFC", name) if rules.folds_normalization else name
    return normal.upper().lower() if rules.folds_case else normal
