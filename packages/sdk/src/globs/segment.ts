/** One element of a pattern: a character, any of a class, or any run of characters. */
type Token = { kind: 'one'; accepts(sign: string): boolean } | { kind: 'run' };

/** Whether the whole name of a file or folder matches. */
export type NameMatcher = (name: string) => boolean;

/**
 * Compiles a pattern for one name: `*` matches any run of characters, `?` any character, `[a-z]` and `[!a-z]` one of a
 * class, and `\` escapes the next character. On a mismatch only the last run is extended, so that the time of a match
 * is bounded by the product of both lengths.
 */
export function compileSegment(pattern: string): NameMatcher {
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
