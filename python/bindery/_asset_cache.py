"""What the machine's cache knows of libraries. Fetching is in other modules, which a cached asset does not need."""

import hashlib
import json
import logging
import os
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import BinderyError
from ._object_cache import ObjectCache, cache_folder, is_whole, make_folder, stamp_of

if TYPE_CHECKING:
    from ._manifest import Manifest, WantedFile


class Form(NamedTuple):
    """Another format of an asset, and what makes a rigid body of a mesh; None for a conversion as it is."""

    format: str
    sim_ready: tuple[tuple[str, str], ...] | None = None

    @property
    def query(self) -> dict[str, str]:
        made = {} if self.sim_ready is None else {"sim-ready": "true", **dict(self.sim_ready)}
        return {"as": self.format, **made}


class Pin(NamedTuple):
    """One revision of a library, from a lock or from the service. `release` is None if none was specified."""

    library: str
    server: str
    release: str | None
    revision: int
    manifest_sha256: str
    manifest_size: int


class SupplyOptions(NamedTuple):
    """Where files come from, and whether their progress is shown, as the caller chose; None for the default."""

    server: str | bool | None
    token: str | None
    mirror: str | None
    progress: bool | None


class PlacedAsset(NamedTuple):
    """An asset whose files are all in place below `root`. `entry` is a path in the library, and so are the values of
    `entry_points`."""

    root: str
    digest: str
    entry: str | None
    files: tuple[str, ...]
    entry_points: dict[str, str]


def read_record(file: str) -> Any:
    """Returns the value of a record, None if it is missing or damaged."""
    try:
        with open(file, "rb") as content:
            head, _, body = content.read().partition(b"\n")
    except OSError:
        return None
    return json.loads(body) if head == _checksum(body) else None


def write_record(file: str, value: Any) -> None:
    body = json.dumps(value).encode()
    temporary = f"{file}.{os.getpid()}.{os.urandom(4).hex()}.tmp"
    make_folder(os.path.dirname(file))
    try:
        with open(temporary, "xb") as content:
            content.write(_checksum(body) + b"\n" + body)
        os.replace(temporary, file)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _checksum(body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body)


class AssetTree:
    """The assets of one revision of a service, or one of them in another format, below `assets/` of the cache, with what is
    known of each. Files are hard links to the cache's objects if the file system supports them, else copies; all of them
    are read-only."""

    def __init__(self, cache_folder: str, name: str) -> None:
        self.root = os.path.join(cache_folder, "assets", name)

    def find(self, asset: str) -> PlacedAsset | None:
        """Returns an asset whose files are all present and intact, else None."""
        record = read_record(self._record(asset))
        if record is None:
            return None
        (described,) = record["manifest"]["assets"]
        for file in described["files"]:
            if not is_whole(f"{self.root}/{file['path']}", file["sha256"], file["size"]):
                return None
        files = tuple(file["path"] for file in described["files"])
        points = {name: point["file"] for name, point in described.get("entryPoints", {}).items()}
        return PlacedAsset(self.root, record["digest"], described.get("entry"), files, points)

    def known(self, asset: str) -> "Manifest | None":
        """Returns a manifest of one asset alone if that is recorded, placed or not."""
        record = read_record(self._record(asset))
        return None if record is None else record["manifest"]

    def record(self, asset: str, manifest: "Manifest", digest: str) -> None:
        """Records a manifest of one asset alone; `digest` is that of the files that the library has of it."""
        write_record(self._record(asset), {"digest": digest, "manifest": manifest})

    def lacking(self, files: Iterable["WantedFile"]) -> list["WantedFile"]:
        return [file for file in files if not is_whole(f"{self.root}/{file.path}", file.sha256, file.size)]

    def place(self, asset: str, files: Iterable["WantedFile"], cache: ObjectCache) -> PlacedAsset:
        """Places missing files of a recorded asset from the cache."""
        for file in self.lacking(files):
            self._place(file, f"{self.root}/{file.path}", cache)
        placed = self.find(asset)
        if placed is None:
            raise BinderyError(f"{asset!r} was removed from the cache while in use. Try again.")
        return placed

    def _place(self, file: "WantedFile", place: str, cache: ObjectCache) -> None:
        held = cache.find(file.sha256, file.size)
        if held is None:
            raise BinderyError(f"{file.path!r} was removed from the cache while in use. Try again.")
        make_folder(os.path.dirname(place))
        temporary = f"{self.root}/.bindery/{os.urandom(8).hex()}"
        make_folder(os.path.dirname(temporary))
        try:
            _link_or_copy(held, temporary, file.sha256)
            os.replace(temporary, place)
        finally:
            # Renaming one link of a file to another link of the same file does nothing.
            if os.path.lexists(temporary):
                os.unlink(temporary)

    def _record(self, asset: str) -> str:
        return f"{self.root}/.bindery/assets/{asset}.json"


