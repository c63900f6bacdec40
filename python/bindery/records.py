"""Small notes in the cache. One that is damaged is none."""

import hashlib
import json
import os
import secrets
from typing import Any

from .cache import make_folder


def read_record(file: str) -> Any:
    """The value of a record, None where there is none that is whole."""
    try:
        with open(file, "rb") as content:
            head, _, body = content.read().partition(b"\n")
    except OSError:
        return None
    if hashlib.sha256(body).hexdigest().encode() != head:
        return None
    return json.loads(body)


def write_record(file: str, value: Any) -> None:
    body = json.dumps(value).encode()
    temporary = f"{file}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    make_folder(os.path.dirname(file))
    try:
        with open(temporary, "xb") as content:
            content.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        os.replace(temporary, file)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
