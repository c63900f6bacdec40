"""Errors, distinguished by what the caller can do about them."""

from ._text import plain


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


class ContentLost(ServiceError, IntegrityError):
    """The service has lost bytes that it had stored. Trying again does not help."""


class MirrorError(BinderyError):
    """A mirror lacks something, or does not respond like a mirror."""


class LockError(BinderyError):
    """The `assets.lock` of a project cannot be used: it is missing, malformed or of a newer format, does not match
    `assets.yml`, or refers to something that no longer exists."""
