"""Publishes a folder as one asset of a library: a new one, or in place of the one with its id."""

import hashlib
import io
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._errors import BinderyError, IntegrityError, NotFound, ServiceError, describe
from ._folder import Folder
from ._hash_cache import HashCache
from ._http import Http
from ._library import (
    BATCH,
    PresignedUrls,
    RevisionSupersededError,
    checked,
    library_path,
    naming,
    presign,
    read_current,
    too_fast,
)
from ._manifest import MANIFEST_PATH, SCHEMA, Manifest, WantedFile, read_manifest
from ._progress import Progress
from ._publishable import publishable_files
from ._schema import pick, size
from ._transfer import Memory, Source, receive
from ._upload import PATIENCE_SECONDS, Upload, authorize, send_all

_CURATION = ".bindery/source/bindery.yml"
_VECTORS = ".bindery/vectors.json"
_METADATA = ("title", "description", "category", "tags", "license", "attribution", "upstream", "meta")
# Files from which metadata may have been derived, so that it is not kept if they have changed.
_DESCRIBING = re.compile(
    r"(?:^|/)(?:(?:licen[cs]es?|copying|unlicense|notice|legal)(?:[-_. ][^/]*)?|readme(?:\.[^/]*)?"
    r"|package\.xml|model\.config|[^/]*\.json)$",
    re.IGNORECASE,
)
_registered = pick({"revision": size})


@dataclass(frozen=True)
class Added:
    """An asset as it was published. `sent` is the number of files that the service did not have. `left_out` are the
    paths in the folder that are never published, each with its reason; `removed` are the texts and licences of the
    replaced asset that this one does not have. If nothing has changed, `revision` is the one that there was."""

    library: str
    asset: str
    revision: int
    sent: int
    left_out: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Head:
    """What the library has. `sha256` is that of its manifest."""

    revision: int
    manifest: Manifest
    sha256: str | None


def add(
    http: Http,
    library: str,
    folder: str,
    asset_id: str,
    stated: Mapping[str, Any],
    *,
    replace: bool,
    create: bool,
    progress: bool | None,
) -> Added:
    """See `Service.add`. `stated` has the keys of a manifest; `entry` is relative to the folder."""
    path = library_path(library)
    # So that whoever may not write is told before anything is compared or read.
    with naming(library):
        authorize(http, path, [Upload(MANIFEST_PATH, 0, hashlib.sha256().hexdigest(), io.BytesIO)])
    head = _read_head(http, library, create)
    earlier = _refuse_existing(head, library, asset_id, replace)
    with HashCache(folder) as hashes:
        files, left_out = publishable_files(Folder(folder, hashes), library)
    asset = _asset(folder, asset_id, stated, files)
    uploads = [_file_upload(folder, asset_id, name, *found) for name, found in files.items()]
    sent, published = 0, None
    for _ in range(2):
        earlier = _refuse_existing(head, library, asset_id, replace or head.sha256 == published)
        whole = asset | _kept(asset, earlier or {}, head.manifest)
        removed = tuple(key for key in _METADATA if (earlier or {}).get(key) and not whole.get(key))
        if earlier is not None and (_as_compared(whole) == _as_compared(earlier) or head.sha256 == published):
            return Added(library, asset_id, head.revision, sent, left_out, removed)
        try:
            made = {} if earlier is None else _without_traces(http, library, head.manifest, asset_id)
            manifest = _with_asset(head.manifest, whole, earlier)
            data = _written(manifest, library)
            published = hashlib.sha256(data).hexdigest()
            kept = _artifacts(http, path, [name for name in manifest.get("generated", ()) if name not in made])
            fresh = [_upload(name, content) for name, content in made.items()]
            shown = Progress(library, sum(upload.size for upload in uploads), progress)
            try:
                sent += send_all(http, path, uploads, shown)
            finally:
                shown.close()
            send_all(http, path, [*fresh, _upload(MANIFEST_PATH, data)], Progress(library, 0, False))
            artifacts = [*kept, *({"path": one.path, "size": one.size, "sha256": one.sha256} for one in fresh)]
            revision = _register(http, path, head.revision, published, artifacts)
            return Added(library, asset_id, revision, sent, left_out, removed)
        except RevisionSupersededError:
            pass
        except ServiceError as error:
            if error.code != "revision_conflict":
                raise
        head = _read_head(http, library, create)
    if head.sha256 == published:
        return Added(library, asset_id, head.revision, sent, left_out, removed)
    raise too_fast(library)


def _file_upload(folder: str, asset_id: str, name: str, length: int, sha256: str) -> Upload:
    opener = lambda path, flags: os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)  # noqa: E731
    return Upload(f"{asset_id}/{name}", length, sha256, lambda: open(os.path.join(folder, name), "rb", opener=opener))


def _read_head(http: Http, library: str, create: bool) -> _Head:
    try:
        revision, data = read_current(http, library)
    except NotFound:
        if create:
            return _Head(0, {"schema": SCHEMA, "assets": []}, None)
        raise
    return _Head(revision, read_manifest(data, library), hashlib.sha256(data).hexdigest())


def _refuse_existing(head: _Head, library: str, asset_id: str, replace: bool) -> dict[str, Any] | None:
    """Returns the asset that has the id, None if there is none."""
    earlier = next((asset for asset in head.manifest["assets"] if asset["id"] == asset_id), None)
    if earlier is not None and not replace:
        raise BinderyError(f"{library} already has an asset {asset_id!r}. With replace=True, this one takes its place.")
    return earlier


