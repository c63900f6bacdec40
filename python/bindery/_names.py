"""Names of libraries, releases and assets, paths of files, and names that are refused."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from ._errors import IntegrityError, describe

LIBRARY = "[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9._-]*"
RELEASE = "(?!latest$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
ASSET = "[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}"
MAX_PATH_BYTES = 1_024
MAX_SEGMENT_BYTES = 255
RESERVED_FOLDER = ".bindery"

_ADDRESS = re.compile(f"({LIBRARY})(?:@([^/]*))?(?:/({ASSET}))?")
_RELEASE = re.compile(RELEASE)
_FORBIDDEN = re.compile(r"[\0-\x1f\x7f-\x9f\\]")
# Folders and files, in lower case, in which other programs find what they run or believe; the same as the command line's.
TRUSTED = frozenset(
    # Version control and its hooks
    ".git .hg .svn .jj .bzr .husky .githooks .gitconfig .gitmodules .pre-commit-config.yaml git~1"
    # Editors and agents
    " .vscode .vscode-server .idea .cursor .windsurf .zed .fleet .devcontainer .claude .codex .gemini .continue .mcp.json"
    # Continuous integration
    " .github .gitlab .gitlab-ci.yml .circleci .forgejo .gitea .woodpecker .buildkite"
    # Keys and accounts
    " .ssh .gnupg .aws .azure .kube .docker .netrc .pypirc .config"
    # Shells, packages and environments
    " .bashrc .bash_profile .bash_login .bash_logout .profile .envrc .direnv .zshrc .zshenv .zprofile .zlogin .zlogout"
    " .local/bin .local/lib .npmrc .yarnrc .yarnrc.yml .yarn .pnpmfile.cjs .cargo .mvn .gradle .bundle .venv .ipython .jupyter".split()
)
_FINAL = re.compile(r"(?:::\$index_allocation)?[. ]*$", re.IGNORECASE)


class LibraryAddress(NamedTuple):
    """`release` is None for the current revision; without `assets`, it is the whole library."""

    library: str
    release: str | None
    assets: tuple[str, ...]


class AssetAddress(NamedTuple):
    """`release` is None for the current revision."""

    library: str
    release: str | None
    asset: str


def parse_address(text: str, asset: str | Iterable[str] | None = None) -> LibraryAddress:
    """Reads `ns/name`, `ns/name@release`, `ns/name/asset` and `ns/name@release/asset`. Raises `ValueError` for anything
    else, or if `asset` names another asset than the address."""
    found = _ADDRESS.fullmatch(text)
    if found is None or (found[2] is not None and _RELEASE.fullmatch(found[2]) is None):
        raise ValueError(f"invalid library {text[:200]!r}: expected 'namespace/name[@release][/asset]'")
    assets = (asset,) if isinstance(asset, str) else None if asset is None else tuple(dict.fromkeys(asset))
    if assets == ():
        raise ValueError("no assets given; omit them for the whole library")
    if assets is not None and found[3] is not None and assets != (found[3],):
        raise ValueError(f"conflicting assets: {text[:200]!r} and asset={asset!r}")
    return LibraryAddress(found[1], found[2], (found[3],) if found[3] is not None else assets or ())


def parse_asset_address(text: str) -> AssetAddress:
    """Reads `ns/name/asset` and `ns/name@release/asset`. Raises `ValueError` for anything else."""
    found = _ADDRESS.fullmatch(text)
    if found is None or found[3] is None or (found[2] is not None and _RELEASE.fullmatch(found[2]) is None):
        raise ValueError(f"invalid asset {text[:200]!r}: expected 'namespace/name[@release]/asset'")
    return AssetAddress(found[1], found[2], found[3])


def path_problem(path: str) -> str | None:
    """Returns why a path is not canonical, as the end of a sentence; None if it is."""
    try:
        encoded = path.encode()
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if _FORBIDDEN.search(path):
        return "has a backslash or a control character"
    segments = path.split("/")
    if any(segment in ("", ".", "..") for segment in segments):
        return 'has an empty, "." or ".." segment'
    if len(encoded) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if len(encoded) > MAX_SEGMENT_BYTES and any(len(part) > MAX_SEGMENT_BYTES for part in encoded.split(b"/")):
        return f"has a segment longer than {MAX_SEGMENT_BYTES} bytes"
    return None


def user_path_problem(path: str) -> str | None:
    """Like `path_problem`, for a user's file: not in the reserved folder, in any letter case."""
    problem = path_problem(path)
    if problem is None and path.split("/", 1)[0].lower() == RESERVED_FOLDER:
        return f'is inside "{RESERVED_FOLDER}/", which is reserved'
    return problem


