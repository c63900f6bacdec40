"""JSON as the service reads it, and checks of what it contains."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ._errors import BinderyError, describe

MAX_CONTAINERS = 4_000_000
MAX_KEYS = 10_000_000
MAX_KEYS_OF_OBJECT = 2_048
MAX_TAGS = 32
MAX_ENTRY_POINTS = 32
MAX_SAFE_INTEGER = 2**53 - 1

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
        return json.loads(text, object_pairs_hook=_without_repeated_keys, parse_constant=_refuse_constant, parse_int=_integer)
    except JsonError:
        raise
    except RecursionError:
        raise JsonError("is nested too deeply") from None
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


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS_OF_OBJECT:
        raise JsonError(f"has an object with more than {MAX_KEYS_OF_OBJECT} keys")
    value = dict(pairs)
    if len(value) < len(pairs):
        raise JsonError("has a duplicate key")
    return value


def _refuse_constant(name: str) -> None:
    raise JsonError(f"is not valid JSON ({name} is not a number)")


def _integer(digits: str) -> int | float:
    # Python refuses integers with very many digits; beyond a few hundred digits other parsers return infinity as well.
    return int(digits) if len(digits) < 400 else float(digits)


# Keys and indexes from the root of the document to a location in it.
Steps = tuple[str | int, ...]
Check = Callable[[Any, Steps], None]


class ValidationError(BinderyError):
    """A violated rule, with the JSON pointer of the location."""

    def __init__(self, at: Steps, rule: str) -> None:
        pointer = "".join(f"/{str(step)[:256].replace('~', '~0').replace('/', '~1')}" for step in at)
        super().__init__(f"{pointer or '/'}: {rule}")


def record(fields: Mapping[str, Check], required: tuple[str, ...] = ()) -> Check:
    """An object with these keys and no others."""

    def check(value: Any, at: Steps) -> None:
        if not isinstance(value, dict):
            raise ValidationError(at, f"must be an object (received {describe(value)})")
        for key in required:
            if key not in value:
                raise ValidationError((*at, key), "is missing")
        for key, part in value.items():
            if key not in fields:
                raise ValidationError((*at, key), "unknown key")
            fields[key](part, (*at, key))

    return check


def pick(fields: Mapping[str, Check], optional: Mapping[str, Check] = {}) -> Check:
    """An object with all of these keys, and possibly others, such as the optional ones."""

    def check(value: Any, at: Steps) -> None:
        if not isinstance(value, dict):
            raise ValidationError(at, f"must be an object (received {describe(value)})")
        for key, part in fields.items():
            if key not in value:
                raise ValidationError((*at, key), "is missing")
            part(value[key], (*at, key))
        for key in optional.keys() & value.keys():
            optional[key](value[key], (*at, key))

    return check


def list_of(item: Check, least: int = 0, most: int | None = None) -> Check:
    def check(value: Any, at: Steps) -> None:
        if not isinstance(value, list) or len(value) < least:
            raise ValidationError(at, f"must be a list of at least {least} (received {describe(value)})")
        if most is not None and len(value) > most:
            raise ValidationError(at, f"at most {most} (received {len(value)})")
        for index, part in enumerate(value):
            item(part, (*at, index))

    return check


def text(most: int | None = None, nullable: bool = False) -> Check:
    """Valid Unicode without NUL, of at most `most` characters; without a limit, any text."""

    def check(value: Any, at: Steps) -> None:
        if value is None and nullable:
            return
        if not isinstance(value, str):
            raise ValidationError(at, f"must be text (received {describe(value)})")
        if most is not None and (len(value) > most or "\0" in value or _has_surrogate(value)):
            raise ValidationError(at, f"at most {most} characters of valid Unicode without NUL (received {describe(value)})")

    return check


def matching(pattern: str, rule: str) -> Check:
    compiled = re.compile(pattern)

    def check(value: Any, at: Steps) -> None:
        if not isinstance(value, str) or compiled.fullmatch(value) is None:
            raise ValidationError(at, f"{rule} (received {describe(value)})")

    return check


def size(value: Any, at: Steps) -> None:
    """A whole number of bytes. JSON has only one type of number, so `1.0` is accepted."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= MAX_SAFE_INTEGER or value != int(value):
        raise ValidationError(at, f"must be an integer of bytes (received {describe(value)})")


def number(value: Any, at: Steps) -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValidationError(at, f"must be a number (received {describe(value)})")


def boolean(value: Any, at: Steps) -> None:
    if not isinstance(value, bool):
        raise ValidationError(at, f"must be true or false (received {describe(value)})")


def _object(value: Any, at: Steps) -> None:
    if not isinstance(value, dict):
        raise ValidationError(at, f"must be an object (received {describe(value)})")


def _entry_points(value: Any, at: Steps) -> None:
    _object(value, at)
    if len(value) > MAX_ENTRY_POINTS:
        raise ValidationError(at, f"at most {MAX_ENTRY_POINTS} entry points (received {len(value)})")
    for name, entry_point in value.items():
        if not 0 < len(name) <= 64:
            raise ValidationError((*at, name), "a name has 1 to 64 characters")
        _entry_point(entry_point, (*at, name))


def _has_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


sha256 = matching("[0-9a-f]{64}", "a hash is 64 lowercase hexadecimal characters (SHA-256)")
_token = matching("[a-z0-9][a-z0-9._-]{0,31}", "a token is 1 to 32 of a-z, 0-9, dot, underscore and dash")
_id = matching("[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}", "an asset id is 1 to 128 of a-z, A-Z, 0-9, dot, underscore and dash")
_tags = list_of(text(64), most=MAX_TAGS)
_entry_point = record({"kind": _token, "file": text()}, required=("file",))
_file = record({"path": text(), "size": size, "sha256": sha256}, required=("path", "size", "sha256"))
_library = record(
    {
        "name": text(64),
        "type": _token,
        "title": text(200),
        "description": text(10_000),
        "provider": text(200),
        "homepage": text(500),
        "license": text(120),
        "tags": _tags,
        "upstream": record({"repo": text(500), "commit": text(128)}),
    }
)
_asset = record(
    {
        "id": _id,
        "title": text(200),
        "description": text(2_000),
        "category": _token,
        "kind": _token,
        "format": _token,
        "tags": _tags,
        "license": text(120, nullable=True),
        "attribution": text(1_000, nullable=True),
        "upstream": record({"id": text(), "url": text()}),
        "entry": text(),
        "thumbnail": text(),
        "entryPoints": _entry_points,
        "meta": _object,
        "files": list_of(_file, least=1),
    },
    required=("id", "files"),
)

check_manifest = record(
    {"schema": text(), "library": _library, "assets": list_of(_asset), "generated": list_of(text())},
    required=("assets",),
)
