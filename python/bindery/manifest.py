"""What a manifest promises: which files, of which size and hash."""

import unicodedata
from dataclasses import dataclass

from .errors import IntegrityError, NotFound

MAX_PATH_BYTES = 1_024
MAX_SEGMENT_BYTES = 255
RESERVED_FOLDER = ".bindery"


@dataclass(frozen=True)
class WantedFile:
    path: str
    size: int
    sha256: str


def wanted_files(manifest, library, asset_id=None):
    """The files of a library, or of one asset of it, by path. Raises `IntegrityError` where one cannot be written."""
    assets = manifest["assets"]
    if asset_id is not None:
        assets = [asset for asset in assets if asset["id"] == asset_id]
        if not assets:
            raise NotFound(f"{library} has no asset {asset_id!r}.", 404, "asset_not_found")
    files = {}
    for asset in assets:
        for entry in asset["files"]:
            file = WantedFile(entry["path"], entry["size"], entry["sha256"])
            problem = path_problem(file.path)
            if problem is not None:
                raise IntegrityError(f"{file.path!r} of {library} {problem}.")
            files[file.path] = file
    return files


def path_problem(path):
    """Why a path is not canonical, as the end of a sentence; None if it is."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    segments = path.split("/")
    if "\\" in path or any(unicodedata.category(character) == "Cc" for character in path):
        return "has a backslash or a control character"
    if any(segment in ("", ".", "..") for segment in segments):
        return 'has an empty, "." or ".." segment'
    if len(encoded) > MAX_PATH_BYTES or any(len(s.encode()) > MAX_SEGMENT_BYTES for s in segments):
        return "is too long"
    if segments[0].lower() == RESERVED_FOLDER:
        return f'lies in "{RESERVED_FOLDER}/", which is reserved'
    return None


def refuse_collisions(files, library, same_file):
    """Refuses names that are one file in the folder: `same_file(a, b)` tells for names that differ only in letter
    case or Unicode normalisation. Called before anything is written."""
    seen = {}
    for path in files:
        key = unicodedata.normalize("NFC", path).casefold()
        if key in seen and same_file(seen[key], path):
            raise IntegrityError(f"{library} holds {seen[key]!r} and {path!r}, which are one file in this folder.")
        seen[key] = path
