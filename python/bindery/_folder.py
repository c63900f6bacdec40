"""Access confined to a folder on disk: no link is followed on the way to a file."""

import errno
import hashlib
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ._errors import BinderyError, IntegrityError
from ._names import NameRules
from ._partial import Partial

if TYPE_CHECKING:
    from ._hash_cache import HashCache

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY


class Folder:
    """Reads and writes files below `root` by canonical relative paths."""

    def __init__(self, root: str | os.PathLike[str], hashes: "HashCache | None" = None) -> None:
        self.root = os.fspath(root)
        self._hashes = hashes
        # Called with the path of an existing file before another one takes its place.
        self.before_replacing: Callable[[str], None] | None = None
        if os.path.lexists(self.root) and not os.path.isdir(self.root):
            raise self._is_no_folder()

    def refuse_full_disk(self, sizes: Mapping[str, int]) -> None:
        """Raises `BinderyError` if the disk has less free space than files of these sizes need, by their paths. What
        partial files have of them is there already."""
        needed, free = sum(sizes.values()), free_space(self.root)
        if needed <= free:
            return
        above = {os.path.dirname(os.path.join(self.root, path)) for path in sizes}
        needed -= sum(_partial_size(place) for place in above if os.path.isdir(place))
        if needed > free:
            raise full_disk_error(self.root, needed, free)

    def create(self) -> None:
        """Makes sure that the folder exists. Raises `BinderyError` if it cannot be made."""
        try:
            os.makedirs(self.root, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise self._is_no_folder() from None

    def _is_no_folder(self) -> BinderyError:
        kind = "a link to something that is not a folder" if os.path.islink(self.root) else "not a folder"
        return BinderyError(f"{self.root} is {kind}. Choose another path, or move it away.")

    def name_rules(self) -> NameRules:
        """Tests how the file system treats names, in a temporary folder that is removed again."""
        probe = os.path.join(self.root, f".bindery-names-{secrets.token_hex(6)}")
        os.mkdir(probe)
        try:
            for name in ("a", "\u00e9"):
                open(os.path.join(probe, name), "xb").close()
            return NameRules(
                folds_case=os.path.exists(os.path.join(probe, "A")),
                folds_normalization=os.path.exists(os.path.join(probe, "e\u0301")),
            )
        finally:
            for name in os.listdir(probe):
                os.unlink(os.path.join(probe, name))
            os.rmdir(probe)

    def digest(self, path: str) -> tuple[int, str] | None:
        """Returns the size and hex SHA-256 of a regular file, or None if there is none."""
        try:
            parent = self._open_parent(path, create=False)
        except IntegrityError:
            return None
        if parent is None:
            return None
        try:
            descriptor = os.open(os.path.basename(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
        except OSError:
            return None
        finally:
            os.close(parent)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return None
        with open(descriptor, "rb") as file:
            looked_at, found = time.time_ns(), os.fstat(descriptor)
            known = self._hashes and self._hashes.get(path, found)
            if known:
                return found.st_size, known
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            if self._hashes is not None:
                self._hashes.record(path, found, sha256, looked_at)
            return os.fstat(descriptor).st_size, sha256

    def refuse_obstacle(self, path: str) -> None:
        """Raises `IntegrityError` if a folder is in the file's place, or a link or a file in the place of a folder."""
        parent = self._open_parent(path, create=False)
        if parent is None:
            return
        try:
            mode = os.stat(os.path.basename(path), dir_fd=parent, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        finally:
            os.close(parent)
        if stat.S_ISDIR(mode):
            raise self._is_folder(path)

    def begin(self, path: str, sha256: str) -> Partial:
        """Opens a partial file next to the target, to be completed with `finish`."""
        parent = self._open_parent(path, create=True)
        if parent is None:
            raise BinderyError(f"{self.root} was deleted while it was being written to.")
        return Partial(parent, path, sha256)

    def finish(self, part: Partial, path: str) -> None:
        self.refuse_obstacle(path)
        if self.before_replacing is not None and self.exists(path):
            self.before_replacing(path)
        if self._hashes is not None:
            self._hashes.wrote(path, part.stat(), part.sha256())
        try:
            part.put_in_place(os.path.basename(path))
        except IsADirectoryError:
            raise self._is_folder(path) from None

    def exists(self, path: str) -> bool:
        """Whether anything is at the path; a link counts, wherever it leads."""
        parent = self._open_parent(path, create=False)
        if parent is None:
            return False
        try:
            os.stat(os.path.basename(path), dir_fd=parent, follow_symlinks=False)
            return True
        except FileNotFoundError:
            return False
        finally:
            os.close(parent)

    def move(self, path: str, to: str) -> None:
        """Moves a file or a link within the folder, by one rename."""
        source, target = self._open_parent(path, create=False), self._open_parent(to, create=True)
        try:
            if source is not None and target is not None:
                os.rename(os.path.basename(path), os.path.basename(to), src_dir_fd=source, dst_dir_fd=target)
        finally:
            for descriptor in (source, target):
                if descriptor is not None:
                    os.close(descriptor)

    def create_folder(self, path: str) -> bool:
        """Makes a folder, and those above it; returns False if it exists."""
        parent = self._open_parent(path, create=True)
        if parent is None:
            raise BinderyError(f"{self.root} was deleted while it was being written to.")
        try:
            os.mkdir(os.path.basename(path), dir_fd=parent)
            return True
        except FileExistsError:
            return False
        finally:
            os.close(parent)

    def names_in(self, path: str) -> list[str]:
        """Returns the names in a folder; none if there is no such folder."""
        try:
            descriptor = self._open_parent(f"{path}/_", create=False)
        except IntegrityError:
            return []
        if descriptor is None:
            return []
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def remove_folder(self, path: str) -> None:
        parent = self._open_parent(path, create=False)
        if parent is not None:
            try:
                shutil.rmtree(os.path.basename(path), ignore_errors=True, dir_fd=parent)
            finally:
                os.close(parent)

    def remove(self, path: str) -> None:
        parent = self._open_parent(path, create=False)
        if parent is not None:
            try:
                os.unlink(os.path.basename(path), dir_fd=parent)
            finally:
                os.close(parent)

    def _is_folder(self, path: str) -> IntegrityError:
        return IntegrityError(f"{path!r} is a folder in {self.root} and a file in the library; move it away.")

    def _open_parent(self, path: str, create: bool) -> int | None:
        """Returns a descriptor of the file's folder, None if it does not exist; no step follows a link."""
        try:
            current = os.open(self.root, _OPEN_FOLDER)
        except FileNotFoundError:
            return None
        for segment in path.split("/")[:-1]:
            try:
                following = _step(current, segment, create)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                    raise
                message = f"{segment!r} of {path!r} is a link or a file in {self.root} and a folder in the library"
                raise IntegrityError(f"{message}; move it away.") from None
            finally:
                os.close(current)
            current = following
        return current


def _step(current: int, segment: str, create: bool) -> int:
    flags = _OPEN_FOLDER | os.O_NOFOLLOW
    try:
        return os.open(segment, flags, dir_fd=current)
    except FileNotFoundError:
        if not create:
            raise
    try:
        os.mkdir(segment, dir_fd=current)
    except FileExistsError:
        pass
    return os.open(segment, flags, dir_fd=current)


def free_space(place: str) -> int:
    """Returns the free bytes of the disk of a folder, which need not exist."""
    while not os.path.isdir(place) and place != os.path.dirname(place):
        place = os.path.dirname(place)
    return shutil.disk_usage(place or ".").free


def full_disk_error(place: str, needed: int, free: int) -> BinderyError:
    sizes = " needed, ".join(f"{size / 2**20:,.1f} MiB" for size in (needed, free))
    return BinderyError(f"Not enough space on the disk of {place}: {sizes} free. Nothing was written.")


def _partial_size(place: str) -> int:
    with os.scandir(place) as entries:
        return sum(entry.stat(follow_symlinks=False).st_size for entry in entries if entry.name.endswith(".partial"))
