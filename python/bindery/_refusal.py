"""Errors for responses that refuse a request."""

import email.utils
import http.client
import math
import re
import time
from collections.abc import Mapping
from email.message import Message

from ._errors import ContentLost, NotAllowed, NotFound, ServiceError

SIGN_IN = "Sign in with 'bindery login', or set BINDERY_TOKEN."

# Codes of presigned URLs, of which a new one helps, and a login does not.
_URL_CODES = ("invalid_signature", "url_expired")


def refusal(
    status: int, headers: Message, told: Mapping[str, str], origin: str, *, is_own: bool, login_problem: str | None
) -> ServiceError:
    """Returns the error for a response. `told` has the texts of its body, if that has the service's format; `is_own`:
    it comes from the service, not from another store."""
    code, request_id = told.get("error"), told.get("requestId") or headers.get("X-Request-Id")
    after = _seconds(headers.get("Retry-After"))
    message = told.get("message") or f"{origin} responded with status {status}{_phrase(status)}."
    kind: type[ServiceError] = ServiceError
    hint = None
    if is_own:
        kind, hint = _kind_of(status, told, login_problem)
    if status in (429, 503) and after is not None:
        hint = f"Wait {math.ceil(after)} s."
    return kind(f"{message} ({hint})" if hint else message, status, code, after, request_id=request_id)


def _kind_of(status: int, told: Mapping[str, str], login_problem: str | None) -> tuple[type[ServiceError], str | None]:
    """Returns the class of an error, and what to do about it."""
    code = told.get("error")
    if code == "content_lost":
        return ContentLost, None
    if status == 404:
        return (NotFound, login_problem) if told else (ServiceError, "Is this the address of a Bindery service?")
    if status in (401, 403) and code not in _URL_CODES:
        return NotAllowed, login_problem or SIGN_IN
    return ServiceError, None


def _phrase(status: int) -> str:
    phrase = http.client.responses.get(status)
    return f" ({phrase})" if phrase else ""


def _seconds(header: str | None) -> float | None:
    """Parses `Retry-After`, in seconds or as a date."""
    if header is None:
        return None
    if re.fullmatch("[0-9]{1,9}", header):
        return float(header)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
