"""Messages about failed exchanges with a server."""

import http.client
import socket
import ssl
from urllib.parse import SplitResult

from ._connection import ResponseTooLargeError
from ._pace import TransferTooSlowError
from ._proxy import Proxy, ProxyError
from ._retry import TransferError


def broken(parts: SplitResult, error: Exception) -> TransferError:
    if isinstance(error, ProxyError):
        return _broken_proxy(error, parts)
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


def _broken_proxy(error: ProxyError, target: SplitResult) -> TransferError:
    if error.status is not None:
        return proxy_refusal(error.proxy, error.status, origin_of(target))
    why = _why(error.cause or error).removesuffix(".")
    return TransferError(f"Could not connect to the proxy {error.proxy} ({why}). HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names it.")


def _why(error: Exception) -> str:
    if isinstance(error, TransferTooSlowError):
        return f"{error}. Pull again to resume; on a very slow line, set BINDERY_MIN_TRANSFER_RATE=off."
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message.rstrip('.')}."
    if isinstance(error, ResponseTooLargeError):
        return "more came than the answer may have."
    if isinstance(error, ConnectionRefusedError):
        return "the connection was refused."
    if isinstance(error, (http.client.RemoteDisconnected, http.client.IncompleteRead, ConnectionError)):
        return "the connection was closed early. Pull again to resume."
    if isinstance(error, socket.gaierror):
        return "there is no such host."
    if isinstance(error, TimeoutError):
        return "the connection timed out."
    if isinstance(error, (http.client.HTTPException, ValueError)):
        return f"its response is not HTTP ({type(error).__name__})."
    return f"{error.strerror if isinstance(error, OSError) and error.strerror else error}."
