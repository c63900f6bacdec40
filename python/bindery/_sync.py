"""Places the assets of a project in its folder as its lock specifies."""

import os
from pathlib import Path
from typing import NamedTuple

from ._asset_cache import AssetCache, Pin, SupplyOptions, usable_cache
from ._errors import BinderyError, IntegrityError, LockError, system_errors
from ._fetch import Supply, assets_of, fetch_files, licenses_of, manifest_of, supply_of_lock
from ._folder import Folder
from ._lock import Lock, LockedAsset, read_lock
from ._manifest import WantedFile, digest_of, wanted_files
from ._names import STRICTEST, collision, refuse_collisions, trusted_part
from ._path import LOCK_NAME, find_lock, refuse_other
from ._project import Project, is_denied, read_project
from ._signatures import TrustedSigner, read_signers, require_signature

_CHUNK = 1024 * 1024


class Signed(NamedTuple):
    """That releases must be signed; None: by anybody whom their libraries allow."""

    signers: list[TrustedSigner] | None


class Synced(NamedTuple):
    """`folder` has the files; `placed` of them are new or replaced others, `unchanged` were already there."""

    folder: Path
    placed: int
    unchanged: int


def sync(
    project: str | os.PathLike[str] | None,
    options: SupplyOptions,
    force: bool,
    require_signed: bool = False,
    signers: "str | os.PathLike[str] | None" = None,
) -> Synced:
    """See `bindery.sync`."""
    signed = Signed(None if signers is None else read_signers(signers)) if require_signed else None
    lock = _lock_of(project)
    settings = read_project(lock.folder)
    _refuse_other_file(lock, settings)
    wanted: dict[str, WantedFile] = {}
    with usable_cache() as cache:
        with system_errors(cache.objects.folder):
            for library, pin in sorted(lock.libraries.items()):
                assets = [asset for asset in lock.assets.values() if asset.library == library]
                supply = supply_of_lock(pin.server, options)
                for path, file in _fetch_assets(cache, pin, assets, lock, settings, supply, signed).items():
                    wanted[f"{settings.folder}/{library}/{path}"] = file
        with system_errors(lock.folder):
            return _place(cache, wanted, lock, settings, force)


def _lock_of(project: str | os.PathLike[str] | None) -> Lock:
    if project is not None:
        return read_lock(os.path.join(os.path.abspath(project), LOCK_NAME))
    file = find_lock(os.getcwd())
    if file is None:
        raise LockError(f"No {LOCK_NAME} found in {os.getcwd()} or any parent directory.")
    return read_lock(file)


def _refuse_other_file(lock: Lock, settings: Project) -> None:
    if settings.uses is not None and settings.uses != tuple(sorted(lock.uses)):
        other = sorted(set(settings.uses) ^ set(lock.uses))
        about = f" ({other[0]})" if other else ""
        raise LockError(f"{lock.file} does not match assets.yml{about}. Run 'bindery sync' and commit the lock.")
    if settings.server is not None and any(pin.server != settings.server for pin in lock.libraries.values()):
        raise LockError(f"{lock.file} names a different server than assets.yml. Run 'bindery sync' and commit the lock.")


def _fetch_assets(
    cache: AssetCache,
    pin: Pin,
    assets: list[LockedAsset],
    lock: Lock,
    settings: Project,
    supply: Supply,
    signed: Signed | None,
) -> dict[str, WantedFile]:
    """Fetches the files of some of a library's assets into the cache, and returns them by path. Raises before fetching
    any of them if the project refuses a licence. The supply is closed."""
    try:
        if signed is None:
            manifest = assets_of(cache, pin, {locked.asset for locked in assets}, supply, lock.stated(pin.library))
        else:
            # A service tells single assets on its word alone; only the whole manifest is what was signed.
            require_signature(pin, supply, signed.signers)
            manifest = manifest_of(cache, pin, supply)
        for asset, license_ in licenses_of(manifest, [locked.asset for locked in assets]).items():
            if is_denied(license_, settings.deny_licenses):
                raise BinderyError(f"{pin.library}/{asset} has the licence {license_}, which assets.yml denies.")
        files: dict[str, WantedFile] = {}
        for locked in assets:
            own = wanted_files(manifest, pin.library, (locked.asset,))
            refuse_other(locked, digest_of(own.values()), locked.entry is None or locked.entry in own, lock)
            files.update(own)
        fetch_files(cache, pin, files.values(), supply)
        return files
    finally:
        supply.close()


def _place(cache: AssetCache, wanted: dict[str, WantedFile], lock: Lock, settings: Project, force: bool) -> Synced:
    """Copies missing and different files, after checking that nothing obstructs any of them. Files whose content is in
    the cache were not edited locally, and may be replaced."""
    folder = Folder(lock.folder)
    trusted = next((path for path in wanted if trusted_part(path) is not None), None)
    if trusted is not None:
        raise BinderyError(f"Refusing to write {trusted!r}: other programs run or trust files there. Nothing was written.")
    if collision(wanted, STRICTEST) is not None:
        refuse_collisions(wanted, lock.file, folder.name_rules())
    stale: list[str] = []
    for path, file in wanted.items():
        found = folder.digest(path)
        if found == (file.size, file.sha256):
            continue
        folder.refuse_obstacle(path)
        if found is not None and not force and cache.objects.find(found[1], found[0]) is None:
            raise BinderyError(f"{path!r} was edited locally; nothing was written. Move it away, or replace it with force=True.")
        stale.append(path)
    folder.refuse_full_disk({path: wanted[path].size for path in stale})
    for path in stale:
        _copy(cache, wanted[path], path, folder)
    return Synced(Path(lock.folder, settings.folder), len(stale), len(wanted) - len(stale))


def _copy(cache: AssetCache, file: WantedFile, path: str, folder: Folder) -> None:
    """Hashes every byte again while copying."""
    held = cache.objects.find(file.sha256, file.size)
    if held is None:
        raise BinderyError(f"{path!r} was removed from the cache while in use. Try again.")
    part = folder.begin(path, file.sha256)
    try:
        part.restart()
        with open(held, "rb") as content:
            while chunk := content.read(_CHUNK):
                part.append(chunk)
        if part.sha256() != file.sha256:
            raise IntegrityError(f"The cached copy of {path!r} is corrupt. Nothing was placed; try again.")
        folder.finish(part, path)
    except BaseException:
        part.remove()
        raise
    finally:
        part.close()
