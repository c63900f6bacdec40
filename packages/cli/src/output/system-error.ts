import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, sep } from 'node:path';

/** What a failure of the operating system means to the user, and what to do about it, if anything can be said. */
interface SystemFailure {
  message: string;
  next?: string;
}

/** Describes a failure about a path, named from a folder; null if it is none, or of a rare kind. */
export function describeSystemError(error: unknown, from: string): SystemFailure | null {
  if (!(error instanceof Error)) return null;
  const { code = '', syscall = '', path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') {
    return { message: 'The current folder no longer exists.', next: 'Change to another folder.' };
  }
  if (path === undefined || path === '') return null;
  const place = shownPath(path, from);
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return { message: `You have no permission to ${actOf(syscall, path)} ${place}.` };
    case 'EROFS':
      return { message: `${place} is on a read-only file system.`, next: 'Choose another folder.' };
    case 'ENAMETOOLONG':
      return { message: `${place} is too long for a path on this machine.`, next: 'Choose a shorter one.' };
    case 'ENOENT':
      return {
        message: `${place} is missing, or was removed.`,
        next: 'Try again when nothing is changing it.',
      };
    case 'EISDIR':
      return { message: `${place} is a folder where a file belongs.`, next: 'Move it away.' };
    case 'ENOTDIR':
      return { message: `${shownPath(firstFile(path), from)} is a file where a folder belongs.` };
    default:
      return null;
  }
}

const READING: ReadonlySet<string> = new Set([
  'read',
  'scandir',
  'opendir',
  'lstat',
  'stat',
  'realpath',
  'readlink',
]);
const WRITING: ReadonlySet<string> = new Set(['rename', 'unlink', 'rmdir', 'rm', 'chmod', 'link', 'symlink']);

function actOf(syscall: string, path: string): string {
  if (READING.has(syscall)) return 'read';
  if (syscall === 'mkdir') return 'create';
  return WRITING.has(syscall) || isTemporary(path) ? 'write to' : 'open';
}

/** Returns a path as the user knows it: relative if it is below a folder, and the folder of a temporary file. */
export function shownPath(path: string, from: string): string {
  const known = (isTemporary(path) ? dirname(path) : path).replace(/(?<=.)[/\\]$/, '');
  if (!isAbsolute(known)) return known;
  const below = relative(from, known);
  if (below === '') return 'this folder';
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below) ? known : below;
}

/** Files are written beside their place, under names that mean nothing to users. */
function isTemporary(path: string): boolean {
  return /\.[0-9a-f]{12}\.tmp$|^\.bindery-.*\.partial$/.test(basename(path));
}

/** Returns the topmost part of a path that is a file. */
function firstFile(path: string): string {
  const above = dirname(path);
  return above === path || isFolder(above) ? path : firstFile(above);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
