"""A project's `assets.yml`, as far as it concerns users of its lock."""

import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._errors import LockError, describe
from ._names import trusted_part, user_path_problem
from ._schema import Steps, ValidationError, list_of, matching, record, text

FILE_NAME = "assets.yml"
DEFAULT_FOLDER = "assets"
MAX_BYTES = 1024 * 1024
MAX_DEPTH = 8

_TOKEN = re.compile(r"\s*([()]|[A-Za-z0-9.+:-]+)")


class Project(NamedTuple):
    """`uses` is None if there is no `assets.yml`: the lock is then authoritative."""

    folder: str = DEFAULT_FOLDER
    deny_licenses: tuple[str, ...] = ()
    uses: tuple[str, ...] | None = None
    server: str | None = None


def read_project(folder: str) -> Project:
    """Reads the `assets.yml` of a folder. Raises `LockError` if it breaks a rule, or cannot be read because the package
    PyYAML is missing."""
    file = os.path.join(folder, FILE_NAME)
    try:
        with open(file, "rb") as content:
            data = content.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Project()
    except OSError as error:
        raise LockError(f"{file} cannot be read: {error.strerror}.") from None
    try:
        document = _parse(data, file)
        _check(document, ())
    except ValidationError as error:
        raise LockError(f"{file} breaks the rules of the format: {error}.") from None
    uses = tuple(sorted({_use(item) for item in document.get("assets") or ()}))
    denied = tuple(document.get("deny_licenses") or ())
    return Project(document.get("folder", DEFAULT_FOLDER).removesuffix("/"), denied, uses, _server(document.get("server")))


def _server(value: str | None) -> str | None:
    return None if value is None else value.rstrip("/")


def _use(item: Any) -> str:
    """Returns a use in the notation of the lock, so that equal uses can be compared."""
    if isinstance(item, str):
        return _written(item)
    use, name = _written(item["use"]), item.get("as")
    return use if name is None or name == use.rpartition("/")[2] else f"{use} as {name}"


def _written(use: str) -> str:
    address, mark, facts = use.partition("?")
    if mark == "" or address.count("/") != 1:
        return use
    return address + mark + "&".join(sorted(facts.split("&"), key=lambda fact: fact.partition("=")[0]))


def _parse(data: bytes, file: str) -> Any:
    try:
        import yaml
    except ImportError:
        raise LockError(f"{file} is YAML. Install the package 'PyYAML' to read it (pip install PyYAML).") from None

    if len(data) > MAX_BYTES:
        raise ValidationError((), f"at most {MAX_BYTES} bytes")
    try:
        depth = 0
        for event in yaml.parse(data, yaml.SafeLoader):  # type: ignore[no-untyped-call]
            if isinstance(event, yaml.AliasEvent):
                raise LockError(f"{file}: aliases are not allowed.")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise LockError(f"{file} is nested too deeply.")
        root = yaml.compose(data, yaml.SafeLoader)  # type: ignore[no-untyped-call]
        return {} if root is None else _value(root, file)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f", line {mark.line + 1}" if mark is not None else ""
        raise LockError(f"{file}{place}: {error.problem or 'not valid YAML'}.") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise LockError(f"{file} is not valid YAML.") from None


def _value(node: Any, file: str) -> Any:
    """Converts maps, lists, text and null; refuses duplicate keys."""
    if node.id == "sequence":
        return [_value(item, file) for item in node.value]
    if node.id == "mapping":
        value: dict[str, Any] = {}
        for key, item in node.value:
            if key.value in value or key.id != "scalar":
                raise LockError(f"{file}, line {key.start_mark.line + 1}: duplicate key {describe(key.value)}.")
            value[key.value] = _value(item, file)
        return value
    return None if node.tag == "tag:yaml.org,2002:null" else node.value


def _item(value: Any, at: Steps) -> None:
    (text(1_000) if isinstance(value, str) else _named)(value, at)


def _folder(value: Any, at: Steps) -> None:
    text(500)(value, at)
    problem = user_path_problem(value.removesuffix("/"))
    if trusted_part(value) is not None:
        problem = "is a folder that other programs trust"
    if problem is not None:
        raise ValidationError(at, f"{describe(value)} {problem}")


def _nullable_list(check: Any) -> Any:
    return lambda value, at: None if value is None else check(value, at)


_named = record({"use": text(1_000), "as": matching("[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}", "a name")}, required=("use",))
_check = record(
    {
        "server": text(500),
        "folder": _folder,
        "deny_licenses": _nullable_list(list_of(text(120), most=1_000)),
        "assets": _nullable_list(list_of(_item, most=10_000)),
    }
)


def is_denied(license_: str, denied: Sequence[str]) -> bool:
    """Whether an SPDX expression cannot be satisfied without a denied licence: `MIT OR GPL-3.0-only` can, if only the
    latter is denied. Text that is not an expression is compared literally. Case-insensitive."""
    names = {name.lower() for name in denied}
    tokens = _tokens(license_)
    try:
        refused = _any_of(tokens, names)
    except (IndexError, RecursionError):
        return license_.strip().lower() in names
    return refused if not tokens else license_.strip().lower() in names


def _tokens(text: str) -> list[str]:
    """Returns the tokens in reverse order, to be popped from the end; empty if the text is not an expression."""
    found, at = [], 0
    while match := _TOKEN.match(text, at):
        found.append(match[1])
        at = match.end()
    return list(reversed(found)) if text[at:].strip() == "" else []


def _any_of(tokens: list[str], names: set[str]) -> bool:
    sides = [_all_of(tokens, names)]
    while tokens and tokens[-1].upper() == "OR":
        tokens.pop()
        sides.append(_all_of(tokens, names))
    return all(sides)


def _all_of(tokens: list[str], names: set[str]) -> bool:
    sides = [_one(tokens, names)]
    while tokens and tokens[-1].upper() == "AND":
        tokens.pop()
        sides.append(_one(tokens, names))
    return any(sides)


def _one(tokens: list[str], names: set[str]) -> bool:
    token = tokens.pop()
    if token == "(":
        refused = _any_of(tokens, names)
        if tokens.pop() != ")":
            raise IndexError
        return refused
    license_ = token.lower()
    spellings = {license_, license_.removesuffix("+")}
    if tokens and tokens[-1].upper() == "WITH":
        tokens.pop()
        spellings.add(f"{license_} with {tokens.pop().lower()}")
    return not spellings.isdisjoint(names)
