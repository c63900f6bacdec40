"""Determines the server, and the token that `bindery login` stored for it."""

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

from .errors import NotAllowed
from .pace import Limits
from .servers import choose_server, same_address, same_server

SERVICE_NAME = "bindery"
ACCOUNT_NAME = "bindery-token"


def config_folder() -> Path:
    """Returns the folder of the command line's settings and encrypted tokens."""
    if folder := os.environ.get("BINDERY_CONFIG_DIR"):
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "bindery"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "bindery"


def find_token(server: str) -> str | None:
    """Returns the token to use for a server, or None: `BINDERY_TOKEN`, else the stored login if it is for this server.

    With `keyring` installed the login is read from the OS keychain only, otherwise, or with `BINDERY_NO_KEYCHAIN=1`, from
    the encrypted file only. Raises `NotAllowed` with instructions if the login cannot be read or is for another server.
    """
    if token := os.environ.get("BINDERY_TOKEN", "").strip():
        return token
    stored, own = _stored_token(), _login_server()
    if stored is not None and own is not None and not same_server(own, server):
        raise NotAllowed(f"Your login is for {own}; {server} is used without it.")
    return stored


def _stored_token() -> str | None:
    has_keychain = importlib.util.find_spec("keyring") is not None
    if has_keychain and os.environ.get("BINDERY_NO_KEYCHAIN") != "1":
        return _from_keychain()
    return _from_encrypted_file(config_folder())


def min_transfer_rate() -> float | None:
    """Returns the minimum average transfer rate in bytes per second: `BINDERY_MIN_TRANSFER_RATE`, None for `off`."""
    value = os.environ.get("BINDERY_MIN_TRANSFER_RATE", "")
    if value == "":
        return Limits.rate
    if value == "off":
        return None
    if not re.fullmatch("[0-9]{1,15}", value) or int(value) == 0:
        raise ValueError(f'BINDERY_MIN_TRANSFER_RATE: it must be bytes per second, or "off" (found {value[:80]!r}).')
    return int(value)


def may_have_token(server: str) -> bool:
    """Whether the token may be sent to a server named in a file, such as a lock in somebody else's code: only if the
    user works with that server anyway."""
    return any(own is not None and same_address(own, server) for own in (choose_server(True), _login_server()))


def _login_server() -> str | None:
    try:
        config = json.loads((config_folder() / "config.json").read_text("utf-8-sig"))
    except (OSError, ValueError):
        return None
    own = config.get("login_url") if isinstance(config, dict) else None
    return own.rstrip("/") if isinstance(own, str) else None


def _from_keychain() -> str | None:
    import keyring
    from keyring.errors import KeyringError

    try:
        found: str | None = keyring.get_password(SERVICE_NAME, ACCOUNT_NAME)
        return found or None
    except KeyringError:
        return None


def _from_encrypted_file(folder: Path) -> str | None:
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
        return stored.get(ACCOUNT_NAME) or None
    except (OSError, ValueError, InvalidToken, AttributeError):
        raise NotAllowed(f"{tokens} cannot be decrypted. Sign in again with 'bindery login'.") from None
