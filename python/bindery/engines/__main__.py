"""
`python -m bindery.engines --versions NAME…` prints which of these engines are installed, as `{name: version or null}`.

`python -m bindery.engines NAME` reads a request of `_trials.py` from standard input, and prints what the engine measured, or
`{"refused": why}` in the engine's own words.
"""

import ctypes
import json
import os
import resource
import sys
import tempfile
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

from ._trials import CannotRun, measure

ENGINES = ("newton", "pybullet")
_MAX_WORDS = 600
_MAX_SAID = 2**16
_MAX_FILE_BYTES = 256 * 2**20


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--versions"]:
        print(json.dumps({name: _version(name) for name in arguments[1:]}))
        return
    [name] = arguments
    if name not in ENGINES:
        raise SystemExit(f'invalid engine "{name}": expected {" or ".join(ENGINES)}')
    request = json.load(sys.stdin)
    # Of the process that reads a stranger's file; a limit on what is mapped would also count what is never used.
    for limit, most in (
        (resource.RLIMIT_DATA, request["memoryBytes"]),
        (resource.RLIMIT_CPU, request["processorSeconds"]),
        (resource.RLIMIT_FSIZE, _MAX_FILE_BYTES),
    ):
        resource.setrlimit(limit, (most, most))
    with tempfile.TemporaryFile() as words:
        # Engines print what they cannot do, partly past Python.
        answer = os.fdopen(os.dup(1), "w")
        os.dup2(words.fileno(), 1)
        os.dup2(words.fileno(), 2)
        adapter = import_module(f"._{name}", __package__)
        begin = os.fstat(words.fileno()).st_size
        try:
            found = measure(adapter.Engine(request), request)
        except Exception as error:
            said = str(error) if isinstance(error, CannotRun) else f"{type(error).__name__}: {error}"
            sys.stdout.flush()
            ctypes.CDLL(None).fflush(None)
            found = {"refused": _refusal(said, os.pread(words.fileno(), _MAX_SAID, begin).decode(errors="replace"))}
        json.dump(found, answer, allow_nan=False)
        answer.close()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _refusal(error: str, said: str) -> str:
    warnings = [line.strip() for line in said.splitlines() if "warning" in line.lower() or "error" in line.lower()]
    return " ".join([error, *dict.fromkeys(warnings)])[:_MAX_WORDS]


main(sys.argv[1:])
