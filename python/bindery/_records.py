"""Small records in the cache. A damaged record is treated as missing."""

import json
import os
import zlib
from typing import Any

from ._cache import make_folder


def read_record(file: str) -> Any:
    """Returns the value of a record, None if it is missing or damaged."""
    try:
        with open(file, "rb") as content:
            head, _, body = content.read().partition(b"\n")
    except OSError:
        return None
    return json.loads(body) if head == _checksum(body) else None


def write_record(file: str, value: Any) -> None:
    body = json.dumps(value).encode()
    temporary = f"{file}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    make_folder(os.path.dirname(file))
    try:
        with open(temporary, "xb") as content:
            content.write(_checksum(body) + b"\n" + body)
        os.replace(temporary, file)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)
