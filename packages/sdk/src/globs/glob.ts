import { LIMITS } from '@bindery/contract/wire';

export type PathMatcher = (path: string) => boolean;

/** Any number of items, including none. */
const ANY = Symbol('any');
/** Which item a part of a pattern stands for: of `**` and names in a path, or of `*` and characters in a name. */
type Token = ((item: string) => boolean) | typeof ANY;

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
  const segments = pattern.split('/').map((text): Token => (text === '**' ? ANY : compileSegment(text)));
  const prefix = pattern.slice(0, pattern.search(/[*?[\\]/));
  const folders = prefix.endsWith('/') && /^\*\*(\/\*\*)*$/.test(pattern.slice(prefix.length));
  const needed = folders ? prefix.slice(0, -1) : prefix;
  const part = longestLiteral(pattern);
  return (path) => path.startsWith(needed) && path.includes(part) && matchTokens(segments, path.split('/'));
}

/** Returns the longest text that every path has that the pattern matches: of thousands of globs, a path has few. */
function longestLiteral(pattern: string): string {
  if (/[[\\]/.test(pattern)) return '';
  return pattern.split(/[*?/]/).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

/** On a mismatch only the last `ANY` is extended, so that the time is bounded by the product of both lengths. */
function matchTokens(tokens: readonly Token[], items: readonly string[]): boolean {
  let token = 0;
  let item = 0;
  let afterAny = -1;
  let anyEnd = 0;
  while (item < items.length) {
    const wanted = tokens[token];
    if (wanted === ANY) {
      afterAny = ++token;
      anyEnd = item;
    } else if (wanted?.(items[item] ?? '')) {
      token++;
      item++;
    } else if (afterAny >= 0) {
      token = afterAny;
      item = ++anyEnd;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((rest) => rest === ANY);
}

/** Maximum number of patterns that one glob expands to. */
const MAX_ALTERNATIVES = 1_000;

/** Expands `a{b,c}` to `ab` and `ac`. Braces without a comma are literal, as in a shell. Throws `RangeError`. */
function expandBraces(glob: string): string[] {
  for (let at = 0; at < glob.length; at += glob[at] === '\\' ? 2 : 1) {
    const group = glob[at] === '{' ? readGroup(glob, at) : null;
    if (group === null) continue;
    const choices = group.choices.flatMap(expandBraces);
    const rests = expandBraces(glob.slice(group.end));
    if (choices.length * rests.length > MAX_ALTERNATIVES)
      throw new RangeError(`its braces expand to more than ${MAX_ALTERNATIVES} patterns`);
    return choices.flatMap((choice) => rests.map((rest) => glob.slice(0, at) + choice + rest));
  }
  return [glob];
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

/**
 * Compiles a pattern for one name: `*` matches any run of characters, `?` any character, `[a-z]` and `[!a-z]` one of a
 * class, whose first character may be `]`, and `\` escapes the next character.
 */
function compileSegment(pattern: string): (name: string) => boolean {
  const tokens: Token[] = [];
  const signs: string[] = pattern.match(/\\?./gsu) ?? [];
  for (let at = 0; at < signs.length; at++) {
    const sign = signs[at] ?? '';
    const end = sign === '[' ? signs.indexOf(']', at + (isNegation(signs[at + 1]) ? 3 : 2)) : -1;
    if (end > 0) {
      tokens.push(readClass(signs.slice(at + 1, end)));
      at = end;
    } else if (sign === '*') {
      tokens.push(ANY);
    } else {
      tokens.push((found) => sign === '?' || codeOf(found) === codeOf(sign));
    }
  }
  return (name) => matchTokens(tokens, [...name]);
}

function readClass(inside: readonly string[]): (sign: string) => boolean {
  const negated = isNegation(inside[0]);
  const ranges: [from: number, to: number][] = [];
  for (let at = negated ? 1 : 0; at < inside.length; at++) {
    const from = codeOf(inside[at]);
    if (inside[at + 1] === '-' && at + 2 < inside.length) at += 2;
    ranges.push([from, codeOf(inside[at])]);
  }
  return (sign) => ranges.some(([from, to]) => from <= codeOf(sign) && codeOf(sign) <= to) !== negated;
}

function isNegation(sign: string | undefined): boolean {
  return sign === '!' || sign === '^';
}

/** The code point of a character, or of one after a backslash. */
function codeOf(sign = ''): number {
  return sign.codePointAt(sign[0] === '\\' && sign.length > 1 ? 1 : 0) ?? 0;
}
