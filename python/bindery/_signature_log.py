"""The signature log of a library: entries signed by OpenSSH, as docs/signing.md describes them."""

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Sequence
from typing import NamedTuple

from ._errors import BinderyError, SignatureError
from ._names import LIBRARY, RELEASE

MAX_ENTRIES = 1_000
_PURPOSE = b"bindery"
_COUNT = "(?:0|[1-9][0-9]{0,14})"
_TIME = "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z"
_HASH = "[0-9a-f]{64}"
_STATEMENT = re.compile(
    f"bindery signature log\nlibrary: (?P<library>{LIBRARY})\nentry: (?P<entry>{_COUNT})\n"
    f"root: (?P<root>{_HASH})\ntime: (?P<time>{_TIME})\n"
    f"(?:(?P<change>allow|revoke): (?P<key>ssh-ed25519 [A-Za-z0-9+/]{{68}})|"
    f"release: (?!latest\n)(?P<release>{RELEASE})\nrevision: (?P<revision>{_COUNT})\nmanifest: (?P<sha256>{_HASH}) (?P<size>{_COUNT}))\n"
)
_ARMOR = re.compile("-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]{1,1000})\n-----END SSH SIGNATURE-----\n")


class Entry(NamedTuple):
    statement: str
    signature: str


class SignedRelease(NamedTuple):
    """A release as it was signed; `key` is `ssh-ed25519 AAAA…`, `entry` the number of its entry."""

    name: str
    revision: int
    manifest_sha256: str
    entry: int
    key: str


class SignatureLog:
    """A log of which every entry was verified. Raises `SignatureError` for the first one that is refused."""

    def __init__(self, library: str, entries: Sequence[Entry]) -> None:
        self.library = library
        self.releases: dict[str, SignedRelease] = {}
        self._keys: dict[str, bool] = {}
        # The roots of the perfect subtrees that the list splits into, with their sizes.
        self._subtrees: list[tuple[int, bytes]] = []
        for place, entry in enumerate(entries):
            self._append(place, entry)

    def root(self) -> str:
        """Returns the Merkle root of all entries, as RFC 9162 defines it."""
        if not self._subtrees:
            return hashlib.sha256().hexdigest()
        (_, right), *others = reversed(self._subtrees)
        for _, left in others:
            right = _digest(b"\1", left, right)
        return right.hex()

    def _append(self, place: int, entry: Entry) -> None:
        if place >= MAX_ENTRIES:
            raise self._refused("too_many_entries", f"has more than {MAX_ENTRIES} entries")
        said = _STATEMENT.fullmatch(entry.statement)
        if said is None:
            raise self._refused("malformed_statement", f"has a statement without a valid form in entry {place}")
        if said["library"] != self.library:
            raise self._refused("other_library", f"has an entry of {said['library']}")
        if int(said["entry"]) != place:
            raise self._refused("other_place", f"has entry {said['entry']} at place {place}")
        if said["root"] != self.root():
            raise self._refused("other_history", f"has other entries than those that entry {place} follows")
        key = self._signer(entry)
        self._require_allowed(key, place, said)
        if said["change"] is not None:
            self._change(said["key"], said["change"] == "allow", place)
        else:
            self._release(SignedRelease(said["release"], int(said["revision"]), said["sha256"], place, key))
        self._grow((entry.statement + entry.signature).encode())

    def _require_allowed(self, key: str, place: int, said: "re.Match[str]") -> None:
        if self._keys.get(key) or (place == 0 and said["change"] == "allow" and said["key"] == key):
            return
        if key in self._keys:
            raise self._refused("revoked_key", f"had revoked {fingerprint(key)}, which signed entry {place}, before")
        raise self._refused("unknown_key", f"does not allow {fingerprint(key)}, which signed entry {place}, to sign")

    def _change(self, key: str, allow: bool, place: int) -> None:
        if (key in self._keys) if allow else not self._keys.get(key):
            raise self._refused("useless_key_change", f"changes nothing in entry {place}")
        if not allow and sum(self._keys.values()) == 1:
            raise self._refused("last_key", f"would have nobody left who may sign after entry {place}")
        self._keys[key] = allow

    def _release(self, signed: SignedRelease) -> None:
        before = self.releases.get(signed.name)
        if before is not None and before[1:3] != signed[1:3]:
            raise self._refused("signed_before", f"has a signature of other contents for {signed.name} in entry {before.entry}")
        self.releases[signed.name] = signed

    def _grow(self, leaf: bytes) -> None:
        size, root = 1, _digest(b"\0", leaf)
        while self._subtrees and self._subtrees[-1][0] == size:
            root = _digest(b"\1", self._subtrees.pop()[1], root)
            size *= 2
        self._subtrees.append((size, root))

    def _signer(self, entry: Entry) -> str:
        """Verifies a signature of `ssh-keygen -Y sign`, and returns the key that made it."""
        try:
            return _verified(entry)
        except _Malformed:
            raise self._refused("malformed_signature", "has a signature that OpenSSH does not make with an Ed25519 key") from None
        except _OtherPurpose:
            raise self._refused("other_purpose", "has a signature that was made for another purpose") from None
        except _Wrong:
            raise self._refused("wrong_signature", "has a signature that does not match its statement") from None

    def _refused(self, problem: str, what: str) -> SignatureError:
        return SignatureError(f"{self.library}: The signature log {what}.", problem)


def fingerprint(key: str) -> str:
    """Returns the fingerprint of a key as `ssh-keygen -l` prints it."""
    blob = base64.b64decode(key.split(" ")[1])
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


class _Malformed(Exception):
    pass


class _OtherPurpose(Exception):
    pass


class _Wrong(Exception):
    pass


def _verified(entry: Entry) -> str:
    armor = _ARMOR.fullmatch(entry.signature)
    try:
        blob = base64.b64decode(armor[1].replace("\n", ""), validate=True) if armor else b""
    except binascii.Error:
        raise _Malformed from None
    if blob[:10] != b"SSHSIG" + struct.pack(">I", 1):
        raise _Malformed
    key, purpose, reserved, algorithm, signature = _fields(blob[10:], 5)
    type_, value = _fields(signature, 2)
    if type_ != b"ssh-ed25519" or algorithm not in (b"sha256", b"sha512"):
        raise _Malformed
    if purpose != _PURPOSE:
        raise _OtherPurpose
    digest = hashlib.new(algorithm.decode(), entry.statement.encode()).digest()
    signed = b"SSHSIG" + b"".join(struct.pack(">I", len(part)) + part for part in (purpose, reserved, algorithm, digest))
    key_type, point = _fields(key, 2)
    if key_type != b"ssh-ed25519" or len(point) != 32:
        raise _Malformed
    _verify(point, value, signed)
    return f"ssh-ed25519 {base64.b64encode(key).decode()}"


def _fields(data: bytes, count: int) -> list[bytes]:
    """Reads strings that begin with their length, and nothing else."""
    found = []
    for _ in range(count):
        length = struct.unpack(">I", data[:4])[0] if len(data) >= 4 else -1
        if not 0 <= length <= len(data) - 4:
            raise _Malformed
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    if data:
        raise _Malformed
    return found


def _verify(point: bytes, signature: bytes, signed: bytes) -> None:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise BinderyError("Verifying signatures needs the package cryptography (./python[signatures]).") from None
    try:
        Ed25519PublicKey.from_public_bytes(point).verify(signature, signed)
    except (InvalidSignature, ValueError):
        raise _Wrong from None
