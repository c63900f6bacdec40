"""The digest of a set of files, as in search hits."""

import hashlib
from collections.abc import Iterable

from ._manifest import WantedFile


def digest_of(files: Iterable[WantedFile]) -> str:
    """Returns `sha256:` and 64 hex digits over the lines `path`, `sha256` per file, sorted by the paths' UTF-8."""
    lines = sorted((file.path.encode(), file.sha256.encode()) for file in files)
    text = b"".join(path + b"\n" + sha256 + b"\n" for path, sha256 in lines)
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
