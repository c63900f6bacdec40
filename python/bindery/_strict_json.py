"""JSON (RFC 8259) as the service reads it: input that parsers interpret differently is refused."""

import json
import re
from typing import Any

MAX_CONTAINERS = 4_000_000
MAX_KEYS = 10_000_000
MAX_KEYS_OF_OBJECT = 2_048

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


class JsonError(ValueError):
    """Why bytes are not such JSON, as the end of a sentence."""


def parse(data: bytes) -> Any:
    """Parses UTF-8. Raises `JsonError` for invalid JSON, a byte order mark, invalid UTF-8, NaN and infinity, duplicate
    keys in an object, deep nesting, and more values than fit into memory."""
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonError("starts with a byte order mark")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise JsonError("is not valid UTF-8") from None
    _refuse_too_many(data)
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_int=_integer)
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("is nested too deep") from None
    except ValueError as error:
        raise JsonError(f"is not valid JSON ({error})") from None


def _refuse_too_many(data: bytes) -> None:
    """Counts before anything is parsed. String contents are removed only if they could make a difference."""
    if _containers(data) <= MAX_CONTAINERS and data.count(b":") <= MAX_KEYS:
        return
    bare = _STRING.sub(b"", data)
    if _containers(bare) > MAX_CONTAINERS:
        raise JsonError(f"has more than {MAX_CONTAINERS} objects and lists")
    if bare.count(b":") > MAX_KEYS:
        raise JsonError(f"has more than {MAX_KEYS} keys")


def _containers(data: bytes) -> int:
    return data.count(b"{") + data.count(b"[")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS_OF_OBJECT:
        raise JsonError(f"has an object with more than {MAX_KEYS_OF_OBJECT} keys")
    value = dict(pairs)
    if len(value) < len(pairs):
        raise JsonError("has a key twice in one object")
    return value


def _refuse_constant(name: str) -> None:
    raise JsonError(f"is not valid JSON ({name} is not a number)")


def _integer(digits: str) -> int | float:
    # Python refuses integers with very many digits; beyond a few hundred digits other parsers return infinity as well.
    return int(digits) if len(digits) < 400 else float(digits)
