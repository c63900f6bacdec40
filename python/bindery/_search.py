"""Finds assets by a search, and describes one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._errors import NotFound
from ._http import Http
from ._library import asset_path, checked, library_path, naming, release_query
from ._names import LibraryAddress
from ._schema import boolean, list_of, number, pick, sha256, size, text

# Values of a filter.
Values = str | Iterable[str] | None

# Of licences; others are names of licences.
_CLASSES = frozenset(["permissive", "attribution", "copyleft", "non-commercial", "public-domain", "unstated"])

_skipped = pick({"library": text(), "reason": text()})
_maybe = text(nullable=True)
_described = {
    **dict.fromkeys(["title", "description", "category", "format", "license", "entry", "thumbnailUrl"], _maybe),
    "tags": list_of(text()),
    "kind": text(),
}
_counted = pick({"count": size, "bytes": size})
_found = {"assetId": text(), **_described, "score": number, "files": _counted, "digest": text()}
_part = pick({"text": text(), "filter": text(), "values": list_of(text())})
_envelope = {"total": size, "semantic": boolean}
_maybe_there = {"understood": list_of(_part), "partial": pick({"searched": size, "libraries": size})}
_one = pick({"hits": list_of(pick(_found)), **_envelope}, _maybe_there)
_placed = pick({"namespace": text(), "library": text(), **_found})
_several = pick({"hits": list_of(_placed), **_envelope, "skipped": list_of(_skipped)}, _maybe_there)
_file = pick({"path": text(), "url": text(), "size": size, "sha256": sha256})
_detail = pick({"id": text(), **_described, "attribution": _maybe, "meta": pick({}), "files": list_of(_file)})
_row = pick({"licenses": list_of(text())})


@dataclass(frozen=True, kw_only=True)
class _Described:
    library: str
    title: str | None
    description: str | None
    category: str | None
    kind: str
    format: str | None
    tags: tuple[str, ...]
    license: str | None
    entry: str | None
    thumbnail_url: str | None
    raw: dict[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Hit(_Described):
    """An asset that a search found. `library` is `namespace/name`, with `@release` if a release was searched; `asset` is the
    id. `bytes` is the total size of its `file_count` files. `raw` is the hit as the service sent it."""

    asset: str
    score: float
    file_count: int
    bytes: int
    digest: str

    @property
    def address(self) -> str:
        """What `path`, `pull` and `inspect` take."""
        return f"{self.library}/{self.asset}"


@dataclass(frozen=True, kw_only=True)
class AssetFile:
    """A file of an asset; `url` is presigned and expires within the hour."""

    path: str
    size: int
    sha256: str
    url: str = field(repr=False)


@dataclass(frozen=True)
class MissingFiles:
    """Files that the models of an asset name and that the library does not have: how many, and the names of at most ten."""

    total: int
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Asset(_Described):
    """An asset with its files, as its library describes it. `raw` is what the service sent."""

    id: str
    attribution: str | None
    meta: dict[str, Any]
    files: tuple[AssetFile, ...]

    @property
    def address(self) -> str:
        """What `path` and `pull` take."""
        return f"{self.library}/{self.id}"

    @property
    def missing(self) -> MissingFiles | None:
        """What the push that published it found missing; `None` if nothing."""
        missing = self.meta.get("missing")
        if not isinstance(missing, dict):
            return None
        total, names = missing.get("total"), missing.get("names")
        if not isinstance(total, int) or not isinstance(names, list):
            return None
        return MissingFiles(total, tuple(names)) if all(isinstance(name, str) for name in names) else None


@dataclass(frozen=True)
class SearchResult:
    """The hits; `total` counts all, `semantic` reports whether the search used vectors. `skipped` lists libraries that were
    left out, each with `library` and `reason`: `not_found` or `unavailable`. `understood` lists the parts of the query that
    were read as filters, each with `text`, `filter` and `values`. `partial`, with `searched` and `libraries`, says that the
    service had no room to search all libraries."""

    hits: list[Hit]
    total: int
    semantic: bool
    skipped: list[dict[str, Any]] = field(default_factory=list)
    understood: list[dict[str, Any]] = field(default_factory=list)
    partial: dict[str, int] | None = None


def search(
    http: Http, query: str, libraries: str | Iterable[str] | None, filters: Mapping[str, Values], page: Mapping[str, Any]
) -> SearchResult:
    """See `Service.search`."""
    names = None if libraries is None else [libraries] if isinstance(libraries, str) else list(libraries)
    if names == []:
        raise ValueError("no libraries given; omit them to search everything that you can read")
    listed = {name: _listed(name, values) for name, values in filters.items()}
    asked: dict[str, Any] = {"q": query, **listed, **page}
    if names is None:
        if asked.pop("rank") == "specified":
            raise ValueError('rank="specified" needs libraries')
        return _result(checked(http, http.get_json("/search", _given(asked)), _several))
    if asked["rank"] is None and _is_extended(listed):
        asked["rank"] = "relevance"
    found = _search_in(http, names, asked)
    license_ = asked["license"]
    if found.total > 0 or asked["rank"] == "relevance" or len(license_) != 1:
        return found
    written = _spelling(http, names, license_[0])
    return found if written is None else _search_in(http, names, {**asked, "license": [written]})


def _is_extended(listed: Mapping[str, list[str]]) -> bool:
    """Whether there are filters that are only answered by relevance."""
    others = any(values for name, values in listed.items() if name not in ("category", "kind", "license", "tag"))
    return others or any(license_.lower() in _CLASSES for license_ in listed["license"])


def _search_in(http: Http, names: list[str], asked: Mapping[str, Any]) -> SearchResult:
    if len(names) > 1:
        for name in names:
            library_path(name)
        return _result(checked(http, http.get_json("/library-search", _given({**asked, "libraries": ",".join(names)})), _several))
    library, release = _release_of(names[0])
    with naming(names[0]):
        answer = http.get_json(f"{library_path(library)}/search", _given({**asked, "release": release}))
    return _result(checked(http, answer, _one), names[0])


def _spelling(http: Http, names: list[str], typed: str) -> str | None:
    """Returns a licence in the letter case that the libraries use, because `rank=specified` compares exactly."""
    found: set[str] = set()
    for name in names:
        library, release = _release_of(name)
        try:
            row = checked(http, http.get_json(library_path(library), _given({"release": release})), _row)
        except NotFound:
            continue
        found.update(license_ for license_ in row["licenses"] if license_.lower() == typed.lower())
    if len(found) > 1:
        raise ValueError(f"license={typed!r} is ambiguous: use {' or '.join(map(repr, sorted(found)))}")
    return next(iter(found), None)


def _release_of(name: str) -> tuple[str, str | None]:
    library, mark, release = name.partition("@")
    return library, release if mark else None


def _listed(name: str, values: Values) -> list[str]:
    listed = [] if values is None else [values] if isinstance(values, str) else list(values)
    # The manifest allows these in lower case only.
    return [value.lower() for value in listed] if name in ("category", "kind") else listed


def _given(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value not in (None, [])}


def _result(answer: Mapping[str, Any], library: str | None = None) -> SearchResult:
    hits = [_hit(hit, library or f"{hit['namespace']}/{hit['library']}") for hit in answer["hits"]]
    skipped, understood, partial = answer.get("skipped", []), answer.get("understood", []), answer.get("partial")
    return SearchResult(hits, answer["total"], answer["semantic"], skipped, understood, partial)


def _hit(hit: dict[str, Any], library: str) -> Hit:
    return Hit(
        library=library,
        asset=hit["assetId"],
        **_description(hit),
        score=hit["score"],
        file_count=hit["files"]["count"],
        bytes=hit["files"]["bytes"],
        digest=hit["digest"],
        raw=hit,
    )


def inspect(http: Http, address: LibraryAddress) -> Asset:
    """See `Service.inspect`."""
    library, release, (asset,) = address
    name = library if release is None else f"{library}@{release}"
    with naming(name):
        found = checked(http, http.get_json(f"{asset_path(library, asset)}{release_query(release)}"), _detail)
    files = [AssetFile(**{key: file[key] for key in ("path", "size", "sha256", "url")}) for file in found["files"]]
    return Asset(
        library=name,
        id=found["id"],
        **_description(found),
        attribution=found["attribution"],
        meta=found["meta"],
        files=tuple(files),
        raw=found,
    )


def _description(found: Mapping[str, Any]) -> dict[str, Any]:
    same = ("title", "description", "category", "kind", "format", "license", "entry")
    rest = {"tags": tuple(found["tags"]), "thumbnail_url": found["thumbnailUrl"]}
    return {key: found[key] for key in same} | rest
