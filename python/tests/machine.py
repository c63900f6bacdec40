"""A machine with a separate cache, and projects on it."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from hostile_service import WithService, sha256

PACKAGE = str(Path(__file__).parents[1])


class WithMachine(WithService):
    def setUp(self):
        super().setUp()
        self.home = self.root / "home"
        self.project = self.root / "project"
        self.project.mkdir()
        self.enterContext(contextlib.chdir(self.project))
        self.environment = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "cache"),
            "XDG_STATE_HOME": str(self.home / "state"),
            "BINDERY_CONFIG_DIR": str(self.home / "config"),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }
        # Excludes the real environment of this machine.
        kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
        self.enterContext(mock.patch.dict(os.environ, kept | self.environment, clear=True))
        self.cache = self.home / "cache" / "bindery"

    def object(self, content):
        name = sha256(content)
        return self.cache / "objects" / name[:2] / name

    def lock(self, service, names, **changes):
        """Writes the lock of a project that uses these assets, given as a dict from name to asset."""
        manifest = service.manifest()
        data = json.dumps(manifest).encode()
        listed = []
        for name, asset_id in sorted(names.items()):
            asset = next(asset for asset in manifest["assets"] if asset["id"] == asset_id)
            entry = {"entry": asset["entry"]} if "entry" in asset else {}
            listed.append(
                {"name": name, "library": "acme/arms", "asset": asset_id, "digest": digest(asset["files"]), **entry}
            )
        library = {
            "server": service.url,
            "revision": service.revision,
            "manifest": {"sha256": sha256(data), "size": len(data)},
        }
        value = {
            "lockVersion": 1,
            "uses": sorted(f"acme/arms/{asset}" for asset in names.values()),
            "libraries": {"acme/arms": library | changes.pop("library", {})},
            "assets": listed,
        } | changes
        self.write_lock(value)
        return value

    def write_lock(self, value):
        text = value if isinstance(value, str) else json.dumps(value)
        (self.project / "assets.lock").write_text(text)

    def mirror(self, service):
        """Creates a mirror of everything that the service has."""
        folder = self.root / "mirror"
        for content in [*service.objects.values(), json.dumps(service.manifest()).encode()]:
            place = folder / "objects" / sha256(content)[:2] / sha256(content)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        return folder

    def start(self, script, **options):
        """Runs a script with the package in a separate process."""
        return subprocess.Popen(
            [sys.executable, "-c", f"import bindery\n{script}"],
            env=dict(os.environ) | {"PYTHONPATH": PACKAGE},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )


def digest(files):
    lines = sorted((file["path"].encode(), file["sha256"].encode()) for file in files)
    return "sha256:" + sha256(b"".join(path + b"\n" + hash_ + b"\n" for path, hash_ in lines))