def _link_or_copy(source: str, target: str, sha256: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        from shutil import copyfile

        copyfile(source, target)
        os.chmod(target, 0o444)
        stamp = stamp_of(sha256)
        os.utime(target, ns=(stamp, stamp))


@contextmanager
def usable_cache() -> Iterator["AssetCache"]:
    """Yields the machine's cache, or a temporary one with a warning if that cannot be written: a cache saves transfers,
    and never stands in the way."""
    cache = AssetCache()
    try:
        make_folder(os.path.join(cache.objects.folder, "tmp"))
        problem = None if os.access(os.path.join(cache.objects.folder, "tmp"), os.W_OK | os.X_OK) else "Permission denied"
    except OSError as error:
        problem = error.strerror or str(error)
    if problem is None:
        yield cache
        return
    warnings.warn(f"The cache in {cache.folder} is not writable ({problem}); downloading without it.", stacklevel=5)
    # Not at the top, because a usable cache needs none of it.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="bindery-cache-") as folder:
        yield AssetCache(folder)


class AssetCache:
    """Objects by content, and assets with their files at their library paths."""

    def __init__(self, folder: str | None = None) -> None:
        """`folder` takes the place of the machine's cache."""
        self.folder = folder or cache_folder()
        self.objects = ObjectCache(self.folder)

    def tree(self, pin: Pin, asset: str = "", as_: Form | None = None) -> AssetTree:
        """Trees of two services are apart, because each is filled on the word of its own. The command line shares them."""
        converted = "" if as_ is None else " ".join(["", asset, as_.format, *("=".join(pair) for pair in as_.sim_ready or ())])
        name = hashlib.sha256(f"{pin.server} {pin.manifest_sha256}{converted}".encode()).hexdigest()
        return AssetTree(self.folder, name)

    def find(self, pin: Pin, asset: str, as_: Form | None = None) -> PlacedAsset | None:
        """Returns an asset, in another format if one is given, whose files are all present and intact, else None."""
        return self.tree(pin, asset, as_).find(asset)

    @contextmanager
    def one_at_a_time(self, pin: Pin) -> Iterator[None]:
        """Lets one process at a time fetch files of a revision, so that those that start together with an empty cache do not
        each fetch all of them. Where files cannot be locked, nobody waits."""
        file = os.path.join(self.tree(pin).root, ".bindery", "lock")
        try:
            make_folder(os.path.dirname(file))
            descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError:
            yield
            return
        try:
            _lock(descriptor, pin)
            yield
        finally:
            os.close(descriptor)

    def remembered(self, server: str, library: str, release: str | None) -> Pin | None:
        """Returns the revision that was last used under this name."""
        known = read_record(self._head(server, library, release))
        return None if known is None else Pin(library, server, release, known["revision"], known["sha256"], known["size"])

    def remember(self, pin: Pin) -> None:
        value = {"revision": pin.revision, "sha256": pin.manifest_sha256, "size": pin.manifest_size}
        write_record(self._head(pin.server, pin.library, pin.release), value)

    def _head(self, server: str, library: str, release: str | None) -> str:
        at = "".join(letter if letter.isalnum() or letter in ".-" else f"_{ord(letter):x}_" for letter in server)
        return os.path.join(self.folder, "assets", "heads", at[:200], at[200:], f"{library}@{release or ''}.json")


def _lock(descriptor: int, pin: Pin) -> None:
    """Waits for the lock, which ends with the process that holds it."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        logging.getLogger("bindery").info("Waiting for another process that fetches %s.", pin.library)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        pass
