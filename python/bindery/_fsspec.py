"""A file system of fsspec, `bindery://namespace/library[@release]/path`, registered by an entry point."""

import errno
import os
import posixpath
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from fsspec import AbstractFileSystem
from fsspec.implementations.local import LocalFileSystem

from ._asset_cache import AssetCache, Pin, SupplyOptions
from ._credentials import choose_server
from ._errors import BinderyError, NotAllowed, NotFound, ServiceError, system_errors
from ._fetch import RevisionGoneError, fetch_files, manifest_of, open_supply
from ._library import checked
from ._manifest import WantedFile, wanted_files
from ._names import parse_address
from ._schema import list_of, pick, text
from ._service import open_http

_all_libraries = pick({"libraries": list_of(pick({"namespace": text()}))})
_libraries = pick({"libraries": list_of(pick({"name": text()}))})


class _Revision(NamedTuple):
    """The files of one revision by path, and what each folder contains, by path and name."""

    pin: Pin
    files: dict[str, WantedFile]
    folders: dict[str, set[str]]


class _Place(NamedTuple):
    """What a path names: `library` is `namespace/name[@release]`, `inside` is empty for its root."""

    library: str
    inside: str


class BinderyFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The files of assets, read-only. Whole files are fetched into this machine's cache and verified there before any of
    their bytes are returned; cached files need no request.

    A library without a release has the revision that was current when it was first read, until `invalidate_cache()`.

    Args:
        endpoint: As for `bindery.connect`.
        token: As for `bindery.connect`.
        mirror: A folder or an address that provides the bytes instead of the service.
    """

    protocol = "bindery"

    def __init__(
        self,
        endpoint: str | bool | None = None,
        token: str | None = None,
        mirror: str | None = None,
        **storage_options: Any,
    ) -> None:
        super().__init__(**storage_options)
        self._server = choose_server(endpoint)
        self._options = SupplyOptions(endpoint, token, mirror, False)
        self._cache = AssetCache()
        self._revisions: dict[str, _Revision] = {}

    @property
    def fsid(self) -> str:
        return f"bindery:{self._server}"

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """List a folder, a library, the libraries of a namespace, or, for an empty path, the namespaces that have some."""
        path = self._strip_protocol(path)
        if path == "":
            found = [_folder(name) for name in self._namespaces()]
        elif "/" not in path:
            found = [_folder(name) for name in self._libraries_of(path)]
        else:
            found = self._listed(path)
        return found if detail else [entry["name"] for entry in found]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Describe a file (`size`, `sha256`) or a folder."""
        path = self._strip_protocol(path)
        if "/" not in path:
            self.ls(path)
            return _folder(path)
        place = _placed(path)
        revision = self._revision(place.library, path)
        if place.inside in revision.files:
            return _file(path, revision.files[place.inside])
        if place.inside in revision.folders:
            return _folder(path)
        raise _missing(path)

    def ukey(self, path: str) -> str:
        """Return the SHA-256 of a file."""
        return self._found(self._strip_protocol(path))[1].sha256

    def invalidate_cache(self, path: str | None = None) -> None:
        """Ask again which revision is current, of every library or of the one in `path`."""
        super().invalidate_cache(path)
        if path is None:
            self._revisions.clear()
        else:
            self._revisions.pop(_placed(self._strip_protocol(path)).library, None)

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **options: Any) -> Any:
        self._fetch_at_once(self.expand_path(path, recursive=recursive, **options))
        return super().cat(path, recursive=recursive, on_error=on_error, **options)

    def get(self, rpath: Any, lpath: Any, recursive: bool = False, **options: Any) -> Any:
        self._fetch_at_once(self.expand_path(rpath, recursive=recursive, maxdepth=options.get("maxdepth")))
        return super().get(rpath, lpath, recursive=recursive, **options)

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        if mode != "rb":
            raise NotImplementedError("bindery:// is read-only; 'bindery push' publishes a folder")
        revision, file = self._found(path)
        held = self._cache.objects.find(file.sha256, file.size)
        if held is None:
            self._fetch(revision, [file])
            held = self._cache.objects.file(file.sha256)
        return LocalFileSystem().open(held, "rb")

    def _found(self, path: str) -> tuple[_Revision, WantedFile]:
        described = self.info(path)
        if described["type"] != "file":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        place = _placed(path)
        revision = self._revision(place.library, path)
        return revision, revision.files[place.inside]

    def _namespaces(self) -> list[str]:
        with closing(open_http(self._server, self._options.token)) as http:
            try:
                answer = checked(http, http.get_json("/libraries"), _all_libraries)
            except ServiceError as error:
                raise _as_os_error(error, "") from None
        return sorted({library["namespace"] for library in answer["libraries"]})

    def _libraries_of(self, namespace: str) -> list[str]:
        _placed(f"{namespace}/any")
        with closing(open_http(self._server, self._options.token)) as http:
            try:
                answer = checked(http, http.get_json(f"/namespaces/{namespace}/libraries"), _libraries)
            except ServiceError as error:
                raise _as_os_error(error, namespace) from None
        return sorted(f"{namespace}/{library['name']}" for library in answer["libraries"])

    def _listed(self, path: str) -> list[dict[str, Any]]:
        place = _placed(path)
        revision = self._revision(place.library, path)
        if place.inside in revision.files:
            return [_file(path, revision.files[place.inside])]
        if place.inside not in revision.folders:
            raise _missing(path)
        found = []
        for name in sorted(revision.folders[place.inside]):
            file = revision.files.get(posixpath.join(place.inside, name))
            found.append(_folder(f"{path}/{name}") if file is None else _file(f"{path}/{name}", file))
        return found

    def _revision(self, library: str, path: str) -> _Revision:
        known = self._revisions.get(library)
        if known is None:
            try:
                known = self._revisions[library] = self._read_revision(library)
            except ServiceError as error:
                raise _as_os_error(error, path) from None
        return known

    def _read_revision(self, library: str) -> _Revision:
        name, release, _ = parse_address(library)
        with closing(open_supply(self._server, self._options)) as supply, system_errors(self._cache.folder):
            pin = self._cache.remembered(self._server, name, release) if release is not None else None
            if pin is None:
                pin = supply.current(name, release)
            files = wanted_files(manifest_of(self._cache, pin, supply), name)
            if release is not None:
                self._cache.remember(pin)
        folders: dict[str, set[str]] = {"": set()}
        for path in files:
            while path:
                folder, base = posixpath.split(path)
                folders.setdefault(folder, set()).add(base)
                path = folder
        return _Revision(pin, files, folders)

    def _fetch_at_once(self, paths: Sequence[str]) -> None:
        """Fetches files together that would otherwise be fetched one after the other."""
        wanted: dict[str, list[WantedFile]] = {}
        for path in paths:
            if "/" in path:
                place = _placed(path)
                file = self._revision(place.library, path).files.get(place.inside)
                if file is not None:
                    wanted.setdefault(place.library, []).append(file)
        for library, files in wanted.items():
            self._fetch(self._revisions[library], files)

    def _fetch(self, revision: _Revision, files: Iterable[WantedFile]) -> None:
        with closing(open_supply(self._server, self._options)) as supply:
            try:
                fetch_files(self._cache, revision.pin, files, supply)
            except RevisionGoneError:
                library = revision.pin.library
                message = f"{library} has changed since it was listed. Call invalidate_cache(), or read a release."
                raise BinderyError(message) from None


def _placed(path: str) -> _Place:
    parts = path.split("/", 2)
    try:
        parse_address("/".join(parts[:2]))
    except ValueError:
        raise _missing(path) from None
    return _Place("/".join(parts[:2]), parts[2] if len(parts) == 3 else "")


def _missing(path: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _as_os_error(error: ServiceError, path: str) -> Exception:
    """Returns what callers of a file system expect for a library that is missing or closed to them."""
    if isinstance(error, NotFound):
        return _missing(path)
    return PermissionError(errno.EACCES, str(error), path) if isinstance(error, NotAllowed) else error


def _file(path: str, file: WantedFile) -> dict[str, Any]:
    return {"name": path, "size": file.size, "type": "file", "sha256": file.sha256}


def _folder(path: str) -> dict[str, Any]:
    return {"name": path, "size": 0, "type": "directory"}
