"""Errors for exchanges that fail and for responses that refuse a request."""

import email.utils
import http.client
import math
import re
import socket
import ssl
import time
from collections.abc import Mapping
from email.message import Message
from urllib.parse import SplitResult

from ._connection import Proxy, ProxyError, ResponseTooLargeError
from ._errors import ContentLost, NotAllowed, NotFound, ServiceError
from ._limits import TransferError, TransferTooSlowError

SIGN_IN = "Sign in with 'bindery login', or set BINDERY_TOKEN."

# Codes of presigned URLs, of which a new one helps, and a login does not.
_URL_CODES = ("invalid_signature", "url_expired")


def transfer_error(parts: SplitResult, error: Exception) -> TransferError:
    if isinstance(error, ProxyError):
        return _proxy_error(error, parts)
    hopeless = isinstance(error, (ssl.SSLCertVerificationError, ResponseTooLargeError))
    if isinstance(error, socket.gaierror):
        hopeless = error.errno == socket.EAI_NONAME
    return TransferError(f"{origin_of(parts)}: {_why(error)}", slow=isinstance(error, TransferTooSlowError), hopeless=hopeless)


def origin_of(parts: SplitResult) -> str:
    """Returns the origin of a server, without the query, which may contain a secret."""
    return f"{parts.scheme}://{parts.netloc}"


def proxy_refusal(proxy: Proxy, status: int, server: str) -> TransferError:
    """Returns the error for a proxy that answered in place of a server."""
    phrase = http.client.responses.get(status, "")
    hint = " Put the user name and password into its address: http://user:password@host:port." if status == 407 else ""
    message = f"The proxy {proxy} refused to connect to {server} ({f'{status} {phrase}'.strip()}).{hint}"
    return TransferError(message, hopeless=400 <= status < 500)


def _proxy_error(error: ProxyError, target: SplitResult) -> TransferError:
    if error.status is not None:
        return proxy_refusal(error.proxy, error.status, origin_of(target))
    why = _why(error.cause or error).removesuffix(".")
    return TransferError(f"Could not connect to the proxy {error.proxy} ({why}). HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names it.")


def _why(error: Exception) -> str:
    if isinstance(error, TransferTooSlowError):
        return f"{error}. Try again to resume; on a very slow line, set BINDERY_MIN_TRANSFER_RATE=off."
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message.rstrip('.')}."
    if isinstance(error, ResponseTooLargeError):
        return "the response is larger than allowed."
    if isinstance(error, ConnectionRefusedError):
        return "connection refused."
    if isinstance(error, (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionError)):
        return "the connection was closed early. Try again to resume."
    if isinstance(error, socket.gaierror):
        return "unknown host."
    if isinstance(error, TimeoutError):
        return "the connection timed out."
    if isinstance(error, (http.client.HTTPException, ValueError)):
        return f"its response is not HTTP ({type(error).__name__})."
    return f"{error.strerror if isinstance(error, OSError) and error.strerror else error}."


def response_error(
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
