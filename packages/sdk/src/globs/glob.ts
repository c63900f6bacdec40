import { LIMITS } from '@bindery/contract/wire';

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
  return isLiteral(top) ? top : null;
}

/** Whether a glob that is valid matches the path that it is, and no other. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\]{}\\]/.test(glob);
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
  const part = longestLiteral(pattern);
  return (path) => path.startsWith(needed) && path.includes(part) && matchSegments(segments, path.split('/'));
}

/** Returns the longest text that every path has that the pattern matches: of thousands of globs, a path has few. */
function longestLiteral(pattern: string): string {
  if (/[[\\]/.test(pattern)) return '';
  return pattern.split(/[*?/]/).reduce((longest, part) => (part.length > longest.length ? part : longest));
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

/** Maximum number of patterns that one glob expands to. */
const MAX_ALTERNATIVES = 1_000;

/** Expands `a{b,c}` to `ab` and `ac`. Braces without a comma are literal, as in a shell. Throws `RangeError`. */
function expandBraces(glob: string): string[] {
  let expanded = [''];
  for (let at = 0; at < glob.length; ) {
    const group = glob[at] === '{' ? readGroup(glob, at) : null;
    if (group === null) {
      const length = glob[at] === '\\' ? 2 : 1;
      const literal = glob.slice(at, at + length);
      expanded = expanded.map((before) => before + literal);
      at += length;
      continue;
    }
    const choices = group.choices.flatMap(expandBraces);
    if (expanded.length * choices.length > MAX_ALTERNATIVES) {
      throw new RangeError(`its braces expand to more than ${MAX_ALTERNATIVES} patterns`);
    }
    expanded = expanded.flatMap((before) => choices.map((choice) => before + choice));
    at = group.end;
  }
  return expanded;
}

/** Returns the choices of the group that starts at an opening brace; null if it does not start a group. */
function readGroup(glob: string, from: number): { choices: string[]; end: number } | null {
  const choices: string[] = [];
  let depth = 0;
  let start = from + 1;
  for (let at = from; at < glob.length; at++) {
    const sign = glob[at];
    if (sign === '\\') at++;
    else if (sign === '{') depth++;
    else if (sign === ',' && depth === 1) {
      choices.push(glob.slice(start, at));
      start = at + 1;
    } else if (sign === '}' && --depth === 0) {
      if (choices.length === 0) return null;
      return { choices: [...choices, glob.slice(start, at)], end: at + 1 };
    }
  }
  return null;
}

/** One element of a pattern: a character, any of a class, or any run of characters. */
type Token = { kind: 'one'; accepts(sign: string): boolean } | { kind: 'run' };

/** Whether the whole name of a file or folder matches. */
export type NameMatcher = (name: string) => boolean;

/**
 * Compiles a pattern for one name: `*` matches any run of characters, `?` any character, `[a-z]` and `[!a-z]` one of a
 * class, and `\` escapes the next character. On a mismatch only the last run is extended, so that the time of a match
 * is bounded by the product of both lengths.
 */
function compileSegment(pattern: string): NameMatcher {
  const tokens = readTokens(pattern);
  return (name) => matchTokens(tokens, [...name]);
}

function matchTokens(tokens: readonly Token[], signs: readonly string[]): boolean {
  let token = 0;
  let sign = 0;
  let afterRun = -1;
  let runEnd = 0;
  while (sign < signs.length) {
    const wanted = tokens[token];
    if (wanted?.kind === 'run') {
      afterRun = ++token;
      runEnd = sign;
    } else if (wanted?.accepts(signs[sign] ?? '')) {
      token++;
      sign++;
    } else if (afterRun >= 0) {
      token = afterRun;
      sign = ++runEnd;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'run');
}

function readTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  const signs = [...pattern];
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at] ?? '';
    if (sign === '*') {
      if (tokens.at(-1)?.kind !== 'run') tokens.push({ kind: 'run' });
      continue;
    }
    const end = sign === '[' ? classEnd(signs, at) : -1;
    if (end > 0) {
      tokens.push({ kind: 'one', accepts: readClass(signs.slice(at + 1, end)) });
      at = end;
    } else if (sign === '?') {
      tokens.push({ kind: 'one', accepts: () => true });
    } else {
      const literal = sign === '\\' ? (signs[++at] ?? '\\') : sign;
      tokens.push({ kind: 'one', accepts: (found) => found === literal });
    }
  }
  return tokens;
}

/** Returns where the class that starts at `from` ends; -1 if it never does. A leading `]` belongs to the class. */
function classEnd(signs: readonly string[], from: number): number {
  let at = from + 1;
  if (signs[at] === '!' || signs[at] === '^') at++;
  for (let first = true; at < signs.length; at++, first = false) {
    if (signs[at] === '\\') at++;
    else if (signs[at] === ']' && !first) return at;
  }
  return -1;
}

function readClass(inside: readonly string[]): (sign: string) => boolean {
  const negated = inside[0] === '!' || inside[0] === '^';
  const signs = negated ? inside.slice(1) : inside;
  const ranges: [from: string, to: string][] = [];
  const read = (at: number): [string, number] =>
    signs[at] === '\\' && at + 1 < signs.length ? [signs[at + 1] ?? '', at + 2] : [signs[at] ?? '', at + 1];
  for (let at = 0; at < signs.length; ) {
    const [from, after] = read(at);
    if (signs[after] === '-' && after + 1 < signs.length) {
      const [to, next] = read(after + 1);
      ranges.push([from, to]);
      at = next;
    } else {
      ranges.push([from, from]);
      at = after;
    }
  }
  return (sign) => ranges.some(([from, to]) => isBetween(sign, from, to)) !== negated;
}

function isBetween(sign: string, from: string, to: string): boolean {
  const [code, least, most] = [sign, from, to].map((text) => text.codePointAt(0) ?? 0) as [
    number,
    number,
    number,
  ];
  return least <= code && code <= most;
}