def artifact_path_problem(path: str) -> str | None:
    """Like `path_problem`, for a platform artifact: in the reserved folder, and not the manifest itself."""
    problem = path_problem(path)
    if problem is not None:
        return problem
    if not path.startswith(f"{RESERVED_FOLDER}/"):
        return f'is not inside "{RESERVED_FOLDER}/"'
    return "is the manifest itself" if path == f"{RESERVED_FOLDER}/manifest.json" else None


def folders_of(path: str) -> Iterable[str]:
    """Yields every folder of a file's path, the outermost first."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def file_in_file(paths: Iterable[str]) -> tuple[str, str] | None:
    """Returns a path and a prefix of it that is itself a file; None if there is no such pair."""
    files = set(paths)
    for path in files:
        for folder in folders_of(path):
            if folder in files:
                return path, folder
    return None


class NameRules(NamedTuple):
    """How a file system compares names: whether `a` and `A`, and both forms of `é`, are the same file."""

    folds_case: bool
    folds_normalization: bool


STRICTEST = NameRules(folds_case=True, folds_normalization=True)

def collision(paths: Iterable[str], rules: NameRules) -> tuple[str, str] | None:
    """Returns two paths, of files or folders, that are the same under these rules; None if there are none."""
    seen: dict[str, str] = {}
    for path in paths:
        for name in (*folders_of(path), path):
            first = seen.setdefault(_fold(name, rules), name)
            if first != name:
                return first, name
    return None


def refuse_collisions(paths: Iterable[str], library: str, rules: NameRules) -> None:
    """Refuses names that collide in a folder with these rules. Called before anything is written."""
    met = collision(paths, rules)
    if met is not None:
        one, other = map(describe, met)
        by_case = len({_fold(name, NameRules(folds_case=True, folds_normalization=False)) for name in met}) == 1
        system = "a case-insensitive file system" if by_case else "a file system that normalizes Unicode"
        raise IntegrityError(f"{library}: {one} and {other} collide on {system}.")


def _fold(name: str, rules: NameRules) -> str:
    normal = unicodedata.normalize("NFC", name) if rules.folds_normalization else name
    return normal.upper().lower() if rules.folds_case else normal


def trusted_part(path: str) -> str | None:
    """Returns the part of a path that other programs trust, however a file system may spell it; None if there is none."""
    names = path.split("/")
    folded = [_folded(name) for name in names]
    for nth, name in enumerate(folded):
        if name in TRUSTED or "/".join(folded[nth : nth + 2]) in TRUSTED:
            return names[nth]
    return None


def _folded(name: str) -> str:
    """File systems ignore letter case, invisible characters, and final dots and spaces."""
    visible = (letter for letter in unicodedata.normalize("NFKC", name) if not _is_invisible(letter))
    return _FINAL.sub("", "".join(visible)).lower()


def _is_invisible(letter: str) -> bool:
    """Whether Unicode ignores the character by default, as far as that can be told without its data file."""
    code = ord(letter)
    return (
        unicodedata.category(letter) == "Cf"
        or letter in "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0000 <= code <= 0xE0FFF
    )

def one_address(endpoint: str | bool | None, server: str | bool | None) -> str | bool | None:
    """Returns the address of a service that was given by either of its two names. Raises `ValueError` for both."""
    if endpoint is not None and server is not None:
        raise ValueError("endpoint and server are the same argument; pass only one")
    return server if endpoint is None else endpoint
