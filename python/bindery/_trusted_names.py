"""Names that other programs trust: nothing of a library is placed at or below them."""

import re
import unicodedata

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
