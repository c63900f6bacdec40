"""Permanent names for revisions of a library."""

from dataclasses import dataclass
from typing import Any

from ._errors import ServiceError
from ._http import Http
from ._library import checked, library_path, naming, read_revision, release_query
from ._schema import pick, size, text

_MAX_NOTES = 10_000
_release = pick({"name": text(), "revision": size, "notes": text(nullable=True), "createdAt": text()})


@dataclass(frozen=True)
class Release:
    """A release: `address` (`namespace/library@name`) is what `path`, `pull` and the others take."""

    library: str
    name: str
    revision: int
    notes: str | None
    created_at: str

    @property
    def address(self) -> str:
        return f"{self.library}@{self.name}"


def release(http: Http, library: str, name: str, notes: str | None, revision: int | None) -> Release:
    """See `Service.release`."""
    release_query(name)
    path = f"{library_path(library)}/releases"
    if revision is not None and (isinstance(revision, bool) or revision < 1):
        raise ValueError(f"invalid revision {revision!r}: expected a number from 1")
    if notes is not None and len(notes) > _MAX_NOTES:
        raise ValueError(f"invalid notes: expected at most {_MAX_NOTES} characters")
    stated = {"notes": notes, "revision": revision}
    with naming(library):
        try:
            answer = http.post_json(path, {"name": name, **{key: value for key, value in stated.items() if value is not None}})
        except ServiceError as error:
            if error.code != "release_exists":
                raise
            # A script that runs again, or whose first response was lost, asks for what there is.
            answer = checked(http, http.get_json(f"{path}/{name}"), _release)
            if answer["revision"] != (revision or read_revision(http, library)):
                raise
        return _read(library, checked(http, answer, _release))


def _read(library: str, answer: Any) -> Release:
    return Release(library, answer["name"], int(answer["revision"]), answer["notes"], answer["createdAt"])
