"""Errors, and the text of their messages."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

_MAX_MESSAGE = 1_000
_MAX_SHOWN = 80
# Control characters, line separators, bidirectional formatting characters, and surrogates.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


class BinderyError(Exception):
    """The base class of this package's errors. Messages contain no control characters, whatever the service sent."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


class ServiceError(BinderyError):
    """The service cannot be reached, or responded with an error.

    `status` is the HTTP status (None without a response), `code` the service's error code, `retry_after` the seconds
    that the service asked to wait, `request_id` what the service's log calls the request.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
        *,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.request_id = request_id


class NotFound(ServiceError):
    """The library or asset does not exist, or is not visible."""


class NotAllowed(ServiceError):
    """The token is missing, invalid, or insufficient."""


class IntegrityError(BinderyError):
    """Received content does not match the manifest, or could not be written safely."""


class SignatureError(IntegrityError):
    """A library is not signed as it must be. `problem` says why, as docs/signing.md lists it."""

    def __init__(self, message: str, problem: str) -> None:
        super().__init__(message)
        self.problem = problem


class ContentLost(ServiceError, IntegrityError):
    """The service has lost bytes that it had stored. Trying again does not help."""


class MirrorError(BinderyError):
    """A mirror lacks something, or does not respond like a mirror."""


class LockError(BinderyError):
    """The `assets.lock` of a project cannot be used: it is missing, malformed or of a newer format, does not match
    `assets.yml`, or refers to something that no longer exists."""


@contextmanager
def system_errors(place: str | os.PathLike[str]) -> Iterator[None]:
    """Raises `BinderyError` for what the operating system refuses at or below a place: no permission, a full disk."""
    try:
        yield
    except OSError as error:
        name = error.filename
        where = name if isinstance(name, str) and os.path.isabs(name) else os.fspath(place)
        raise BinderyError(f"{where} cannot be read or written: {error.strerror or error}.") from None


def plain(text: str) -> str:
    """Returns the text on one line, limited in length, without terminal control sequences."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * _MAX_MESSAGE])
    return line if len(line) <= _MAX_MESSAGE else f"{line[:_MAX_MESSAGE]}…"


def describe(value: object) -> str:
    """Describes a received value, limited in length, for a message about why it was refused."""
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}…")
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) > 2**64:
        return "a number of many digits"
    return str(value)
