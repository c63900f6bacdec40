"""The server to use, and the token that `bindery login` stored for it."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from ._errors import NotAllowed

DEFAULT_SERVER = "http://127.0.0.1:7420"
SERVICE_NAME = "bindery"
ACCOUNT_NAME = "bindery-token"


def config_folder() -> Path:
    """Returns the folder of the command line's settings and encrypted tokens."""
    if folder := os.environ.get("BINDERY_CONFIG_DIR"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "bindery"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "bindery"


class Config(NamedTuple):
    """What `config.json` says about servers: the default one, the one last signed in to, others with a login."""

    remote_url: str | None = None
    login_url: str | None = None
    other_logins: tuple[str, ...] = ()


def read_config() -> Config:
    """Returns `config.json` without values of the wrong type; the empty one if there is none that can be read."""
    try:
        config = json.loads((config_folder() / "config.json").read_text("utf-8-sig"))
    except (OSError, ValueError):
        return Config()
    if not isinstance(config, dict):
        return Config()
    others = config.get("other_logins")
    return Config(
        _text(config.get("remote_url")),
        _text(config.get("login_url")),
        tuple(one for one in others if isinstance(one, str)) if isinstance(others, list) else (),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def choose_server(server: str | bool | None = None) -> str:
    """Returns the address of the service: as given; for None, `BINDERY_API_URL`, else the server that the command line
    uses, which is the one last signed in to; for `True`, `BINDERY_API_URL`, else the default."""
    if isinstance(server, str):
        return server.rstrip("/")
    named = os.environ.get("BINDERY_API_URL") or (None if server is True else read_config().remote_url)
    return str(named or DEFAULT_SERVER).rstrip("/")


def same_server(one: str, other: str) -> bool:
    """Whether a login for one may be sent to the other: the same address, or the same port of this machine's loopback."""
    if same_address(one, other):
        return True
    first, second = _parts(one), _parts(other)
    if first is None or second is None or not (_is_loopback(first[1]) and _is_loopback(second[1])):
        return False
    return first[2] == second[2]


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are the same, however they are written."""
    parts = _parts(one)
    return parts is not None and parts == _parts(other)


def _parts(address: str) -> tuple[str, str, int | None, str] | None:
    """Returns the scheme, host, port and path of an address."""
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port, parts.path.rstrip("/")) if parts.hostname else None


def _is_loopback(host: str) -> bool:
    return re.fullmatch(r"localhost|::1|127(\.[0-9]{1,3}){3}", host) is not None


def find_token(server: str) -> str | None:
    """Returns the token to use for a server, or None: `BINDERY_TOKEN`, else the login that is stored for this server.

    With `keyring` installed the login is read from the OS keychain only, otherwise, or with `BINDERY_NO_KEYCHAIN=1`, from
    the encrypted file only. Raises `NotAllowed` with instructions if the login cannot be read or is for another server.
    """
    if token := os.environ.get("BINDERY_TOKEN", "").strip():
        return token
    config = read_config()
    own = config.login_url
    if own is None or same_server(own, server):
        return _stored_token(ACCOUNT_NAME)
    for other in config.other_logins:
        if same_server(other, server):
            return _stored_token(f"{ACCOUNT_NAME}@{other}")
    if _stored_token(ACCOUNT_NAME) is not None:
        raise NotAllowed(f"Your login is for {own.rstrip('/')}; no login is used for {server}.")
    return None


def _stored_token(account: str) -> str | None:
    folder = config_folder()
    has_keychain = importlib.util.find_spec("keyring") is not None
    if not has_keychain or os.environ.get("BINDERY_NO_KEYCHAIN") == "1":
        return _from_encrypted_file(folder, account)
    token = _from_keychain(account)
    if token is None and (folder / "tokens.encrypted").exists():
        raise NotAllowed(
            f"Your login is kept in {folder / 'tokens.encrypted'}, which is not read if the package 'keyring' is "
            "installed. BINDERY_NO_KEYCHAIN=1 reads it."
        )
    return token


def may_have_token(server: str) -> bool:
    """Whether the token may be sent to a server named in a file, such as a lock in somebody else's code: only if the
    user works with that server anyway."""
    config = read_config()
    own = [choose_server(), config.login_url, *config.other_logins]
    return any(one is not None and same_address(one, server) for one in own)


def _from_keychain(account: str) -> str | None:
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        found: str | None = keyring.get_password(SERVICE_NAME, account)
        return found or None
    except NoKeyringError:
        return None
    except KeyringError as error:
        raise NotAllowed(
            f"The keychain cannot be read ({error}). If your login is there, unlock it, or set BINDERY_TOKEN."
        ) from None


def _from_encrypted_file(folder: Path, account: str) -> str | None:
    tokens = folder / "tokens.encrypted"
    if not tokens.exists():
        return None
    try:
        from cryptography.fernet import Fernet, InvalidToken
    except ImportError:
        raise NotAllowed(
            f"Your login is kept in {tokens}. Install the package 'cryptography' to read it, or set BINDERY_TOKEN."
        ) from None
    try:
        key = (folder / "encryption.key").read_bytes().strip()
        stored = json.loads(Fernet(key).decrypt(tokens.read_bytes().strip()))
        return stored.get(account) or None
    except (OSError, ValueError, InvalidToken, AttributeError):
        raise NotAllowed(f"{tokens} cannot be decrypted. Sign in again with 'bindery login'.") from None
