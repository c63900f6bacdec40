"""Manifests: the files of a library with their sizes and hashes."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._errors import IntegrityError, NotFound, describe
from ._names import artifact_path_problem, file_in_file, user_path_problem
from ._schema import JsonError, Steps, ValidationError, check_manifest, parse

SCHEMA = "bindery.assets/v1"
MANIFEST_PATH = ".bindery/manifest.json"
MAX_BYTES = 100 * 1024 * 1024
MAX_ASSETS = 50_000
MAX_FILES = 1_000_000
MAX_GENERATED = 60_000

Manifest = Mapping[str, Any]


class WantedFile(NamedTuple):
    """A file that a folder should contain. `remote_path` is its path in the library, which may differ."""

    path: str
    size: int
    sha256: str
    remote_path: str


def read_manifest(data: bytes, library: str) -> Manifest:
    """Reads a manifest received from a service. Raises `IntegrityError` if it breaks any rule of the format, as the
    service itself would; only the length of `meta` is not checked. A manifest of the earlier layout may omit its
    schema."""
    try:
        if len(data) > MAX_BYTES:
            raise ValidationError((), f"a manifest has at most {MAX_BYTES} bytes")
        document = parse(data)
        _check_schema(document)
        check_manifest(document, ())
        _check_counts(document)
        _check_paths(document)
        _check_ids(document)
        _check_references(document)
        _check_conflicts(document)
        checked: Manifest = document
        return checked
    except JsonError as error:
        raise IntegrityError(f"The manifest of {library} {error}.") from None
    except ValidationError as error:
        raise IntegrityError(f"The manifest of {library} breaks the rules of the format: {error}.") from None


def wanted_files(manifest: Manifest, library: str, asset_ids: Sequence[str] = ()) -> dict[str, WantedFile]:
    """Returns the files of some assets of a library by path; without ids, those of all."""
    assets = manifest["assets"]
    if asset_ids:
        by_id = {asset["id"]: asset for asset in assets}
        for asset_id in asset_ids:
            if asset_id not in by_id:
                raise NotFound(f"{library} has no asset {describe(asset_id)}.", 404, "asset_not_found")
        assets = [by_id[asset_id] for asset_id in asset_ids]
    return {
        path: WantedFile(path, int(file["size"]), file["sha256"], path)
        for asset in assets
        for file in asset["files"]
        for path in [file["path"]]
    }


def entry_of(manifest: Manifest, asset_id: str) -> str | None:
    """Returns the path of the file that opens an asset, None if it declares none."""
    for asset in manifest["assets"]:
        if asset["id"] == asset_id:
            entry: str | None = asset.get("entry")
            return entry
    return None


def refuse_file_in_file(paths: Iterable[str], library: str) -> None:
    """Refuses a selection of files in which one would also have to be a folder."""
    found = file_in_file(paths)
    if found is not None:
        inside, folder = map(describe, found)
        raise IntegrityError(f"{library}: {inside} cannot be inside {folder}, which is a file.")


def _check_schema(document: Any) -> None:
    schema = document.get("schema", SCHEMA) if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise ValidationError(("schema",), f"must be {SCHEMA!r} (received {describe(schema)}); a newer version of bindery might read it")


def _check_counts(manifest: Manifest) -> None:
    assets = manifest["assets"]
    counts = [
        ("assets", "assets", len(assets), MAX_ASSETS),
        ("assets", "file entries in all assets", sum(len(asset["files"]) for asset in assets), MAX_FILES),
        ("generated", "generated paths", len(manifest.get("generated", ())), MAX_GENERATED),
    ]
    for at, what, received, most in counts:
        if received > most:
            raise ValidationError((at,), f"at most {most} {what} (received {received})")


def _check_paths(manifest: Manifest) -> None:
    for at, asset in enumerate(manifest["assets"]):
        for index, file in enumerate(asset["files"]):
            problem = user_path_problem(file["path"])
            if problem is not None:
                raise ValidationError(("assets", at, "files", index, "path"), f"{describe(file['path'])} {problem}")
    for at, path in enumerate(manifest.get("generated", ())):
        problem = artifact_path_problem(path)
        if problem is not None:
            raise ValidationError(("generated", at), f"{describe(path)} {problem}")


def _check_ids(manifest: Manifest) -> None:
    seen = set()
    for at, asset in enumerate(manifest["assets"]):
        if asset["id"] in seen:
            raise ValidationError(("assets", at, "id"), f"{describe(asset['id'])} is used by an earlier asset")
        seen.add(asset["id"])


def _check_references(manifest: Manifest) -> None:
    """Checks that an asset's entry, entry points and thumbnail are among its files."""
    generated = set(manifest.get("generated", ()))
    for number, asset in enumerate(manifest["assets"]):
        at: Steps = ("assets", number)
        own = {file["path"] for file in asset["files"]}
        named: list[tuple[Steps, str]] = [(("entry",), asset["entry"])] if "entry" in asset else []
        for name, entry_point in asset.get("entryPoints", {}).items():
            named.append((("entryPoints", name, "file"), entry_point["file"]))
        for place, path in named:
            if path not in own:
                raise ValidationError((*at, *place), f"must be one of the asset's files (received {describe(path)})")
        thumbnail = asset.get("thumbnail")
        if thumbnail is not None and thumbnail not in own and thumbnail not in generated:
            rule = "must be one of the asset's files or of the generated paths"
            raise ValidationError((*at, "thumbnail"), f"{rule} (received {describe(thumbnail)})")


def _check_conflicts(manifest: Manifest) -> None:
    """Checks that a path has one hash and size, occurs once in an asset, and is not both a file and a folder."""
    files: dict[str, tuple[float, str]] = {}
    for number, asset in enumerate(manifest["assets"]):
        own = set()
        for index, file in enumerate(asset["files"]):
            path, content = file["path"], (file["size"], file["sha256"])
            at = ("assets", number, "files", index)
            if path in own:
                raise ValidationError(at, f"{describe(path)} is already in this asset")
            if files.setdefault(path, content) != content:
                raise ValidationError(at, f"{describe(path)} has another size or hash in an earlier asset")
            own.add(path)
    for paths in (files, {*manifest.get("generated", ()), MANIFEST_PATH}):
        found = file_in_file(paths)
        if found is not None:
            inside, folder = map(describe, found)
            raise ValidationError((), f"{inside} cannot be inside {folder}, which is itself a file")


def digest_of(files: Iterable[WantedFile]) -> str:
    """Returns `sha256:` and 64 hex digits over the lines `path`, `sha256` per file, sorted by the paths' UTF-8."""
    lines = sorted((file.path.encode(), file.sha256.encode()) for file in files)
    text = b"".join(path + b"\n" + sha256 + b"\n" for path, sha256 in lines)
    return f"sha256:{hashlib.sha256(text).hexdigest()}"
