import { LIMITS } from '@bindery/contract/wire';
import { expandBraces } from './braces.ts';
import { compileSegment, type NameMatcher } from './segment.ts';

export type PathMatcher = (path: string) => boolean;

/** Any number of folders, including none. */
const FOLDERS = Symbol('**');
type Segment = NameMatcher | typeof FOLDERS;

/**
 * Compiles a glob to a test of paths, which takes time bounded by the product of both lengths for any glob. Supports
 * `*` and `?` within a name, `**` for folders, `[a-z]`, `{a,b}`, and `\` to escape a character. `a/**` also matches
 * `a`. Throws `RangeError` for an invalid glob, with a message that completes "the glob …: ".
 */
export function compileGlob(glob: string): PathMatcher {
  const problem = syntaxProblem(glob);
  if (problem !== null) throw new RangeError(problem);
  const patterns = expandBraces(glob).map(compilePattern);
  const [only] = patterns;
  if (patterns.length === 1 && only !== undefined) return only;
  return (path) => patterns.some((matches) => matches(path));
}

/** Returns what is wrong with a glob, or null. */
export function globProblem(glob: string): string | null {
  try {
    compileGlob(glob);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** Returns the first segment of a glob if it is literal, else null. */
export function literalFirstSegment(glob: string): string | null {
  const [top = ''] = glob.split('/', 1);
  return /[*?[\]{}\\]/.test(top) ? null : top;
}

function syntaxProblem(glob: string): string | null {
  if (new TextEncoder().encode(glob).byteLength > LIMITS.path.bytes)
    return `it is longer than ${LIMITS.path.bytes} bytes`;
  if (glob.startsWith('!')) return 'it begins with "!", which is not supported; list what to include';
  if (/(?<!\\)[!@+*?]\(/.test(glob)) {
    return 'patterns such as !(…), @(…) and *(…) are not supported; use {a,b}, or \\( for a literal parenthesis';
  }
  return null;
}

function compilePattern(pattern: string): PathMatcher {
  if (!/[*?[\\]/.test(pattern)) return (path) => path === pattern;
  const segments = pattern
    .split('/')
    .map((text): Segment => (text === '**' ? FOLDERS : compileSegment(text)));
  const prefix = pattern.slice(0, pattern.search(/[*?[\\]/));
  const folders = prefix.endsWith('/') && /^\*\*(\/\*\*)*$/.test(pattern.slice(prefix.length));
  const needed = folders ? prefix.slice(0, -1) : prefix;
  return (path) => path.startsWith(needed) && matchSegments(segments, path.split('/'));
}

/** Works like `matchTokens` in `segment.ts`: `**` is to folders what `*` is to characters. */
function matchSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let segment = 0;
  let name = 0;
  let afterFolders = -1;
  let foldersEnd = 0;
  while (name < names.length) {
    const wanted = segments[segment];
    if (wanted === FOLDERS) {
      afterFolders = ++segment;
      foldersEnd = name;
    } else if (wanted?.(names[name] ?? '')) {
      segment++;
      name++;
    } else if (afterFolders >= 0) {
      segment = afterFolders;
      name = ++foldersEnd;
    } else {
      return false;
    }
  }
  return segments.slice(segment).every((rest) => rest === FOLDERS);
}
