"""The settings that the command line keeps for a user."""

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple


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
