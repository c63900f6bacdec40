"""Finds the file that opens an asset, in the machine's cache."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ._asset_cache import AssetCache, Form, Pin, PlacedAsset, SupplyOptions
from ._errors import BinderyError, IntegrityError, LockError, NotFound, describe, system_errors
from ._names import AssetAddress, parse_asset_address

if TYPE_CHECKING:
    from ._fetch import Supply
    from ._lock import Lock, LockedAsset

LOCK_NAME = "assets.lock"


class Wanted(NamedTuple):
    """What is wanted of an asset, as the caller chose; None for its entry as it is."""

    file: str | None = None
    entry_point: str | None = None
    as_: str | None = None
    sim_ready: Mapping[str, str | float] | None = None

    @property
    def form(self) -> Form | None:
        if self.as_ is None:
            return None
        made = None if self.sim_ready is None else tuple((name, str(value)) for name, value in sorted(self.sim_ready.items()))
        return Form(self.as_, made)


def locate(asset: str, wanted: Wanted, options: SupplyOptions, refresh: bool) -> Path:
    """See `bindery.path`."""
    placed, chosen = locate_asset(asset, wanted, options, refresh)
    return Path(placed.root, chosen)


def locate_asset(asset: str, wanted: Wanted, options: SupplyOptions, refresh: bool) -> tuple[PlacedAsset, str]:
    """Returns an asset in the cache, and the path below its root of the file that `bindery.path` returns."""
    file, entry_point, as_, sim_ready = wanted
    if sim_ready is not None and as_ is None:
        raise ValueError("sim_ready needs as_, for example as_='mjcf'")
    if entry_point is not None and (file is not None or as_ is not None):
        raise ValueError(f"entry_point and {'as_' if file is None else 'file'} are mutually exclusive")
    if as_ is not None:
        from ._convert import FORMATS

        if as_ not in FORMATS:
            raise ValueError(f"unknown format {as_[:200]!r}: expected {', '.join(map(repr, FORMATS))}")
    cache = AssetCache()
    with system_errors(cache.objects.folder):
        placed, entry = _placed(cache, asset, wanted, options, refresh)
    if entry_point is not None:
        return placed, _entry_point(placed, asset, entry_point)
    return placed, _chosen(placed, asset, file or entry)


def _placed(
    cache: AssetCache, asset: str, wanted: Wanted, options: SupplyOptions, refresh: bool
) -> tuple[PlacedAsset, str | None]:
    """Returns an asset and, if it is named in the lock and not converted, the entry that the lock specifies."""
    lock = _nearest_lock()
    if "/" not in asset:
        return _named(cache, asset, wanted, lock, options)
    address = parse_asset_address(asset)
    pin = lock.libraries.get(address.library) if lock is not None else None
    if lock is not None and pin is not None and options.server in (None, True) and not refresh and address.release in (None, pin.release):
        return _pinned(cache, lock, pin, address.asset, wanted, options), None
    return _current(cache, address, wanted, options, refresh), None


def _nearest_lock() -> "Lock | None":
    file = find_lock(os.getcwd())
    if file is None:
        return None
    from ._lock import read_lock

    return read_lock(file)


def find_lock(start: str) -> str | None:
    """Returns the nearest `assets.lock` in a folder or above it, or None."""
    folder = os.path.abspath(start)
    while True:
        file = os.path.join(folder, LOCK_NAME)
        if os.path.isfile(file):
            return file
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _named(
    cache: AssetCache, name: str, wanted: Wanted, lock: "Lock | None", options: SupplyOptions
) -> tuple[PlacedAsset, str | None]:
    if lock is None:
        raise LockError(f"No {LOCK_NAME} found in {os.getcwd()} or any parent directory (needed to resolve {describe(name)}).")
    locked = lock.assets.get(name)
    if locked is None:
        raise LockError(f"{lock.file} has no asset {describe(name)}.")
    placed = _pinned(cache, lock, lock.libraries[locked.library], locked.asset, wanted, options, locked.digest)
    entry = locked.entry if wanted.as_ is None else None
    refuse_other(locked, placed.digest, entry is None or entry in placed.files, lock)
    return placed, entry


def refuse_other(locked: "LockedAsset", digest: str, has_entry: bool, lock: "Lock") -> None:
    """Raises `IntegrityError` if the manifest describes an asset differently from the lock that names the manifest."""
    if locked.digest != digest or not has_entry:
        raise IntegrityError(f"{lock.file} does not match its manifest: digest or entry of {locked.name!r} differs.")


def _pinned(
    cache: AssetCache, lock: "Lock", pin: Pin, asset: str, wanted: Wanted, options: SupplyOptions, digest: str | None = None
) -> PlacedAsset:
    placed = cache.find(pin, asset, wanted.form)
    if placed is not None and digest in (None, placed.digest):
        return placed
    from ._fetch import supply_of_lock

    supply = supply_of_lock(pin.server, options)
    try:
        return _fetch(cache, pin, asset, wanted.form, supply, lock.stated(pin.library))
    finally:
        supply.close()


def _fetch(
    cache: AssetCache, pin: Pin, asset: str, as_: Form | None, supply: "Supply", locked: set[tuple[str, str]] | None = None
) -> PlacedAsset:
    if as_ is None:
        from ._fetch import fetch_asset

        return fetch_asset(cache, pin, asset, supply, locked)
    from ._convert import fetch_converted

    return fetch_converted(cache, pin, asset, as_, supply, locked)


def _current(
    cache: AssetCache, address: AssetAddress, wanted: Wanted, options: SupplyOptions, refresh: bool
) -> PlacedAsset:
    from ._credentials import choose_server

    chosen = choose_server(options.server)
    pin = None if refresh else cache.remembered(chosen, address.library, address.release)
    placed = None if pin is None else cache.find(pin, address.asset, wanted.form)
    return placed if placed is not None else _fetched(cache, address, wanted.form, chosen, options, pin)


def _fetched(
    cache: AssetCache, address: AssetAddress, as_: Form | None, server: str, options: SupplyOptions, pin: Pin | None
) -> PlacedAsset:
    """Fetches the asset at the revision in the cache if the service still has that, else at the current one."""
    from ._fetch import RevisionGoneError, open_supply
    from ._library import PAUSE_SECONDS, REVISIONS, too_fast

    supply = open_supply(server, options)
    try:
        for _ in range(REVISIONS):
            asked = pin or supply.current(address.library, address.release)
            try:
                placed = _fetch(cache, asked, address.asset, as_, supply)
                cache.remember(asked)
                return placed
            except (RevisionGoneError, NotFound) as error:
                # An asset that is missing from the known revision may have been added since.
                if pin is None and isinstance(error, NotFound):
                    raise
            pin = None
            time.sleep(PAUSE_SECONDS)
        raise too_fast(address.library)
    finally:
        supply.close()


def _entry_point(placed: PlacedAsset, asset: str, name: str) -> str:
    if name in placed.entry_points:
        return placed.entry_points[name]
    names = ", ".join(map(describe, sorted(placed.entry_points)))
    raise BinderyError(f"{asset} has no entry point {describe(name)}; it has {names or 'none'}.")


def _chosen(placed: PlacedAsset, asset: str, file: str | None) -> str:
    """Returns the path of a file in the library: the requested one, else the entry, else the only one."""
    if file is not None:
        if file not in placed.files:
            raise BinderyError(f"{asset} has no file {describe(file)}.")
        return file
    if placed.entry is not None:
        return placed.entry
    if len(placed.files) == 1:
        return placed.files[0]
    raise BinderyError(f"{asset} declares no entry. Choose one of its {len(placed.files)} files with file=, for example {placed.files[0]!r}.")
