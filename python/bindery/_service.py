"""The Bindery service, as an API for scripts."""

import os
import re
import warnings
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from . import _credentials, _pull
from ._errors import BinderyError, NotAllowed, system_errors
from ._folder import Folder
from ._hash_cache import HashCache
from ._http import Http
from ._limits import Limits, min_transfer_rate
from ._names import ASSET, parse_address, trusted_part
from ._pull import Freshness, Pulled
from ._search import Asset, SearchResult, Values, inspect, search

if TYPE_CHECKING:
    from ._add import Added
    from ._release import Release

PathLike = str | os.PathLike[str]


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
        format: Values = None,
        author: Values = None,
        has: Values = None,
        bytes: Values = None,
        height: Values = None,
        extent: Values = None,
        mass: Values = None,
        joints: Values = None,
        triangles: Values = None,
        as_words: Values = None,
        rank: Literal["specified", "relevance"] | None = None,
        sort: Literal["relevance", "newest", "title", "size"] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> SearchResult:
        """Search libraries.

        Args:
            query: Words, or a description of what is wanted. By relevance, `under 5 MB`, `six joints`, `CC0 or MIT` and
                the like are filters; `understood` of the result says which were.
            libraries: `"namespace/name"`, a release of it (`"namespace/name@release"`), or up to 50 libraries; by
                default everything that you can read, which is always by relevance.
            category: Returns only assets of this category, or of one of several. Letter case makes no difference.
            kind: The same for kinds.
            license: The same for licences; or a class of them: `"permissive"`, `"attribution"`, `"copyleft"`,
                `"non-commercial"`, `"public-domain"`, `"unstated"`.
            tag: The same for tags. With `rank="specified"`, letter case matters.
            format: The same for formats, such as `"glb"`. This filter, those below and classes of licences are answered
                by relevance.
            author: The same for authors, as attributions name them.
            has: `"texture"`, `"animation"` or `"certified"`, or several; assets have all of them.
            bytes: The size of the download: `"..5000000"`, `"1000..5000000"`, `"1000.."` or one number; so are the others.
            height: In metres, of assets that were measured when they were pushed; so are the others.
            extent: The longest side, in metres.
            mass: In kilograms.
            joints: Joints that move.
            triangles: Triangles.
            as_words: Parts of the query that are words, though they could be read as filters.
            rank: `"specified"` compares names and titles, and takes one value per filter; `"relevance"` ranks.
            sort: The order; it needs `rank="relevance"`.
            limit: The maximum number of hits.
            offset: The number of hits to skip.

        Returns:
            The hits. A missing library raises `NotFound`; among several it is listed in `skipped`.
        """
        filters = {"category": category, "kind": kind, "license": license, "tag": tag}
        filters |= {"format": format, "author": author, "has": has, "bytes": bytes, "height": height, "extent": extent}
        filters |= {"mass": mass, "joints": joints, "triangles": triangles, "asWords": as_words}
        page = {"rank": rank, "sort": sort, "limit": limit, "offset": offset}
        return search(self._http, query, libraries, filters, page)

    def inspect(self, library: str, asset: str | None = None) -> Asset:
        """Return the details of one asset.

        Args:
            library: `"namespace/name/asset"`, with `@release` if wanted, or the library alone.
            asset: The asset's id, if `library` does not name it.

        Returns:
            The asset, with its files and their presigned URLs.
        """
        address = parse_address(library, asset)
        if len(address.assets) != 1 or address.assets[0] in (".", ".."):
            raise ValueError(f"invalid asset {asset!r}")
        return inspect(self._http, address)

    def stat(self, library: str, into: PathLike, *, asset: str | Iterable[str] | None = None) -> Freshness:
        """Report whether a folder contains a library, or assets of it. Nothing is written.

        Args:
            library: `"namespace/name"`, with `@release` and `/asset` if wanted.
            into: The folder.
            asset: The asset's id, or several, if `library` does not name it.

        Returns:
            What a pull would fetch.
        """
        address = parse_address(library, asset)
        with system_errors(into), HashCache(os.fspath(into)) as hashes:
            return _pull.stat(self._http, address, Folder(into, hashes))

    def pull(
        self,
        library: str,
        into: PathLike,
        *,
        asset: str | Iterable[str] | None = None,
        keep: bool = False,
        force: bool = False,
        progress: bool | None = None,
    ) -> Pulled:
        """Pull a library, or exactly the assets named, into a folder, at one revision.

        Files that are already there are kept; every other file is verified against the manifest's SHA-256 before it is
        moved into place. A file that differs and is nowhere else, neither in the library nor put there by a pull, is
        first moved to `.bindery/replaced/<time>/` in the folder, with a warning, and deleted there after 30 days. Files
        not in the manifest are left alone, and names that other programs trust (`.git`, `.vscode`, …) are not placed. A
        whole library includes its `bindery.yml`. If the connection is lost, the next pull resumes what was received.

        Args:
            library: `"namespace/name"`, with `@release` and `/asset` if wanted.
            into: The folder. It is created if it does not exist.
            asset: The asset's id, or several, if `library` does not name it.
            keep: Whether files that were edited here, or deleted after an earlier pull, are left as they are.
            force: Whether files that differ are replaced without being set aside.
            progress: Whether the bytes that arrive are shown by `tqdm`; by default, if that is installed and stderr is a
                terminal.

        Returns:
            What was fetched, kept, set aside and refused.

        Raises:
            IntegrityError: Bytes do not match the manifest, or names collide in this folder.
            ContentLost: The service has lost a file.
            BinderyError: The folder cannot be written, or is one that other programs trust.
        """
        if keep and force:
            raise ValueError("keep and force are mutually exclusive")
        trusted = trusted_part(os.path.relpath(os.path.realpath(into)).replace(os.sep, "/"))
        if trusted is not None:
            raise BinderyError(f"{os.fspath(into)} is inside {trusted!r}, which other programs run or trust. Choose another folder.")
        with system_errors(into), HashCache(os.fspath(into)) as hashes:
            return _pull.pull(self._http, parse_address(library, asset), Folder(into, hashes), keep, force, progress)

    def add(
        self,
        library: str,
        folder: PathLike,
        *,
        asset: str | None = None,
        replace: bool = False,
        create: bool = False,
        title: str | None = None,
        description: str | None = None,
        license: str | None = None,
        tags: str | Iterable[str] | None = None,
        category: str | None = None,
        kind: str | None = None,
        entry: str | None = None,
        progress: bool | None = None,
    ) -> "Added":
        """Publish a folder as one asset of a library, in the library's next revision; other assets stay as they are.

        Nothing is derived from the files: what an asset is, the command line finds out. Files that the service has are
        not sent, and nothing of the asset is visible before all of it is registered. Hidden files, links and likely
        secrets are left out. A folder with ignore files or a `bindery.yml` is refused.

        Args:
            library: `"namespace/name"`.
            folder: The folder. Its files get the paths `<asset>/…` in the library.
            asset: The asset's id; by default the name of the folder.
            replace: Whether an asset with this id is replaced. What is not stated here stays as it was, texts and
                licences only as long as the files that describe the asset (licence, README) are the same.
            create: Whether a library that does not exist is created, as a private one.
            title: At most 200 characters.
            description: At most 2,000 characters.
            license: An SPDX id such as `"CC0-1.0"`, else the library's applies.
            tags: One tag or several.
            category: A word such as `"kitchen"`.
            kind: `"mjcf"`, `"urdf"`, `"mesh"`, …; by default `"file"`.
            entry: The file that opens the asset, by its path in the folder.
            progress: As for `pull`.

        Returns:
            The asset's id and revision, and what was left out.

        Raises:
            BinderyError: The library has such an asset already, has another file at one of the paths, or describes the
                asset in its `bindery.yml`; or the folder cannot be read or published.
        """
        from ._add import add

        root = os.path.realpath(folder)
        if not os.path.isdir(root):
            raise BinderyError(f"There is no folder {os.fspath(folder)}.")
        asset_id = os.path.basename(root) if asset is None else asset
        if not re.fullmatch(ASSET, asset_id):
            hint = "" if asset is not None else "; choose one with asset="
            raise ValueError(f"invalid asset {asset_id[:200]!r}: expected 1 to 128 of a-z, A-Z, 0-9, dot, underscore and dash{hint}")
        stated = {"title": title, "description": description, "license": license, "category": category, "kind": kind}
        listed = None if tags is None else [tags] if isinstance(tags, str) else list(tags)
        whole = {key: value for key, value in {**stated, "tags": listed, "entry": entry}.items() if value is not None}
        with system_errors(root):
            return add(self._http, library, root, asset_id, whole, replace=replace, create=create, progress=progress)

    def release(self, library: str, name: str, *, notes: str | None = None, revision: int | None = None) -> "Release":
        """Give a revision of a library a permanent name. To do so again for the same revision changes nothing.

        Args:
            library: `"namespace/name"`.
            name: The release's name, such as `"v1.2"`.
            notes: At most 10,000 characters.
            revision: The current revision or an earlier one that is kept; by default the current one.

        Returns:
            The release.
        """
        from ._release import release

        return release(self._http, library, name, notes, revision)
