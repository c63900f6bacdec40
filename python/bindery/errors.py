"""What can go wrong, by what the caller can do about it."""


class BinderyError(Exception):
    """Every error of this package."""


class ServiceError(BinderyError):
    """The service cannot be reached, or answered with a failure.

    `status` is the HTTP status (None without an answer), `code` the service's error code.
    """

    def __init__(self, message, status=None, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


class NotFound(ServiceError):
    """The library or asset does not exist, or may not be seen."""


class NotAllowed(ServiceError):
    """The token is missing, not valid, or not enough."""


class IntegrityError(BinderyError):
    """What was received is not what the manifest promises, or could not be written safely."""
