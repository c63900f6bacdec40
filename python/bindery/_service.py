"""The Bindery service, as an API for scripts."""

import os
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Literal
from urllib.parse import quote

from . import _credentials
from ._edits import IsElsewhere, PulledContents, SettingAside, remove_expired
from ._errors import BinderyError, IntegrityError, NotAllowed, system_errors
from ._folder import Folder
from ._http import Http
from ._library import (
    PAUSE_SECONDS,
    REVISIONS,
    RevisionSupersededError,
    checked,
    library_path,
    naming,
    presign,
    read_current,
    release_query,
    too_fast,
)
from ._limits import Limits, min_transfer_rate
from ._manifest import Manifest, WantedFile, entry_of, read_manifest, refuse_file_in_file, wanted_files
from ._names import STRICTEST, LibraryAddress, collision, parse_address, refuse_meeting_names, trusted_part
from ._object_cache import ObjectCache, cache_folder
from ._pull import Freshness, Pulled, compare, fetch
from ._schema import pick
from ._search import SearchResult, Values, find

# Files at the root of a library's folder, by their paths among its platform artifacts.
ROOT_FILES = {".bindery/source/bindery.yml": "bindery.yml", ".bindery/source/README.md": "README.md"}

PathLike = str | os.PathLike[str]

_object = pick({})


def open_http(address: str, token: str | None = None, timeout: float | None = None) -> Http:
    """Opens a client for a service, with the given token or else that of the stored login."""
    limits = Limits(rate=min_transfer_rate()).within(timeout)
    problem = None
    if token is None:
        try:
            token = _credentials.find_token(address)
        except NotAllowed as error:
            problem = str(error)
            warnings.warn(problem, stacklevel=3)
    return Http(address, token, login_problem=problem, limits=limits)


