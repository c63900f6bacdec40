"""Licences that a project refuses."""

import re
from collections.abc import Sequence

_TOKEN = re.compile(r"\s*([()]|[A-Za-z0-9.+:-]+)")


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
