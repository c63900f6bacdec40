"""The digest of a set of files, as search hits show it."""

import hashlib
from collections.abc import Iterable

from .manifest import WantedFile


def digest_of(files: Iterable[WantedFile]) -> str:
    """`sha256:` and 64 hexadecimal digits over the lines `path`, newline, `sha256`, newline, by the UTF-8 bytes of the paths."""
    lines = sorted((file.path.encode(), file.sha256.encode()) for file in files)
    text = b"".join(path + b"\n" + sha256 + b"\n" for path, sha256 in lines)
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
