"""Whether releases are signed: reads the logs of libraries, remembers them, and requires signatures."""

import hashlib
import json
import os
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ._asset_cache import Pin
from ._edits import state_folder
from ._errors import BinderyError, ServiceError, SignatureError
from ._fetch import Supply
from ._signature_log import Entry, SignatureLog, SignedRelease, fingerprint

_FORMAT = "bindery-signatures 1"
_LIBRARIES = re.compile("[a-z0-9*?._,/-]+")
_KEY = re.compile("[A-Za-z0-9+/]{68}")


class TrustedSigner(NamedTuple):
    """A key, and the libraries that it may sign, as patterns."""

    libraries: tuple[str, ...]
    key: str


def read_signers(file: "str | os.PathLike[str]") -> list[TrustedSigner]:
    """Reads a file of `ssh-keygen` with allowed signers. Raises `BinderyError` for lines that would mean something else
    to OpenSSH."""
    try:
        with open(file, encoding="utf-8") as content:
            lines = content.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BinderyError(f"{os.fspath(file)} cannot be read: {error}.") from None
    signers = []
    for number, line in enumerate(lines, 1):
        libraries, *words = line.split() or [""]
        if libraries == "" or libraries.startswith("#"):
            continue
        if words[:1] == ['namespaces="bindery"']:
            words = words[1:]
        if words[:1] != ["ssh-ed25519"] or not _KEY.fullmatch("".join(words[1:2])) or not _LIBRARIES.fullmatch(libraries):
            raise BinderyError(f"{os.fspath(file)}:{number}: expected libraries and an Ed25519 key, such as 'ada/* ssh-ed25519 AAAA…'.")
        signers.append(TrustedSigner(tuple(libraries.split(",")), " ".join(words[:2])))
    return signers


def require_signature(pin: Pin, supply: Supply, signers: Sequence[TrustedSigner] | None) -> SignedRelease:
    """Returns the signature of a pinned revision. Raises `SignatureError`, also if none of the signers made it."""
    return signature_of(read_log(pin, supply), pin.release, pin.manifest_sha256, signers)


def signature_of(
    log: SignatureLog, release: str | None, manifest_sha256: str, signers: Sequence[TrustedSigner] | None
) -> SignedRelease:
    """Returns the signature of a release, or of any that has this manifest."""
    same = (signed for signed in log.releases.values() if signed.manifest_sha256 == manifest_sha256)
    found = next(same, None) if release is None else log.releases.get(release)
    if found is None:
        raise SignatureError(f"{log.library}: Nobody has signed the release {release or 'of this revision'}.", "unsigned")
    if found.manifest_sha256 != manifest_sha256:
        what = f"The contents of {found.name} are not those that {fingerprint(found.key)} signed in entry {found.entry}."
        raise SignatureError(f"{log.library}: {what}", "other_contents")
    if signers is not None and not any(_may_sign(signer, found.key, log.library) for signer in signers):
        what = f"{fingerprint(found.key)}, which signed {found.name}, is not among the trusted signers."
        raise SignatureError(f"{log.library}: {what}", "untrusted_signer")
    return found


def _may_sign(signer: TrustedSigner, key: str, library: str) -> bool:
    parts = library.split("/")
    patterns = (pattern.split("/") for pattern in signer.libraries)
    return signer.key == key and any(
        len(pattern) == len(parts) and all(map(fnmatchcase, parts, pattern)) for pattern in patterns
    )


def read_log(pin: Pin, supply: Supply) -> SignatureLog:
    """Reads the log of a library, and remembers it. Without a network, what is remembered is the log."""
    memory = _memory(pin)
    remembered = _remembered(memory, pin.library)
    may_be_older = True
    entries = entries_of(supply.mirrored_log(pin.library))
    if entries is None:
        try:
            entries, may_be_older = entries_of(supply.log(pin.library)) or [], False
        except ServiceError as error:
            if remembered is None or error.status is not None:
                raise
            entries = remembered
    known = continued(pin.library, remembered or [], entries, may_be_older)
    log = SignatureLog(pin.library, known)
    if len(known) > len(remembered or []):
        _remember(memory, known)
    return log


def continued(library: str, remembered: Sequence[Entry], entries: Sequence[Entry], may_be_older: bool) -> Sequence[Entry]:
    """Returns the longer of two logs, one of which must continue the other."""
    for place, (known, other) in enumerate(zip(remembered, entries)):
        if known != other:
            what = f"The signature log differs in entry {place} from what this machine has seen."
            raise SignatureError(f"{library}: {what}", "forked_log")
    if len(entries) >= len(remembered):
        return entries
    if may_be_older:
        return remembered
    what = f"The signature log has {len(entries)} entries, and this machine has seen {len(remembered)} of them."
    raise SignatureError(f"{library}: {what}", "truncated_log")


def entries_of(value: Any) -> list[Entry] | None:
    """Returns None for anything that is no log: who sent it may have sent anything."""
    entries = value.get("entries") if isinstance(value, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return None
    return [Entry(str(entry.get("statement")), str(entry.get("signature"))) for entry in entries]


def _memory(pin: Pin) -> str:
    """Returns the file that the command line remembers the log in, too."""
    name = hashlib.sha256(f"{pin.server} {pin.library}".encode()).hexdigest()[:32]
    return os.path.join(state_folder(), "signatures", f"{name}.json")


def _remembered(file: str, library: str) -> list[Entry] | None:
    try:
        with open(file, "rb") as content:
            head, _, body = content.read().partition(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BinderyError(f"{file} cannot be read: {error.strerror or error}.") from None
    entries = entries_of(json.loads(body)) if head == _head(body) else None
    if entries is None:
        what = f"What this machine remembers of the signature log is damaged. Delete {file} to believe the log as it is."
        raise SignatureError(f"{library}: {what}", "damaged_memory")
    return entries


def _remember(file: str, entries: Sequence[Entry]) -> None:
    body = json.dumps({"entries": [entry._asdict() for entry in entries]}).encode()
    temporary = f"{file}.{os.urandom(6).hex()}.tmp"
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(temporary, "xb") as content:
            content.write(_head(body) + b"\n" + body)
        os.replace(temporary, file)
    except OSError:
        pass  # A home that cannot be written remembers nothing.


def _head(body: bytes) -> bytes:
    return f"{_FORMAT} {hashlib.sha256(body).hexdigest()}".encode()
