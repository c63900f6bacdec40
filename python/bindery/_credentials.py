"""Determines the server, and the token that `bindery login` stored for it."""

import importlib.util
import json
import os
import re
from pathlib import Path

from ._config import config_folder, read_config
from ._errors import NotAllowed
from ._pace import Limits
from ._servers import choose_server, same_address, same_server

SERVICE_NAME = "bindery"
ACCOUNT_NAME = "bindery-token"


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
        raise NotAllowed(f"Your login is for {own.rstrip('/')}; {server} is used without it.")
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
