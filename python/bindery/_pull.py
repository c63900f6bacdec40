"""Pulls a revision into a folder, and compares a folder with one."""

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ._edits import IsElsewhere, PulledContents, SettingAside, remove_expired
from ._errors import IntegrityError
from ._folder import Folder
from ._http import Http
from ._library import (
    PAUSE_SECONDS,
    REVISIONS,
    PresignedUrls,
    RevisionSupersededError,
    library_path,
    naming,
    presign,
    read_current,
    read_head,
    read_part,
    release_query,
    too_fast,
)
from ._manifest import Manifest, WantedFile, entry_of, read_manifest, refuse_file_in_file, wanted_files
from ._names import STRICTEST, LibraryAddress, collision, refuse_collisions, trusted_part
from ._object_cache import ObjectCache, cache_folder
from ._progress import Progress
from ._transfer import Source, download, for_each_file

# Files at the root of a library's folder, by their paths among its platform artifacts.
ROOT_FILES = {".bindery/source/bindery.yml": "bindery.yml", ".bindery/source/README.md": "README.md"}


@dataclass(frozen=True)
class Freshness:
    """The files that a pull would fetch, because they are missing or different, and their total size in bytes."""

    missing: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    bytes: int = 0

    @property
    def up_to_date(self) -> bool:
        return not self.missing and not self.different


@dataclass(frozen=True)
class Pulled:
    """The result of a pull; `bytes` is the total size of the fetched files. `entry` is the file that a viewer opens, if
    one asset was pulled and declares it. `set_aside` is the folder to which files were moved that differed and are nowhere else,
    `kept` are the paths that `keep` left as they are, edited or deleted, `refused` those that other programs would trust."""

    folder: Path
    revision: int
    fetched: int
    bytes: int
    entry: Path | None
    set_aside: Path | None = None
    kept: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()

def stat(http: Http, address: LibraryAddress, folder: Folder) -> Freshness:
    """See `Service.stat`."""
    for _ in range(REVISIONS):
        _, manifest = _current(http, address)
        try:
            wanted = _wanted(http, manifest, address)
            return _compare(folder, [file for path, file in wanted.items() if trusted_part(path) is None])
        except RevisionSupersededError:
            time.sleep(PAUSE_SECONDS)
    raise too_fast(address.library)


def pull(
    http: Http, address: LibraryAddress, folder: Folder, keep: bool, force: bool, progress: bool | None = None
) -> Pulled:
    """See `Service.pull`."""
    into = Path(folder.root)
    contents = PulledContents(folder.root, http.server, address.library)
    objects = ObjectCache(cache_folder())
    made: dict[str, WantedFile] = {}
    before = None
    for _ in range(REVISIONS):
        revision, manifest = _current(http, address)
        if before == (revision, manifest):
            raise IntegrityError(f"{http.server} serves files that differ from the manifest of {address.library}.")
        before = revision, manifest
        known = _contents_of(manifest)

        def is_elsewhere(path: str, content: tuple[int, str]) -> bool:
            size, sha256 = content
            return sha256 in known or contents.has(path, sha256) or objects.find(sha256, size) is not None

        setting_aside = SettingAside(folder, is_elsewhere, contents)
        try:
            everything = _wanted(http, manifest, address)
            refused = tuple(path for path in everything if trusted_part(path) is not None)
            wanted = {path: file for path, file in everything.items() if path not in refused}
            folder.create()
            remove_expired(folder)
            folder.before_replacing = None if force else setting_aside.set_aside
            kept = _kept(folder, wanted, is_elsewhere, contents) if keep else ()
            taken = {path: file for path, file in wanted.items() if path not in kept}
            contents.begin(taken.values())
            stale = _place(http, address, folder, taken, made, progress)
        except RevisionSupersededError:
            time.sleep(PAUSE_SECONDS)
            continue
        contents.end(taken.values())
        _take_back(folder, made, wanted)
        fetched = len(stale.missing) + len(stale.different)
        entry = _entry(manifest, address.assets, into)
        aside = setting_aside.folder
        if aside is not None:
            warnings.warn(setting_aside.describe(), stacklevel=4)
        if refused:
            warnings.warn(f"Skipped {len(refused)} files that other programs run or trust, such as {refused[0]!r}.", stacklevel=4)
        return Pulled(into, revision, fetched, stale.bytes, entry, None if aside is None else into / aside, kept, refused)
    raise too_fast(address.library)


