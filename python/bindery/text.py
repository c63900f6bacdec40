"""Text of others, made fit for a message."""

import re

_MAX_MESSAGE = 1_000
_MAX_SHOWN = 80
# Control characters, line separators, marks that turn the direction of text around, and halves of characters.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def plain(text: str) -> str:
    """The text on one line, bounded in length, without anything that steers a terminal."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * _MAX_MESSAGE])
    return line if len(line) <= _MAX_MESSAGE else f"{line[:_MAX_MESSAGE]}…"


def describe(value: object) -> str:
    """What was received, bounded in length, for a message that says why it was refused."""
    if isinstance(value, str):
        return repr(value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}…")
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) > 2**64:
        return "a number of many digits"
    return str(value)
