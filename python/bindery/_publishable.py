"""What of a folder may be published: the rules of the command line that need no other files to decide."""

import os
import re
from collections.abc import Iterator

from ._errors import BinderyError, IntegrityError, describe
from ._folder import Folder
from ._names import STRICTEST, refuse_collisions, user_path_problem

_SYSTEM_NAMES = {"thumbs.db", "desktop.ini", "__macosx", "$recycle.bin", "system volume information"}
_SECRET_NAMES = re.compile(
    r"(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|_netrc|credentials(?:\.(?:json|ya?ml|toml|ini|csv))?"
    r"|client_secret[\w.-]*\.json|service[-_]account[\w.-]*\.json|.+\.(?:ppk|p12|pfx|jks|keystore|kdbx))",
    re.IGNORECASE,
)
_KEY_NAMES = re.compile(r".*\.(?:pem|key)", re.IGNORECASE)
_PRIVATE_KEY = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_KEY_BYTES = 64 * 1024
_RULES = (".gitignore", ".binderyignore")


def publishable_files(folder: Folder, library: str) -> tuple[dict[str, tuple[int, str]], tuple[str, ...]]:
    """Returns size and SHA-256 of the files by their paths in the folder, and what is left out, with the reasons.

    Raises `BinderyError` if the folder has rules that only the command line reads, or nothing to publish.
    """
    files, left_out = {}, []
    for path, reason in _walk(folder.root, ""):
        if reason is not None:
            left_out.append(f"{path} ({reason})")
            continue
        problem = user_path_problem(path)
        if problem is not None:
            raise BinderyError(f"{folder.root}: {describe(path)} {problem}. Rename it.")
        found = folder.digest(path)
        if found is None:
            raise BinderyError(f"{os.path.join(folder.root, path)} changed while it was being read, or cannot be read.")
        files[path] = found
    if not files:
        raise BinderyError(f"{folder.root} has no files to publish.")
    try:
        refuse_collisions(files, folder.root, STRICTEST)
    except IntegrityError as error:
        raise BinderyError(f"{error} Rename one.") from None
    return files, tuple(left_out)


def _walk(root: str, above: str) -> Iterator[tuple[str, str | None]]:
    """Yields files, and what is left out with the reason."""
    with os.scandir(os.path.join(root, above)) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path = f"{above}{entry.name}"
        if entry.name in _RULES or path == "bindery.yml":
            raise BinderyError(
                f"{os.path.join(root, path)} says what of the folder is published, and how; only the command line reads it: "
                "run 'bindery library add'."
            )
        reason = _reason(entry)
        if reason is None and entry.is_dir(follow_symlinks=False):
            yield from _walk(root, f"{path}/")
        else:
            yield path, reason


def _reason(entry: os.DirEntry[str]) -> str | None:
    if entry.name.startswith("."):
        return "hidden"
    if entry.name.lower() in _SYSTEM_NAMES:
        return "system file"
    if entry.is_symlink():
        return "link"
    if entry.is_dir():
        return None
    if not entry.is_file():
        return "not a regular file"
    return "likely secret" if _is_secret(entry) else None


def _is_secret(entry: os.DirEntry[str]) -> bool:
    if _SECRET_NAMES.fullmatch(entry.name):
        return True
    if not _KEY_NAMES.fullmatch(entry.name):
        return False
    with open(entry.path, "rb") as file:
        return _PRIVATE_KEY.search(file.read(_KEY_BYTES)) is not None
