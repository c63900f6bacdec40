"""Makes untrusted text safe for messages."""

import re

_MAX_MESSAGE = 1_000
_MAX_SHOWN = 80
# Control characters, line separators, bidirectional formatting characters, and surrogates.
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")


def plain(text: str) -> str:
    """Returns the text on one line, limited in length, without terminal control sequences."""
    line = _UNPRINTABLE.sub(" ", text[: 2 * _MAX_MESSAGE])
    return line if len(line) <= _MAX_MESSAGE else f"{line[:_MAX_MESSAGE]}…"


def describe(value: object) -> str:
    """Describes a received value, limited in length, for a message about why it was refused."""
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
