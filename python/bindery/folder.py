"""A folder on disk that is never left: no link is followed on the way to a file."""

import errno
import hashlib
import os
import secrets
import stat

from .errors import IntegrityError

CHUNK = 1024 * 1024


class Folder:
    """Reads and writes files below `root` by relative paths of "/"-separated segments."""

    def __init__(self, root, create=False):
        if create:
            os.makedirs(root, exist_ok=True)
        self.root = os.fspath(root)

    def same_file(self, one, other):
        """Whether two names are one file here: some file systems ignore letter case or Unicode normalisation."""
        prefix = f".{secrets.token_hex(8)}"
        probe = os.path.join(self.root, prefix + one.replace("/", "_")[-64:])
        with open(probe, "xb"):
            pass
        try:
            return os.path.exists(os.path.join(self.root, prefix + other.replace("/", "_")[-64:]))
        finally:
            os.unlink(probe)

    def digest(self, path):
        """Size and hex SHA-256 of a regular file, or None where there is none."""
        parent = self._open_parent(path, create=False)
        if parent is None:
            return None
        try:
            descriptor = os.open(os.path.basename(path), os.O_RDONLY | os.O_NOFOLLOW, dir_fd=parent)
        except OSError:
            return None
        finally:
            os.close(parent)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return os.fstat(descriptor).st_size, hashlib.file_digest(file, "sha256").hexdigest()

    def write(self, path, chunks, verify):
        """Writes chunks beside the file, calls `verify` with size and hash, and puts the file in place."""
        parent = self._open_parent(path, create=True)
        temporary = f".{secrets.token_hex(8)}.bindery-part"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            digest, size = hashlib.sha256(), 0
            with open(os.open(temporary, flags, 0o644, dir_fd=parent), "wb") as file:
                for chunk in chunks:
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
            verify(size, digest.hexdigest())
            self._replace(parent, temporary, path)
        except BaseException:
            _remove(temporary, parent)
            raise
        finally:
            os.close(parent)

    def _replace(self, parent, temporary, path):
        try:
            os.replace(temporary, os.path.basename(path), src_dir_fd=parent, dst_dir_fd=parent)
        except IsADirectoryError:
            raise IntegrityError(f"{path!r} is a folder in {self.root}; move it away first.") from None

    def _open_parent(self, path, create):
        """A descriptor of the file's folder; each step is taken without following a link."""
        flags = os.O_RDONLY | os.O_DIRECTORY
        try:
            current = os.open(self.root, flags)
        except FileNotFoundError:
            return None
        for segment in path.split("/")[:-1]:
            try:
                following = self._step(current, segment, flags | os.O_NOFOLLOW, create)
            except OSError as error:
                if not create and error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
                    return None
                raise IntegrityError(f"{segment!r} of {path!r} in {self.root} is no folder.") from None
            finally:
                os.close(current)
            current = following
        return current

    @staticmethod
    def _step(current, segment, flags, create):
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


def _remove(name, parent):
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        pass