def _place(
    http: Http,
    address: LibraryAddress,
    folder: Folder,
    wanted: dict[str, WantedFile],
    made: dict[str, WantedFile],
    progress: bool | None,
) -> Freshness:
    """Makes a folder contain the expected files. Obstacles are refused before anything is written. Files that did
    not exist are added to `made`."""
    if collision(wanted, STRICTEST) is not None:
        refuse_collisions(wanted, address.library, folder.name_rules())
    stale = _compare(folder, wanted.values())
    paths = stale.missing + stale.different
    for path in paths:
        folder.refuse_obstacle(path)
    folder.refuse_full_disk({path: wanted[path].size for path in paths})
    made.update((path, wanted[path]) for path in stale.missing)
    if paths:
        _fetch(http.clone(), address, folder, [wanted[path] for path in paths], progress)
    return stale


def _wanted(http: Http, manifest: Manifest, address: LibraryAddress) -> dict[str, WantedFile]:
    """Returns the files that a folder should contain. A whole library has its `bindery.yml` and README at the root,
    where they were pushed from."""
    library, release, assets = address
    wanted = wanted_files(manifest, library, assets)
    generated = () if assets else manifest.get("generated", ())
    missing = {path: name for path, name in ROOT_FILES.items() if path in generated and name not in wanted}
    if missing:
        signed = presign(http, library_path(library), list(missing), release_query(release))
        for path, name in missing.items():
            wanted[name] = WantedFile(name, signed[path].size, signed[path].sha256, path)
        refuse_file_in_file(wanted, library)
    return wanted


def _current(http: Http, address: LibraryAddress) -> tuple[int, Manifest]:
    """Returns the number and the manifest of the revision, or a part of it that has the assets of the address."""
    library, release, assets = address
    if assets:
        with naming(library, release):
            head = read_head(http, library, release)
            part = read_part(http, library, release, head, assets)
        if part is not None:
            return head.revision, part
    revision, data = read_current(http, library, release)
    return revision, read_manifest(data, library)


def _fetch(
    http: Http, address: LibraryAddress, folder: Folder, files: Sequence[WantedFile], shown: bool | None
) -> None:
    """Fetches files into a folder over separate connections. The first failure stops all; files already in place are
    verified and stay."""
    urls = PresignedUrls(http, library_path(address.library), files, release_query(address.release))
    progress = Progress(address.library, sum(file.size for file in files), shown)
    try:
        for_each_file(files, lambda file: download(file, folder, Source(http, urls), progress), http)
    finally:
        progress.close()
        http.close()


def _compare(folder: Folder, wanted: Iterable[WantedFile]) -> Freshness:
    """Compares a folder with the expected files, reading each that exists."""
    missing: list[str] = []
    different: list[str] = []
    size = 0
    for file in wanted:
        found = folder.digest(file.path)
        if found == (file.size, file.sha256):
            continue
        (missing if found is None else different).append(file.path)
        size += file.size
    return Freshness(missing, different, size)


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


def _entry(manifest: Manifest, assets: Sequence[str], into: Path) -> Path | None:
    entry = entry_of(manifest, assets[0]) if len(assets) == 1 else None
    return None if entry is None else into / entry


def _take_back(folder: Folder, made: dict[str, WantedFile], wanted: dict[str, WantedFile]) -> None:
    """Removes files that this pull placed for a revision that was replaced during the pull."""
    for path, file in made.items():
        if path not in wanted and folder.digest(path) == (file.size, file.sha256):
            folder.remove(path)
