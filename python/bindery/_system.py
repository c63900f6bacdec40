"""Failures of the operating system, as errors of this package."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ._errors import BinderyError


@contextmanager
def system_errors(place: str | os.PathLike[str]) -> Iterator[None]:
    """Raises `BinderyError` for what the operating system refuses at or below a place: no permission, a full disk."""
    try:
        yield
    except OSError as error:
        name = error.filename
        where = name if isinstance(name, str) and os.path.isabs(name) else os.fspath(place)
        raise BinderyError(f"{where} cannot be read or written: {error.strerror or error}.") from None