class Service:
    """A service, as `connect` returns it. `with` closes its connections.

    Every method raises `NotFound` for a library that does not exist or is not visible, `NotAllowed` for a missing or
    insufficient token, `ServiceError` for anything else that the service refuses or a connection that fails, and
    `ValueError` for invalid names.
    """

    def __init__(self, http: Http) -> None:
        self._http = http

    def __enter__(self) -> "Service":
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def search(
        self,
        query: str,
        libraries: str | Iterable[str] | None = None,
        *,
        category: Values = None,
        kind: Values = None,
        license: Values = None,
        tag: Values = None,
        rank: Literal["specified", "relevance"] | None = None,
        sort: Literal["relevance", "newest", "title", "size"] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> SearchResult:
        """Search libraries.

        Args:
            query: Words, or a description of what is wanted.
            libraries: `"namespace/name"`, a release of it (`"namespace/name@release"`), or up to 50 libraries; by
                default everything that you can read, which is always by relevance.
            category: Returns only assets of this category, or of one of several. Letter case makes no difference.
            kind: The same for kinds.
            license: The same for licences.
            tag: The same for tags. With `rank="specified"`, letter case matters.
            rank: `"specified"` compares names and titles, and takes one value per filter; `"relevance"` ranks.
            sort: The order; it needs `rank="relevance"`.
            limit: The maximum number of hits.
            offset: The number of hits to skip.

        Returns:
            The hits. A missing library raises `NotFound`; among several it is listed in `skipped`.
        """
        filters = {"category": category, "kind": kind, "license": license, "tag": tag}
        page = {"rank": rank, "sort": sort, "limit": limit, "offset": offset}
        return find(self._http, query, libraries, filters, page)

    def inspect(self, library: str, asset: str | None = None) -> dict[str, Any]:
        """Return the details of one asset.

        Args:
            library: `"namespace/name/asset"`, with `@release` if wanted, or the library alone.
            asset: The asset's id, if `library` does not name it.

        Returns:
            The asset as the service describes it, with its files and their presigned URLs.
        """
        address = parse_address(library, asset)
        if address.asset is None or address.asset in (".", ".."):
            raise ValueError(f"{asset!r} is not an asset id")
        path = f"{library_path(address.library)}/assets/{quote(address.asset, safe='')}{release_query(address.release)}"
        with naming(library):
            detail: dict[str, Any] = checked(self._http, self._http.get_json(path), _object)
        return detail

    def stat(self, library: str, into: PathLike, *, asset: str | None = None) -> Freshness:
        """Report whether a folder contains a library, or one asset of it. Nothing is written.

        Args:
            library: `"namespace/name"`, with `@release` and `/asset` if wanted.
            into: The folder.
            asset: The asset's id, if `library` does not name it.

        Returns:
            What a pull would fetch.
        """
        address = parse_address(library, asset)
        folder = Folder(into)
        with system_errors(into):
            for _ in range(REVISIONS):
                _, manifest = self._manifest(address)
                try:
                    wanted = self._wanted(manifest, address)
                    return compare(folder, [file for path, file in wanted.items() if trusted_part(path) is None])
                except RevisionSupersededError:
                    time.sleep(PAUSE_SECONDS)
        raise too_fast(library)

    def pull(
        self, library: str, into: PathLike, *, asset: str | None = None, keep: bool = False, force: bool = False
    ) -> Pulled:
        """Pull a library, or exactly one asset of it, into a folder, at one revision.

        Files that are already there are kept; every other file is verified against the manifest's SHA-256 before it is
        moved into place. A file that differs and is nowhere else, neither in the library nor put there by a pull, is
        first moved to `.bindery/replaced/<time>/` in the folder, with a warning, and deleted there after 30 days. Files
        not in the manifest are left alone, and names that other programs trust (`.git`, `.vscode`, …) are not placed. A
        whole library includes its `bindery.yml`. If the connection is lost, the next pull resumes what was received.

        Args:
            library: `"namespace/name"`, with `@release` and `/asset` if wanted.
            into: The folder. It is created if it does not exist.
            asset: The asset's id, if `library` does not name it.
            keep: Whether files that were edited here, or deleted after an earlier pull, are left as they are.
            force: Whether files that differ are replaced without being set aside.

        Returns:
            What was fetched, kept, set aside and refused.

        Raises:
            IntegrityError: Bytes do not match the manifest, or names collide in this folder.
            ContentLost: The service has lost a file.
            BinderyError: The folder cannot be written, or is one that other programs trust.
        """
        if keep and force:
            raise ValueError("keep and force exclude each other")
        trusted = trusted_part(os.path.relpath(os.path.realpath(into)).replace(os.sep, "/"))
        if trusted is not None:
            raise BinderyError(f"{os.fspath(into)} is in {trusted!r}, which other programs trust. Choose another folder.")
        with system_errors(into):
            return self._pull(parse_address(library, asset), Folder(into), keep, force)

    def _pull(self, address: LibraryAddress, folder: Folder, keep: bool, force: bool) -> Pulled:
        into = Path(folder.root)
        contents = PulledContents(folder.root, self._http.server, address.library)
        objects = ObjectCache(cache_folder())
        made: dict[str, WantedFile] = {}
        before = None
        for _ in range(REVISIONS):
            revision, manifest = self._manifest(address)
            if before == (revision, manifest):
                raise IntegrityError(f"{self._http.server} serves files that differ from the manifest of {address.library}.")
            before = revision, manifest
            known = _contents_of(manifest)

            def is_elsewhere(path: str, content: tuple[int, str]) -> bool:
                size, sha256 = content
                return sha256 in known or contents.has(path, sha256) or objects.find(sha256, size) is not None

            setting_aside = SettingAside(folder, is_elsewhere)
            try:
                everything = self._wanted(manifest, address)
                refused = tuple(path for path in everything if trusted_part(path) is not None)
                wanted = {path: file for path, file in everything.items() if path not in refused}
                folder.create()
                remove_expired(folder)
                folder.before_replacing = None if force else setting_aside.set_aside
                kept = _kept(folder, wanted, is_elsewhere, contents) if keep else ()
                taken = {path: file for path, file in wanted.items() if path not in kept}
                contents.begin(taken.values())
                stale = self._bring(address, folder, taken, made)
            except RevisionSupersededError:
                time.sleep(PAUSE_SECONDS)
                continue
            contents.end(taken.values())
            _take_back(folder, made, wanted)
            fetched = len(stale.missing) + len(stale.different)
            entry = _entry(manifest, address.asset, into)
            aside = setting_aside.folder
            if aside is not None:
                warnings.warn(setting_aside.describe(), stacklevel=4)
            if refused:
                warnings.warn(f"Other programs trust files such as {refused[0]!r}; {len(refused)} were not placed.", stacklevel=4)
            return Pulled(into, revision, fetched, stale.bytes, entry, None if aside is None else into / aside, kept, refused)
        raise too_fast(address.library)

    def _bring(
        self, address: LibraryAddress, folder: Folder, wanted: dict[str, WantedFile], made: dict[str, WantedFile]
    ) -> Freshness:
        """Makes a folder contain the expected files. Obstacles are refused before anything is written. Files that did
        not exist are added to `made`."""
        if collision(wanted, STRICTEST) is not None:
            refuse_meeting_names(wanted, address.library, folder.name_rules())
        stale = compare(folder, wanted.values())
        paths = stale.missing + stale.different
        for path in paths:
            folder.refuse_obstacle(path)
        made.update((path, wanted[path]) for path in stale.missing)
        if paths:
            http = self._http.clone()
            try:
                fetch(http, library_path(address.library), release_query(address.release), folder, [wanted[path] for path in paths])
            finally:
                http.close()
        return stale

    def _wanted(self, manifest: Manifest, address: LibraryAddress) -> dict[str, WantedFile]:
        """Returns the files that a folder should contain. A whole library has its `bindery.yml` and README at the root,
        where they were pushed from."""
        library, release, asset = address
        wanted = wanted_files(manifest, library, asset)
        generated = manifest.get("generated", ()) if asset is None else ()
        missing = {path: name for path, name in ROOT_FILES.items() if path in generated and name not in wanted}
        if missing:
            signed = presign(self._http, library_path(library), list(missing), release_query(release))
            for path, name in missing.items():
                wanted[name] = WantedFile(name, signed[path].size, signed[path].sha256, path)
            refuse_file_in_file(wanted, library)
        return wanted

    def _manifest(self, address: LibraryAddress) -> tuple[int, Manifest]:
        revision, data = read_current(self._http, address.library, address.release)
        return revision, read_manifest(data, address.library)


def _contents_of(manifest: Manifest) -> set[str]:
    return {file["sha256"] for asset in manifest["assets"] for file in asset["files"]}


def _kept(
    folder: Folder, wanted: dict[str, WantedFile], is_elsewhere: IsElsewhere, contents: PulledContents
) -> tuple[str, ...]:
    """Returns the paths that were edited or deleted here. If nothing is there, the folder is new."""
    found = {path: folder.digest(path) for path in wanted}
    edited = [path for path, content in found.items() if content is not None and not is_elsewhere(path, content)]
    replaced = [path for path, content in found.items() if content is None and folder.exists(path)]
    if all(content is None for content in found.values()):
        return tuple(sorted(replaced))
    deleted = [path for path, content in found.items() if content is None and path not in replaced and contents.had(path)]
    return tuple(sorted([*edited, *replaced, *deleted]))


def _entry(manifest: Manifest, asset_id: str | None, into: Path) -> Path | None:
    entry = entry_of(manifest, asset_id)
    return None if entry is None else into / entry


def _take_back(folder: Folder, made: dict[str, WantedFile], wanted: dict[str, WantedFile]) -> None:
    """Removes files that this pull placed for a revision that was replaced during the pull."""
    for path, file in made.items():
        if path not in wanted and folder.digest(path) == (file.size, file.sha256):
            folder.remove(path)
