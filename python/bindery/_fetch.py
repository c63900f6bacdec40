"""Fetches revisions of libraries into the cache, from their service or a mirror, verified against a pin."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from email.message import Message
from typing import Any, Protocol, TypeVar

from ._asset_cache import AssetCache, Form, Pin, PlacedAsset, SupplyOptions
from ._credentials import may_have_token, same_address
from ._errors import BinderyError, IntegrityError, LockError, MirrorError, system_errors
from ._folder import Folder, free_space, full_disk_error
from ._http import Http
from ._library import (
    MAX_PART,
    Head,
    PresignedUrls,
    RevisionSupersededError,
    library_path,
    naming,
    read_current,
    read_head,
    read_part,
    read_revision,
    release_query,
)
from ._limits import Limits, min_transfer_rate
from ._manifest import SCHEMA, Manifest, WantedFile, digest_of, read_manifest, wanted_files
from ._mirror import Mirror, open_mirror
from ._names import STRICTEST, collision, refuse_collisions
from ._object_cache import Entry, add_object, read_object
from ._progress import Progress
from ._schema import JsonError, parse
from ._service import open_http
from ._transfer import Counted, Memory, Sink, Source, for_each_file, receive


Result = TypeVar("Result")


class RevisionGoneError(LockError):
    """The service no longer has the pinned revision."""


class ObjectSource(Protocol):
    """Delivers the bytes of files to sinks, unverified. `http` is stopped on a failure; None if no network is used."""

    @property
    def http(self) -> Http | None: ...
    def receive(self, file: WantedFile, sink: Sink) -> None: ...


class Supply:
    """A service, connected to on first use, and optionally a mirror that replaces it. Nothing that either delivers has
    been verified."""

    def __init__(
        self, server: str, connect: Callable[[], Http], mirror: Mirror | None, shown: bool | None
    ) -> None:
        self._server = server
        self._connect = connect
        self._mirror = mirror
        self._shown = shown
        self._opened: list[Http] = []
        self._heads: dict[tuple[str, str | None], Head] = {}

    def current(self, library: str, release: str | None) -> Pin:
        """Returns the revision that the service currently has under a name; the mirror is not used."""
        with naming(library, release):
            head = self._heads[library, release] = read_head(self._http(), library, release)
        if head.manifest is not None:
            return Pin(library, self._server, release, head.revision, *head.manifest)
        revision, data = read_current(self._http(), library, release)
        return Pin(library, self._server, release, revision, hashlib.sha256(data).hexdigest(), len(data))

    def part(self, pin: Pin, assets: Collection[str]) -> Manifest | None:
        """Returns a manifest that has, of these assets, those that exist, as the service says. None if it cannot say; a
        mirror cannot."""
        if self._mirror is not None:
            return None
        name = pin.library, pin.release
        with naming(*name):
            head = self._heads.pop(name, None) or read_head(self._http(), *name)
            if head.manifest is not None and head.manifest[0] != pin.manifest_sha256:
                raise _gone(pin)
            return read_part(self._http(), *name, head, assets)

    def manifest(self, pin: Pin) -> bytes:
        if self._mirror is not None:
            memory = Memory()
            self._mirror.receive(WantedFile("the manifest", pin.manifest_size, pin.manifest_sha256, ""), memory)
            return memory.content()
        _, data = read_current(self._http(), pin.library, pin.release)
        if hashlib.sha256(data).hexdigest() != pin.manifest_sha256:
            raise _gone(pin)
        return data

    def mirrored_log(self, library: str) -> Any:
        """Returns the signature log that the mirror has, as it has it; None if there is none."""
        data = None if self._mirror is None else self._mirror.log(f"signatures/{library}.json")
        try:
            return None if data is None else parse(data)
        except JsonError:
            return None

    def log(self, library: str) -> Any:
        """Returns the signature log of a library as the service sent it."""
        with naming(library):
            return self._http().get_json(f"{library_path(library)}/signatures")

    def converted(self, pin: Pin, asset: str, as_: Form) -> tuple[bytes, Message]:
        """Returns an asset of the pinned revision as the service converts it, and the headers of the response."""
        if self._mirror is not None:
            raise MirrorError("A mirror converts nothing. Ask the service, without mirror=.")
        http, release = self._http(), "" if pin.release is None else f"@{pin.release}"
        answer = http.get(f"/raw/{pin.library}{release}/{asset}", as_.query)
        if read_revision(http, pin.library, pin.release) != pin.revision:
            raise _gone(pin)
        return answer

    def objects(self, pin: Pin, files: Sequence[WantedFile]) -> ObjectSource:
        if self._mirror is not None:
            return self._mirror
        http = self._http().clone()
        self._opened.append(http)
        return _Presigned(http, PresignedUrls(http, library_path(pin.library), files, release_query(pin.release)), pin)

    def progress(self, pin: Pin, files: Sequence[WantedFile]) -> Progress:
        return Progress(pin.library, sum(file.size for file in files), self._shown)

    def close(self) -> None:
        for http in self._opened:
            http.close()
        if self._mirror is not None and self._mirror.http is not None:
            self._mirror.http.close()

    def _http(self) -> Http:
        if not self._opened:
            self._opened.append(self._connect())
        return self._opened[0]


class _Presigned:
    def __init__(self, http: Http, urls: PresignedUrls, pin: Pin) -> None:
        self.http = http
        self._source = Source(http, urls)
        self._pin = pin

    def receive(self, file: WantedFile, sink: Sink) -> None:
        try:
            receive(file, sink, self._source)
        except RevisionSupersededError:
            raise _gone(self._pin) from None


def open_supply(server: str, options: SupplyOptions) -> Supply:
    """Opens the source that the user chose."""
    return Supply(server, lambda: open_http(server, options.token), _opened(options.mirror), options.progress)


def supply_of_lock(server: str, options: SupplyOptions) -> Supply:
    """The same for a server named in a lock, which may be part of somebody else's code: it receives the token only if
    it is the one that the user chose, or otherwise works with that server anyway."""
    chosen, token, mirror, progress = options
    trusted = same_address(chosen, server) if isinstance(chosen, str) else may_have_token(server)
    connect = lambda: open_http(server, token) if trusted else Http(server, limits=_limits())  # noqa: E731
    return Supply(server, connect, _opened(mirror), progress)


def _opened(mirror: str | None) -> Mirror | None:
    return None if mirror is None else open_mirror(mirror, _limits())


def _limits() -> Limits:
    return Limits(rate=min_transfer_rate())


def _gone(pin: Pin) -> RevisionGoneError:
    if pin.release is not None:
        return RevisionGoneError(f"{pin.library}@{pin.release} points to another revision now. Review it, then run 'bindery sync --upgrade'.")
    return RevisionGoneError(
        f"{pin.library} revision {pin.revision} no longer exists. Releases are kept: use one in assets.yml "
        f"({pin.library}@<release>/…), then run 'bindery sync'."
    )


def assets_of(
    cache: AssetCache, pin: Pin, assets: Collection[str], supply: Supply, locked: set[tuple[str, str]] | None = None
) -> Manifest:
    """Returns the manifest of a revision, or a part of it that has these assets. For a part the word of the service is
    enough; if a lock states ids with digests, only where it says the same."""
    if len(assets) > MAX_PART:
        return manifest_of(cache, pin, supply)
    tree = cache.tree(pin)
    manifest = _joined([tree.known(asset) for asset in assets], pin.library)
    if manifest is not None and _agrees(manifest, pin.library, assets, locked):
        return manifest
    held = cache.objects.find(pin.manifest_sha256, pin.manifest_size)
    manifest = None if held is not None else supply.part(pin, assets)
    if manifest is None or not _agrees(manifest, pin.library, assets, locked):
        manifest = manifest_of(cache, pin, supply)
    for described in manifest["assets"]:
        if described["id"] in assets:
            # A part does not list what the service generates, such as most thumbnails.
            asset = {key: value for key, value in described.items() if key != "thumbnail"}
            alone = {"schema": SCHEMA, "library": manifest.get("library", {}), "assets": [asset]}
            _writing(cache, lambda: tree.record(asset["id"], alone, _digest(alone, pin.library, asset["id"])))
    return manifest


def _joined(parts: Sequence[Manifest | None], library: str) -> Manifest | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    joined = {**known[0], "assets": [asset for part in known for asset in part["assets"]]}
    return read_manifest(json.dumps(joined).encode(), library)


def _agrees(part: Manifest, library: str, assets: Collection[str], locked: set[tuple[str, str]] | None) -> bool:
    if locked is None:
        return True
    stated = {(asset["id"], _digest(part, library, asset["id"])) for asset in part["assets"]}
    return len(stated) == len(assets) and stated <= locked


def _digest(manifest: Manifest, library: str, asset: str) -> str:
    return digest_of(wanted_files(manifest, library, (asset,)).values())


def manifest_of(cache: AssetCache, pin: Pin, supply: Supply) -> Manifest:
    data = read_object(cache.objects, pin.manifest_sha256, pin.manifest_size)
    return read_manifest(_supplied(cache, pin, supply) if data is None else data, pin.library)


def _supplied(cache: AssetCache, pin: Pin, supply: Supply) -> bytes:
    data = supply.manifest(pin)
    if hashlib.sha256(data).hexdigest() != pin.manifest_sha256:
        raise IntegrityError(f"The manifest of {pin.library} does not match its SHA-256 and was discarded.")
    _writing(cache, lambda: add_object(cache.objects, data))
    return data


def fetch_files(cache: AssetCache, pin: Pin, files: Iterable[WantedFile], supply: Supply) -> None:
    """Fetches the files that the cache lacks. Each is verified before it is stored."""
    wanted = {file.sha256: file for file in files}.values()
    if not _missing(cache, wanted):
        return
    with cache.one_at_a_time(pin):
        missing = _missing(cache, wanted)
        if not missing:
            return
        needed, free = sum(file.size for file in missing), free_space(cache.folder)
        if needed > free:
            raise full_disk_error(cache.folder, needed, free)
        source, progress = supply.objects(pin, missing), supply.progress(pin, missing)
        try:
            _writing(cache, lambda: for_each_file(missing, lambda file: _fetch(cache, file, source, progress), source.http))
        finally:
            progress.close()


def _missing(cache: AssetCache, files: Iterable[WantedFile]) -> list[WantedFile]:
    return [file for file in files if cache.objects.find(file.sha256, file.size) is None]


def fetch_asset(
    cache: AssetCache, pin: Pin, asset: str, supply: Supply, locked: set[tuple[str, str]] | None = None
) -> PlacedAsset:
    """Fetches an asset with all of its files into the cache. Of a lock, `locked` has ids with their digests."""
    files = wanted_files(assets_of(cache, pin, (asset,), supply, locked), pin.library, (asset,))
    tree = cache.tree(pin)
    fetch_files(cache, pin, tree.lacking(files.values()), supply)
    _refuse_collisions(tree.root, files, pin.library)
    return _writing(cache, lambda: tree.place(asset, files.values(), cache.objects))


def licenses_of(manifest: Manifest, assets: Sequence[str]) -> dict[str, str]:
    """Returns the licence of each asset that has one: its own, or else that of the library."""
    default = manifest.get("library", {}).get("license")
    found = {asset["id"]: asset.get("license") or default for asset in manifest["assets"] if asset["id"] in assets}
    return {asset: license_ for asset, license_ in found.items() if license_}


def _fetch(cache: AssetCache, file: WantedFile, source: ObjectSource, progress: Progress) -> None:
    entry = Entry(cache.objects, file.sha256)
    try:
        source.receive(file, Counted(entry, progress))
        if (entry.size, entry.sha256()) != (file.size, file.sha256):
            raise IntegrityError(f"{file.path!r} does not match its manifest (SHA-256 {file.sha256}) and was discarded.")
        entry.keep()
    finally:
        entry.close()


def _writing(cache: AssetCache, work: Callable[[], Result]) -> Result:
    try:
        return work()
    except OSError as error:
        raise BinderyError(f"The cache {cache.folder} could not be written: {error.strerror or error}.") from None


def _refuse_collisions(root: str, paths: Collection[str], library: str) -> None:
    if collision(paths, STRICTEST) is not None:
        with system_errors(root):
            folder = Folder(root)
            folder.create()
            refuse_collisions(paths, library, folder.name_rules())
