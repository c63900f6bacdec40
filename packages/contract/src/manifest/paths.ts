import { LIMITS } from '../limits.ts';
import { MANIFEST_PATH, RESERVED_FOLDER } from '../names.ts';
import { utf8Length } from '../utf8.ts';

const CONTROL_CHARACTER = /\p{Cc}/u;
const RESERVED_SEGMENT = RESERVED_FOLDER.slice(0, -1);

/**
 * Returns why a path of a library is not canonical, as the end of a sentence that starts with the path; null if it is.
 * Canonical paths are kept byte for byte; nothing is normalised.
 */
export function pathProblem(path: string): string | null {
  if (path === '') return 'is empty';
  if (!path.isWellFormed()) return 'is not valid Unicode (it has a lone surrogate)';
  if (path.includes('\\')) return 'has a backslash; separate folders with "/"';
  if (CONTROL_CHARACTER.test(path)) return 'has a control character';
  if (path.startsWith('/')) return 'is not relative; leave out the leading "/"';
  if (path.length * 3 > LIMITS.path.segmentBytes) {
    const length = lengthProblem(path);
    if (length !== null) return length;
  }
  return hasEmptyOrDotSegment(path) ? 'has an empty, "." or ".." segment' : null;
}

/** Like `pathProblem`, for a user file: it must not be in the reserved folder, in any letter case. */
export function userPathProblem(path: string): string | null {
  const problem = pathProblem(path);
  if (problem !== null) return problem;
  return isReserved(path) ? `is inside "${RESERVED_FOLDER}", which is reserved for platform artifacts` : null;
}

/** Like `pathProblem`, for a platform artifact: it must be in the reserved folder and not be the manifest. */
export function artifactPathProblem(path: string): string | null {
  const problem = pathProblem(path);
  if (problem !== null) return problem;
  if (!path.startsWith(RESERVED_FOLDER)) return `is not inside "${RESERVED_FOLDER}"`;
  return path === MANIFEST_PATH ? 'is the manifest itself' : null;
}

/** Like `pathProblem`, for any file that can be uploaded: a user file, a platform artifact, or the manifest. */
export function uploadPathProblem(path: string): string | null {
  if (path === MANIFEST_PATH) return null;
  return path.startsWith(RESERVED_FOLDER) ? artifactPathProblem(path) : userPathProblem(path);
}

function lengthProblem(path: string): string | null {
  if (path.length > LIMITS.path.bytes || utf8Length(path) > LIMITS.path.bytes) {
    return `is longer than ${LIMITS.path.bytes} bytes`;
  }
  for (const segment of path.split('/')) {
    if (utf8Length(segment) > LIMITS.path.segmentBytes) {
      return `has a segment longer than ${LIMITS.path.segmentBytes} bytes`;
    }
  }
  return null;
}

function hasEmptyOrDotSegment(path: string): boolean {
  const framed = `/${path}/`;
  return framed.includes('//') || framed.includes('/./') || framed.includes('/../');
}

function isReserved(path: string): boolean {
  if (!path.startsWith('.')) return false;
  const end = path.indexOf('/');
  return (end < 0 ? path : path.slice(0, end)).toLowerCase() === RESERVED_SEGMENT;
}