def _asset(folder: str, asset_id: str, stated: Mapping[str, Any], files: Mapping[str, tuple[int, str]]) -> dict[str, Any]:
    entry = stated.get("entry")
    if entry is not None and entry not in files:
        raise BinderyError(f"{folder} has no file {describe(entry)} to be published, which is to be the entry.")
    named = {"entry": f"{asset_id}/{entry}"} if entry is not None else {}
    listed = [{"path": f"{asset_id}/{name}", "size": length, "sha256": sha256} for name, (length, sha256) in files.items()]
    return {"id": asset_id, **stated, **named, "files": listed}


def _hashes(asset: Mapping[str, Any]) -> dict[str, str]:
    return {file["path"]: file["sha256"] for file in asset.get("files", ())}


def _as_compared(asset: Mapping[str, Any]) -> dict[str, Any]:
    return {**asset, "files": _hashes(asset)}


def _kept(asset: Mapping[str, Any], earlier: Mapping[str, Any], manifest: Manifest) -> dict[str, Any]:
    """Returns what an asset keeps of the one that it replaces, as far as nothing else is stated and its files are there."""
    own, before = _hashes(asset), _hashes(earlier)
    if not own.keys() & before.keys():
        return {}
    kept = {key: earlier[key] for key in ("kind", "format") if key in earlier and "kind" not in asset}
    if earlier.get("entry") in own:
        kept["entry"] = earlier["entry"]
    points = {name: point for name, point in earlier.get("entryPoints", {}).items() if point["file"] in own}
    if points:
        kept["entryPoints"] = points
    if earlier.get("thumbnail") in own or (own == before and "thumbnail" in earlier):
        kept["thumbnail"] = earlier["thumbnail"]
    meta = dict(earlier.get("meta", {}))
    if own != before:
        # These were measured of the files.
        meta.pop("statistics", None)
    if not any(_DESCRIBING.search(path) and own.get(path) != sha256 for path, sha256 in before.items()):
        kept |= {key: earlier[key] for key in _METADATA if key in earlier and key != "meta"} | ({"meta": meta} if meta else {})
    return {key: value for key, value in kept.items() if key not in asset}


def _without_traces(http: Http, library: str, manifest: Manifest, asset_id: str) -> dict[str, bytes]:
    """Returns the artifacts that change when an asset is replaced: the list of vectors, without the asset's. Raises
    `BinderyError` if the library's `bindery.yml` describes the asset, since only the command line edits that file."""
    generated = manifest.get("generated", ())
    if _CURATION in generated:
        described = re.compile(rf"(?:^|[{{,])[ \t]*(['\"]?){re.escape(asset_id)}\1[ \t]*:", re.MULTILINE)
        if described.search(_read_artifact(http, library, _CURATION).decode(errors="replace")):
            raise BinderyError(
                f"The bindery.yml of {library} describes {asset_id!r}, and would no longer fit. Replace the asset with "
                "'bindery library add --replace', which edits that file, or push the folder that has it."
            )
    if _VECTORS not in generated:
        return {}
    try:
        vectors = json.loads(_read_artifact(http, library, _VECTORS))
        items = [item for item in vectors["items"] if item["id"] != asset_id]
        return {_VECTORS: json.dumps({**vectors, "items": items}).encode()} if len(items) < len(vectors["items"]) else {}
    except (ValueError, KeyError, TypeError):
        # The service ignores a list that it cannot read.
        return {}


def _read_artifact(http: Http, library: str, path: str) -> bytes:
    at = library_path(library)
    given = presign(http, at, [path])[path]
    file, memory = WantedFile(path, given.size, given.sha256, path), Memory()
    receive(file, memory, Source(http, PresignedUrls(http, at, [file])))
    if memory.sha256() != file.sha256:
        raise IntegrityError(f"{path!r} of {library} does not match its SHA-256 and was discarded.")
    return memory.content()


def _with_asset(manifest: Manifest, asset: dict[str, Any], earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns a manifest with an asset, without the pictures and certificates that were made of the earlier one."""
    others = [one for one in manifest["assets"] if one["id"] != asset["id"]]
    used = {one.get("thumbnail") for one in (*others, asset)}
    same = earlier is not None and _hashes(earlier) == _hashes(asset) and earlier.get("entry") == asset.get("entry")
    certificates = {f".bindery/certificates/{asset['id']}{ending}" for ending in (".json", ".webp")}
    generated = [
        path
        for path in manifest.get("generated", ())
        if (path in used or not path.startswith(".bindery/thumbs/")) and (same or path not in certificates)
    ]
    return {**manifest, "schema": SCHEMA, "assets": [*others, asset], **({"generated": generated} if generated else {})}


def _written(manifest: Manifest, library: str) -> bytes:
    data = json.dumps(manifest, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass")
    try:
        read_manifest(data, library)
    except IntegrityError as error:
        raise BinderyError(f"{error} Nothing was published.") from None
    return data


def _upload(path: str, data: bytes) -> Upload:
    return Upload(path, len(data), hashlib.sha256(data).hexdigest(), lambda: io.BytesIO(data))


def _artifacts(http: Http, library_path: str, paths: list[str]) -> list[dict[str, Any]]:
    """Returns the platform artifacts that the library keeps, as a register names them."""
    return [
        {"path": path, "size": given.size, "sha256": given.sha256}
        for at in range(0, len(paths), BATCH)
        for path, given in presign(http, library_path, paths[at : at + BATCH]).items()
    ]


def _register(http: Http, library_path: str, expected: int, sha256: str, artifacts: list[dict[str, Any]]) -> int:
    patient = http.clone(PATIENCE_SECONDS)
    body = {"expectedRevision": expected, "manifestSha256": sha256, "artifacts": artifacts}
    try:
        answer = patient.post_json(f"{library_path}/register", body)
        return int(checked(patient, answer, _registered)["revision"])
    finally:
        patient.close()
