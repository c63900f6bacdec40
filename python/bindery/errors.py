"""What can go wrong, by what the caller can do about it."""

from .text import plain


class BinderyError(Exception):
    """Every error of this package. Its message has no control characters, whatever the service sent."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


class ServiceError(BinderyError):
    """The service cannot be reached, or answered with a failure.

    `status` is the HTTP status (None without an answer), `code` the service's error code, `retry_after` the seconds
    that the service asked to wait.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class NotFound(ServiceError):
    """The library or asset does not exist, or may not be seen."""


class NotAllowed(ServiceError):
    """The token is missing, not valid, or not enough."""


class IntegrityError(BinderyError):
    """What was received is not what the manifest promises, or could not be written safely."""


class MirrorError(BinderyError):
    """A mirror lacks something, or does not answer as a mirror does."""


class LockError(BinderyError):
    """The `assets.lock` of a project cannot be used: it is missing, malformed or of a newer format, does not answer
    `assets.yml`, or names what is gone."""
