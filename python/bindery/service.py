"""One Bindery service, as scripts use it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from . import credentials
from .errors import ServiceError
from .folder import Folder
from .http import Http
from .manifest import refuse_collisions, wanted_files
from .pull import CURATION_ARTIFACT, Pulled, fetch, fetch_curation
from .stat import compare

_LIBRARY = re.compile(r"[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9._-]*")


@dataclass(frozen=True)
class SearchResult:
    """Hits as the service answers them; `total` counts all, `semantic` says whether meaning took part."""

    hits: list
    total: int
    semantic: bool


def connect(server=True, *, token=None):
    """A service: at an address, or for `True` at `BINDERY_API_URL`, else on this machine.

    Without a token the stored login is used, if there is one for this server.
    """
    address = credentials.choose_server(server)
    if token is None and credentials.login_belongs_to(address):
        token = credentials.find_token()
    return Service(Http(address, token))


class Service:
    """Searches, inspects and pulls. Libraries are named `"namespace/name"`."""

    def __init__(self, http):
        self._http = http

    def search(self, query, libraries, *, limit=50, offset=0, **filters):
        """Searches one or up to 50 libraries; filters are `category`, `kind`, `license`, `tag`."""
        names = [libraries] if isinstance(libraries, str) else list(libraries)
        for name in names:
            _path(name)
        parameters = {"q": query, "libraries": ",".join(names), "limit": limit, "offset": offset, **filters}
        answer = self._http.get_json("/library-search", parameters)
        return SearchResult(answer["hits"], answer["total"], answer["semantic"])

    def inspect(self, library, asset):
        """One asset with its files and their presigned addresses."""
        return self._http.get_json(f"{_path(library)}/assets/{asset}")

    def stat(self, library, into, *, asset=None):
        """Whether a folder holds the library, or one asset of it, as it is now."""
        _, manifest = self._manifest(library)
        return compare(Folder(into), wanted_files(manifest, library, asset))

    def pull(self, library, into, *, asset=None):
        """Brings a library, or exactly one asset of it, into a folder.

        Files that are there already are kept, every other one is verified against the manifest's SHA-256 before it is
        put in place. What the manifest does not name is left alone. A whole library brings its `bindery.yml` back.
        """
        revision, manifest = self._manifest(library)
        wanted = wanted_files(manifest, library, asset)
        folder = Folder(into, create=True)
        refuse_collisions(wanted, library, folder.same_file)
        stale = compare(folder, wanted)
        paths = stale.missing + stale.different
        fetch(self._http, _path(library), folder, [wanted[path] for path in paths])
        if asset is None and CURATION_ARTIFACT in manifest.get("generated", []):
            fetch_curation(self._http, _path(library), folder)
        return Pulled(Path(into), revision, len(paths), stale.bytes, _entry(manifest, asset, Path(into)))

    def _manifest(self, library):
        """The revision and its manifest; both are read again if a register came between."""
        path = _path(library)
        for _ in range(5):
            revision = self._http.get_json(path)["revision"]
            manifest = json.loads(self._http.get_bytes(f"{path}/manifest"))
            if self._http.get_json(path)["revision"] == revision:
                return revision, manifest
        raise ServiceError(f"{library} changes faster than it can be read.")


def _path(library):
    if not _LIBRARY.fullmatch(library):
        raise ValueError(f'{library!r} is no library; write "namespace/name"')
    namespace, name = library.split("/")
    return f"/namespaces/{namespace}/libraries/{name}"


def _entry(manifest, asset_id, into):
    for asset in manifest["assets"]:
        if asset["id"] == asset_id and asset.get("entry"):
            return into / asset["entry"]
    return None
