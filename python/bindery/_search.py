"""Finds assets by a search."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ._errors import NotFound
from ._http import Http
from ._library import checked, library_path, naming
from ._schema import boolean, list_of, pick, size, text

# Values of a filter.
Values = str | Iterable[str] | None

_skipped = pick({"library": text(), "reason": text()})
_one = pick({"hits": list_of(pick({})), "total": size, "semantic": boolean})
_several = pick({"hits": list_of(pick({})), "total": size, "semantic": boolean, "skipped": list_of(_skipped)})
_row = pick({"licenses": list_of(text())})


@dataclass(frozen=True)
class SearchResult:
    """Hits as returned by the service, with `namespace` and `library`; `total` counts all, `semantic` reports whether the
    search used vectors. `skipped` lists libraries that were left out, each with `library` and `reason`: `not_found` or
    `unavailable`."""

    hits: list[dict[str, Any]]
    total: int
    semantic: bool
    skipped: list[dict[str, Any]] = field(default_factory=list)


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
    found = _search_in(http, names, asked)
    license_ = asked["license"]
    if found.total > 0 or asked["rank"] == "relevance" or len(license_) != 1:
        return found
    written = _spelling(http, names, license_[0])
    return found if written is None else _search_in(http, names, {**asked, "license": [written]})


def _search_in(http: Http, names: list[str], asked: Mapping[str, Any]) -> SearchResult:
    if len(names) > 1:
        for name in names:
            library_path(name)
        return _result(checked(http, http.get_json("/library-search", _given({**asked, "libraries": ",".join(names)})), _several))
    library, release = _release_of(names[0])
    with naming(names[0]):
        answer = http.get_json(f"{library_path(library)}/search", _given({**asked, "release": release}))
    found = _result(checked(http, answer, _one))
    namespace, name = library.split("/")
    hits = [{"namespace": namespace, "library": name, **hit} for hit in found.hits]
    return SearchResult(hits, found.total, found.semantic)


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


def _result(answer: Mapping[str, Any]) -> SearchResult:
    return SearchResult(answer["hits"], answer["total"], answer["semantic"], answer.get("skipped", []))
